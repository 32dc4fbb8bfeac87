// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What `regatta cpus plan` has found out, and its two views.

#include "text/text.hpp"

#include <regatta/boot/boot_line.hpp>
#include <regatta/boot/boot_loader.hpp>
#include <regatta/lease/exclusive_level.hpp>

#include <optional>
#include <string>
#include <vector>

namespace regatta::race {

/// A way to the CPUs without a reboot.
struct run_time_way {
    exclusivity level = exclusivity::soft;
    std::string way;
    std::string impossible;         ///< Why it cannot be had; empty: it will be tried.
    std::vector<std::string> steps; ///< In order, in words.
};

/// What can be done without a reboot.
struct run_time_plan {
    std::string refused;            ///< Why these CPUs cannot be had in any way; empty: they can.
    std::vector<run_time_way> ways; ///< In the order in which they are tried.
    std::vector<std::string> notes; ///< What could not be looked at.

    /// The one that is tried first; null where there is none.
    const run_time_way* first() const noexcept {
        for (const run_time_way& way : ways) {
            if (refused.empty() && way.impossible.empty()) {
                return &way;
            }
        }
        return nullptr;
    }
};

/// Both ways to CPUs of one's own.
struct cpus_plan {
    run_time_plan run_time;
    boot_line boot;
    running_kernel kernel;
    std::vector<boot_loader> loaders;
    bool this_machine = true; ///< Not the files of another one.
    bool privileged = true;   ///< Who asks is root.
};

/// The document, indented, with a final newline; docs/reference/cpu.md describes it.
std::string cpus_plan_json(const cpus_plan& plan);

/// For people.
std::string cpus_plan_text(const cpus_plan& plan, const text_style& style);

/// How to hand the options to a boot loader, as a sentence; the placeholder of its command
/// replaced.
std::string advice_of(const boot_loader& loader, const boot_line& line);

} // namespace regatta::race
