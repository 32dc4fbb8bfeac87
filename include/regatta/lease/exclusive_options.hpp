// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The options of a lease of CPUs.

#include <regatta/lease/exclusive_level.hpp>

#include <string>
#include <vector>

namespace regatta {

/// How CPUs may be leased.
struct exclusive_options {
    /// The weakest acceptable level. If only weaker ones are possible, `acquire` fails and takes
    /// nothing.
    exclusivity at_least = exclusivity::soft;
    /// Whether tasks of other programs may be moved; `shielded` and `swept` need this.
    bool move_others = false;
    /// Processes of this program that give way if other programs' tasks may not be moved.
    /// `shielded` then keeps these out; processes of other programs stay.
    std::vector<int> yielding{};
    /// Whether device interrupts go to other CPUs during the lease, as far as their drivers allow.
    bool move_interrupts = false;
    /// Whether the scheduler should balance threads over the CPUs: for programs with more threads
    /// than they pin. With several CPUs, a root partition is then tried before an isolated one.
    bool balanced = false;
    /// Whether whole processes enter instead of single threads. Then a process in any group can use
    /// an older kernel's partitions, which exist only below the top group.
    bool whole_processes = false;
    /// The purpose of the lease; shown by `exclusive_status`.
    std::string title{};
};

} // namespace regatta
