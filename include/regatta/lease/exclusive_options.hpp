// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The levels of exclusivity of CPUs, the options of a lease, and why one was refused.

#include <string>
#include <string_view>
#include <vector>

namespace regatta {

/// How far CPUs belong to the holder of a lease, from the weakest level to the strongest:
///
/// - `soft`: its threads are pinned there; no other task is kept out;
/// - `swept`: all other movable tasks were moved off once, by their affinity; a program that sets
///   its own affinity can return;
/// - `shielded`: all other movable tasks are in a cpuset without these CPUs (control groups of
///   version 1); kernel threads that start later may run there;
/// - `root_partition`: the kernel gives the CPUs to no other group; the load is balanced among
///   them;
/// - `isolated_partition`: as `root_partition`, but the scheduler leaves each thread on its CPU;
/// - `isolated_at_boot`: the kernel was started with `isolcpus`; only tasks that ask for these CPUs
///   run there.
enum class exclusivity {
    soft,
    swept,
    shielded,
    root_partition,
    isolated_partition,
    isolated_at_boot
};

/// The name in words: "isolated partition".
constexpr std::string_view to_string(exclusivity level) noexcept {
    switch (level) {
    case exclusivity::soft:
        return "soft";
    case exclusivity::swept:
        return "swept";
    case exclusivity::shielded:
        return "shielded";
    case exclusivity::root_partition:
        return "root partition";
    case exclusivity::isolated_partition:
        return "isolated partition";
    case exclusivity::isolated_at_boot:
        return "isolated at boot";
    }
    return "unknown";
}

/// Whether the scheduler moves threads between the CPUs of a lease of this level. If not, a thread
/// stays on the CPU where it started, so each thread needs its own.
constexpr bool balances_load(exclusivity level) noexcept {
    return level != exclusivity::isolated_partition && level != exclusivity::isolated_at_boot;
}

/// Why a lease of CPUs was refused; false: no failure.
struct exclusive_error {
    int number = 0;           ///< As in errno.
    bool bad_request = false; ///< The caller's mistake: no machine in this state could grant it.
    std::string text{};       ///< The request, what failed, and what is allowed.
    explicit operator bool() const noexcept { return number != 0; }
};

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
