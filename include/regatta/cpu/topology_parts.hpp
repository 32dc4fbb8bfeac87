// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The parts of a `topology`: CPUs, cores, dies, packages, caches, memory nodes.

#include <regatta/cpu/cpu_set.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace regatta {

/// An online CPU and its parts of the machine, as indices into the vectors of its `topology`.
struct cpu_info {
    unsigned cpu = 0;
    unsigned core = 0;
    unsigned die = 0;
    unsigned package = 0;
    unsigned node = 0;
    unsigned kind = 0;
};

/// A core. Its CPUs are SMT siblings, which share its execution units and its innermost caches.
struct cpu_core {
    std::int64_t id = -1;      ///< The system's number, unique in its package at most; -1: none.
    std::int64_t cluster = -1; ///< The system's number of a group of cores, as `id`; -1: none.
    unsigned die = 0;          ///< Index into `dies`.
    unsigned package = 0;      ///< Index into `packages`.
    cpu_set cpus;
};

/// A die or tile: a part of a package with its own paths to memory.
struct cpu_die {
    std::int64_t id = -1; ///< The system's number, unique in its package; -1: none.
    unsigned package = 0; ///< Index into `packages`.
    cpu_set cpus;
};

/// A package: the contents of one socket.
struct cpu_package {
    std::int64_t id = -1; ///< The system's number; -1: none.
    cpu_set cpus;
};

enum class cache_type { data, instruction, unified };

/// A cache and the CPUs that share it.
struct cpu_cache {
    unsigned level = 0;
    cache_type type = cache_type::unified;
    std::uint64_t bytes = 0;      ///< 0: unknown.
    std::uint64_t line_bytes = 0; ///< 0: unknown.
    cpu_set cpus;
};

/// A part of the memory and the CPUs next to it; either may be missing.
struct numa_node {
    unsigned id = 0; ///< The system's number; there may be gaps.
    std::uint64_t memory_bytes = 0;
    /// Distances to each node of `topology::nodes`, in its order; 10 is the distance to itself.
    /// Empty: unknown.
    std::vector<unsigned> distances;
    cpu_set cpus;
};

/// The cores of one design.
struct core_kind {
    /// "performance", "efficiency" or "low power"; "capacity 446" if only the capacity
    /// distinguishes them; "other" for cores that the system left out; empty if all are alike.
    std::string name;
    std::uint64_t capacity = 0; ///< Work done while the fastest does 1024; 0: unknown.
    cpu_set cpus;
};

} // namespace regatta
