// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a lease of CPUs is asked for with.

#include <regatta/lease/exclusive_level.hpp>

#include <string>
#include <vector>

namespace regatta {

/// How CPUs of one's own are to be had.
struct exclusive_options {
    /// The weakest level that will do; where less can be had, nothing is taken.
    exclusivity at_least = exclusivity::soft;
    /// Whether tasks of other programs may be moved, which `shielded` and `swept` need.
    bool move_others = false;
    /// Processes of this program that give way where no other task may be moved: `shielded` then
    /// keeps these out, and those of other programs stay where they are.
    std::vector<int> yielding{};
    /// Whether device interrupts are sent to other CPUs meanwhile, as far as their drivers let.
    bool move_interrupts = false;
    /// Whether the scheduler should spread threads over the CPUs, for programs with more threads
    /// than they pin: a root partition is then better than an isolated one, on several CPUs.
    bool balanced = false;
    /// Whether whole processes enter, not single threads of them. Then an older kernel's
    /// partitions, which exist only below the top group, will do for a process in any group.
    bool whole_processes = false;
    /// What the lease is for; shown by `exclusive_status`.
    std::string title{};
};

} // namespace regatta
