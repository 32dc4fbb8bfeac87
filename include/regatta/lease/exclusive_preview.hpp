// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a lease of CPUs would be tried with.

#include <regatta/base/config.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_level.hpp>
#include <regatta/lease/exclusive_options.hpp>

#include <string>
#include <vector>

namespace regatta {

/// One way to CPUs of one's own.
struct exclusive_way {
    exclusivity level = exclusivity::soft;
    std::string way{};                ///< In words.
    std::string impossible{};         ///< Why it cannot be had; empty: it would be tried.
    std::vector<std::string> steps{}; ///< In order, in words.
};

/// What `exclusive_cpus::acquire` would do.
struct exclusive_preview {
    std::string refused{};             ///< Why no way leads to these CPUs; empty: they can be had.
    std::vector<exclusive_way> ways{}; ///< In the order in which they are tried.
    std::vector<std::string> notes{};  ///< What could not be looked at.

    /// The way that is tried first; null where there is none.
    const exclusive_way* first() const noexcept {
        for (const exclusive_way& way : ways) {
            if (refused.empty() && way.impossible.empty()) {
                return &way;
            }
        }
        return nullptr;
    }
};

/// Looks at the machine, and changes nothing. `at_least` does not matter: weaker ways are listed,
/// too.
/// @param root a directory that stands in for `/`, so that other machines can be looked at.
///
/// Threads: any. Failure: none; what cannot be read is in the notes. Cost: reads all groups.
REGATTA_SYSTEM_API exclusive_preview preview_exclusive(const cpu_set& cpus,
                                                       const exclusive_options& options = {},
                                                       const std::string& root = {});

} // namespace regatta
