// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The parts of a machine that decide how CPUs can be leased.

#include "lease/exclusive_system.hpp"
#include <regatta/base/detail/cgroup_files.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace regatta::detail {

/// Groups of one hierarchy of control groups, as directories.
struct group_tree {
    std::string top{};        ///< The highest visible group; empty: there is no such tree.
    std::string above{};      ///< The name of `top` in /proc, which counts from the root.
    std::string own{};        ///< The group of this process, or the one around its lease's.
    bool top_is_root = false; ///< The highest visible group is the root of the machine.

    explicit operator bool() const noexcept { return !top.empty(); }
    /// The groups from the highest to this process's own, both included.
    std::vector<std::string> chain() const;
    /// The group of a task; empty if it has ended.
    /// @param file its cgroup file in /proc.
    std::string group_of(exclusive_system& system, const std::string& file, bool v2) const;
};

/// CPUs that a group holds exclusively.
struct held_cpus {
    std::string group;
    cpu_set cpus;
};

/// The state that decides how CPUs can be leased; read once before a plan is made.
struct exclusive_machine {
    cpu_set online{};
    cpu_set isolated_at_boot{};
    group_tree v2{}; ///< Control groups of version 2, if they have the cpuset controller.
    group_tree v1{}; ///< Those of version 1, if they have it.
    std::vector<held_cpus> held{}; ///< By partitions and exclusive cpusets, leases too.
    /// The CPUs of the partition or exclusive cpuset that this process is in; empty: in none.
    cpu_set own_partition{};
    /// The CPUs of this process's cpuset of version 1: no thread of it can be anywhere else.
    cpu_set own_cpuset{};
};

/// The prefix of the name of every lease's group.
inline constexpr std::string_view group_prefix = "regatta.";
/// The group of version 1 that takes all other tasks; all leases share it.
inline constexpr std::string_view others_group = "regatta.others";
/// The suffix of a group of version 1 for processes that yield to a lease.
inline constexpr std::string_view yielding_suffix = ".yielding";

/// The last component of a group's path.
std::string_view last_part(std::string_view path) noexcept;

/// The name of a lease's group: "regatta.4711.1" for "lease.4711.1".
std::string group_name(std::string_view lease);

/// Whether the name is that of a lease's own group, "regatta.4711.1".
bool is_lease_group(std::string_view path) noexcept;

/// Every group below `top`, each before its children.
std::vector<std::string> groups_below(exclusive_system& system, const std::string& top);

/// Whether a group is a valid partition.
bool is_partition(exclusive_system& system, const std::string& group);

exclusive_machine read_machine(exclusive_system& system);

/// Whether a group of this name exists in any place where a lease could create its own.
bool has_group(exclusive_system& system, const exclusive_machine& machine, const std::string& name);

/// The CPUs that leases may use: those that are online and that the groups above grant.
/// @param new_cpuset whether a lease may make a cpuset of version 1 beside this process's own.
cpu_set usable_cpus(exclusive_system& system, const exclusive_machine& machine, bool new_cpuset);

} // namespace regatta::detail
