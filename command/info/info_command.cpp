// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "info/info_command.hpp"

#include "common/argument_checks.hpp"
#include "common/result_files.hpp"
#include "common/usage_error.hpp"
#include "report/info/info_json.hpp"
#include "report/info/info_text.hpp"

#include <regatta/cpu/topology.hpp>

#include <memory>

namespace regatta::command {
namespace {

/// As they were typed.
struct info_arguments {
    std::string root;
    result_paths files;
};

int run_command(const info_arguments& arguments, const std::vector<std::string>& words) {
    result_files to(data_alone(arguments.files));
    if (!arguments.root.empty()) {
        // Refuses a directory without a machine, whose gaps would be filled from this one.
        static_cast<void>(topology::read(arguments.root));
    }
    const race::provenance from{race::take_fingerprint(arguments.root), words};
    const bool written = to.write(
        [&] { return race::info_json(from); },
        [&](const race::text_style& style) { return race::info_text(from.machine, style); });
    return written ? exit_code::success : exit_code::failure;
}

} // namespace

void add_info_command(subcommand app, action& chosen, const std::vector<std::string>& words) {
    const subcommand info =
        app.add_subcommand("info", "Show what decides a measurement on this machine");
    const auto arguments = std::make_shared<info_arguments>();
    info_arguments& a = *arguments;
    add_json_option(info, a.files, "all of it");
    info.add_option("--root", a.root,
                    "A directory with another machine's /sys, /proc, /etc and /run")
        .check(check_directory)
        .type_name("DIR");
    info.footer("Examples:\n"
                "  regatta info                     the machine, and what spoils a benchmark\n"
                "  regatta info --json -            the same for programs\n"
                "\nExit status: 0 all well, 1 it could not be written, 2 wrong usage.");
    info.runs(chosen, [&words, arguments] { return run_command(*arguments, words); });
}

} // namespace regatta::command
