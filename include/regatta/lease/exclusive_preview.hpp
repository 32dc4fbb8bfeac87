// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The ways in which a lease of CPUs would be tried.

#include <regatta/base/config.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_level.hpp>
#include <regatta/lease/exclusive_options.hpp>

#include <string>
#include <vector>

namespace regatta {

/// One way to lease CPUs.
struct exclusive_way {
    exclusivity level = exclusivity::soft;
    std::string way{};                ///< In words.
    std::string impossible{};         ///< Why it is impossible; empty: it would be tried.
    std::vector<std::string> steps{}; ///< In order, in words.
};

/// What `exclusive_cpus::acquire` would try.
struct exclusive_preview {
    std::string refused{};             ///< Why no way leads to these CPUs; empty: one does.
    std::vector<exclusive_way> ways{}; ///< In the order of the attempts.
    std::vector<std::string> notes{};  ///< What could not be read.

    /// The way that is tried first; null if there is none.
    const exclusive_way* first() const noexcept {
        for (const exclusive_way& way : ways) {
            if (refused.empty() && way.impossible.empty()) {
                return &way;
            }
        }
        return nullptr;
    }
};

/// Reads the machine and changes nothing. Ignores `at_least`: weaker ways are listed, too.
/// @param root a directory to use instead of `/`, to inspect other machines.
///
/// Threads: any.
/// Failure: none; the notes name what cannot be read.
/// Cost: reads all groups.
REGATTA_SYSTEM_API exclusive_preview preview_exclusive(const cpu_set& cpus,
                                                       const exclusive_options& options = {},
                                                       const std::string& root = {});

} // namespace regatta
