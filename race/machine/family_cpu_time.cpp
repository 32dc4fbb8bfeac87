// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/family_cpu_time.hpp"

#include "machine/cpu_time.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace regatta::race {
namespace {

/// Of those that live and descend from a process.
std::int64_t descendants_cpu_ns(const std::string& process) {
    std::int64_t sum = 0;
    std::error_code error;
    for (const auto& thread :
         std::filesystem::directory_iterator("/proc/" + process + "/task", error)) {
        std::ifstream children(thread.path() / "children");
        for (std::int64_t child = 0; children >> child;) {
            sum += process_cpu_ns(child) + descendants_cpu_ns(std::to_string(child));
        }
    }
    return sum;
}

} // namespace

std::int64_t family_cpu_ns() {
    // Those that live first: one that ends meanwhile counts once more rather than not at all, and
    // the next look makes up for it.
    const std::int64_t living = descendants_cpu_ns("self");
    return living + exact_own_cpu_ns() + children_cpu_ns();
}

} // namespace regatta::race
