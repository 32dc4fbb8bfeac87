// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/process_role.hpp"

#include "schemes/process_team.hpp"

#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/error.hpp>

namespace regatta::race {
namespace {

/// The first argument that this process was started with, whatever `main` has made of it.
std::string first_argument() {
    const auto line = detail::read_small_file("/proc/self/cmdline");
    const std::string_view all = line ? std::string_view(*line) : "";
    const auto end_of_name = all.find('\0');
    const auto rest = end_of_name == all.npos ? "" : all.substr(end_of_name + 1);
    return std::string(rest.substr(0, rest.find('\0')));
}

} // namespace

bool process_role::is_played(int argc, const char* const* argv) noexcept {
    if (argc > 1 && std::string_view(argv[1]) == flag_) {
        return true;
    }
    not_played_ = true;
    return false;
}

std::string process_role::program(std::string_view otherwise) const {
    if (!not_played_ || first_argument() == flag_) {
        fail_state("this program cannot start itself with " + std::string(flag_) +
                   ": its main has to begin with " + function_ +
                   "(argc, argv), and to end where that returns a status" + std::string(otherwise));
    }
    return this_program();
}

} // namespace regatta::race
