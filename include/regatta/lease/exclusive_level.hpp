// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How far CPUs can belong to a program.

#include <string_view>

namespace regatta {

/// How far CPUs belong to the holder of a lease, from the weakest to the strongest:
///
/// - `soft`: its threads are pinned there; nobody is kept out;
/// - `swept`: every other task that could be was taken off once, by its affinity; a program that
///   sets its own affinity comes back;
/// - `shielded`: every other task that can be moved sits in a cpuset without them (control groups
///   of version 1); kernel threads that start later may run there;
/// - `root_partition`: the kernel gives them to no other group; the load is balanced among them;
/// - `isolated_partition`: the same, and the scheduler leaves every thread on the CPU where it is;
/// - `isolated_at_boot`: the kernel was started with `isolcpus`; only who asks for them gets there.
enum class exclusivity {
    soft,
    swept,
    shielded,
    root_partition,
    isolated_partition,
    isolated_at_boot
};

/// The name as people write it: "isolated partition".
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

/// Whether the scheduler moves threads between the CPUs of a lease of this level. Where it does
/// not, a thread stays on the CPU where it began, so that each needs one of its own.
constexpr bool balances_load(exclusivity level) noexcept {
    return level != exclusivity::isolated_partition && level != exclusivity::isolated_at_boot;
}

} // namespace regatta
