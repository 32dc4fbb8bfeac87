// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Which control groups have CPUs of their own.

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/topology.hpp>

#include <string>
#include <vector>

namespace regatta::race {

/// A control group whose tasks may use fewer CPUs than those of the group above it, or that keeps
/// others out.
struct cpuset_group {
    std::string path; ///< As seen from the hierarchy's top: "/system.slice".
    int version = 2;  ///< Of the hierarchy.
    cpu_set cpus;     ///< That its tasks may use.
    /// Version 2: "root", "isolated", or with the kernel's reason "isolated invalid (…)"; version
    /// 1: "exclusive"; empty: others may use them, too.
    std::string partition;
};

/// Those groups of both versions, by path. Failure: none; what cannot be read is left out.
/// @param root a directory that stands in for `/`.
std::vector<cpuset_group> find_cpuset_groups(const topology& machine, const std::string& root = {});

} // namespace regatta::race
