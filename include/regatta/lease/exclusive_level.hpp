// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The levels of exclusivity of CPUs.

#include <string_view>

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

} // namespace regatta
