// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the control groups of this process leave it of the machine: CPU time and memory.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace regatta::race {

/// The limits of a process's own groups and of all groups above them, v1 and v2.
struct control_group {
    std::string path;            ///< Of the group that schedules it; empty: unknown.
    std::optional<double> quota; ///< CPUs that are granted; absent: no limit.
    /// Of the group that was held back most: its periods since it was made, those in which it had
    /// used up its quota, and how long its threads then had to wait.
    std::uint64_t periods = 0;
    std::uint64_t throttled_periods = 0;
    std::int64_t throttled_ns = 0;
    /// Its share beside the groups next to it, of which a usual one has 1.
    std::optional<double> weight;
    /// Of the group that has the least room left; absent: no limit.
    std::optional<std::uint64_t> memory_limit_bytes;
    /// Of the group with that limit, without caches that the kernel takes back.
    std::optional<std::uint64_t> memory_used_bytes;
    /// The files in which the limits stand: those of v1 have other names.
    std::string_view quota_file = "cpu.max";
    std::string_view memory_file = "memory.max";
};

/// Reads it. Failure: none; what cannot be read limits nothing. Cost: some ten small files.
/// Source: cgroups(7), the kernel's documentation of control groups v1 and v2.
/// @param root a directory that stands in for `/`.
control_group read_control_group(const std::string& root = {});

} // namespace regatta::race
