// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How the processor is built: sockets, cores and their siblings, caches, what it can compute.

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/topology.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// Caches that are alike.
struct alike_caches {
    unsigned level = 0;
    cache_type type = cache_type::unified;
    std::uint64_t bytes = 0; ///< Of each; 0: unknown.
    unsigned count = 0;
    unsigned cpus = 0; ///< That share each.
};

/// Cores of one design, where there are several.
struct core_design {
    std::string name; ///< As `core_kind` has it.
    cpu_set cpus;
};

/// What is online of the processors of a machine.
struct processor {
    unsigned cpus = 0;             ///< 0: unknown.
    std::optional<unsigned> cores; ///< Physical ones.
    std::optional<unsigned> sockets;
    std::optional<unsigned> nodes; ///< Parts of the memory (NUMA).
    unsigned threads_per_core = 1; ///< The most CPUs that a core has (SMT); 1: no SMT.
    cpu_set online;
    cpu_set isolated;               ///< Only who is pinned there runs there.
    std::vector<cpu_set> siblings;  ///< The CPUs of each core; empty: unknown.
    std::vector<core_design> kinds; ///< Empty where all cores are alike.
    std::vector<alike_caches> caches;
    /// Of the sets of instructions that decide how fast numbers are, those that it has, by the
    /// kernel's names: "avx2", "fma", "asimd".
    std::vector<std::string> instruction_sets;

    /// Whether it has the set.
    bool has(std::string_view instructions) const noexcept;
    /// In how many cores the CPUs lie; nothing where that is unknown.
    std::optional<unsigned> cores_of(const cpu_set& some) const;
};

/// Reads it. Failure: none. Cost: that of `topology::read`.
/// @param root a directory that stands in for `/`.
processor read_processor(const std::string& root = {});

} // namespace regatta::race
