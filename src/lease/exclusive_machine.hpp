// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a machine has to offer to who wants CPUs of his own.

#include "lease/exclusive_system.hpp"
#include <regatta/base/detail/cgroup_files.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace regatta::detail {

/// Groups of one hierarchy of control groups, as directories.
struct group_tree {
    std::string top{};        ///< The highest group that can be seen; empty: there is no such tree.
    std::string own{};        ///< The group of this process.
    bool top_is_root = false; ///< The highest group is the highest of the machine.

    explicit operator bool() const noexcept { return !top.empty(); }
    /// The groups from the highest to this process's own, both included.
    std::vector<std::string> chain() const;
};

/// CPUs that a group keeps for itself.
struct held_cpus {
    std::string group;
    cpu_set cpus;
};

/// What decides how CPUs can be had, read once before a plan is made.
struct exclusive_machine {
    cpu_set online{};
    cpu_set isolated_at_boot{};
    group_tree v2{};               ///< Control groups of version 2 that have the cpuset controller.
    group_tree v1{};               ///< Those of version 1 that have it.
    std::vector<held_cpus> held{}; ///< By partitions and exclusive cpusets, those of leases too.
};

/// The name that every group of a lease begins with.
inline constexpr std::string_view group_prefix = "regatta.";
/// The group of version 1 that everybody else is moved to; all leases share it.
inline constexpr std::string_view others_group = "regatta.others";
/// The end of the name of a group of version 1 for processes that yield to a lease.
inline constexpr std::string_view yielding_suffix = ".yielding";

/// The name of a group without its folder.
std::string_view last_part(std::string_view path) noexcept;

/// What the group of a lease is called, "regatta.4711.1" for "lease.4711.1".
std::string group_name(std::string_view lease);

/// Whether a group has the name of one that leases make to run in: "regatta.4711.1".
bool is_lease_group(std::string_view path) noexcept;

/// Every group below `top`, each before those in it.
std::vector<std::string> groups_below(exclusive_system& system, const std::string& top);

/// Whether a group is a partition, and a valid one.
bool is_partition(exclusive_system& system, const std::string& group);

exclusive_machine read_machine(exclusive_system& system);

/// Whether there is a group of this name wherever a lease could make its own.
bool has_group(exclusive_system& system, const exclusive_machine& machine, const std::string& name);

/// The CPUs that a lease may be made of: those online that the groups above grant.
cpu_set usable_cpus(exclusive_system& system, const exclusive_machine& machine);

} // namespace regatta::detail
