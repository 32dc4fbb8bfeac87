// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What `regatta cpus plan` has found out, and its two views.

#include "text/text.hpp"

#include <regatta/boot/boot_line.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <string>
#include <vector>

namespace regatta::race {

/// Both ways to CPUs of one's own.
struct cpus_plan {
    exclusive_preview run_time; ///< Without a reboot.
    boot_line boot;
    running_kernel kernel;
    std::vector<boot_loader> loaders;
    bool this_machine = true; ///< Not the files of another one.
    bool privileged = true;   ///< Who asks is root.
    std::string permissions;  ///< Options of `regatta cpus run` that `run_time` takes for given.
};

/// The document, indented, with a final newline; docs/reference/boot.md describes it.
std::string cpus_plan_json(const cpus_plan& plan);

/// For people.
std::string cpus_plan_text(const cpus_plan& plan, const text_style& style);

/// How to hand the options to a boot loader, as a sentence; the placeholder of its command
/// replaced.
std::string advice_of(const boot_loader& loader, const boot_line& line);

} // namespace regatta::race
