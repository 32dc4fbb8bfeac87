// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How many tasks want a CPU.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace regatta::race {

/// The tasks of the machine at one moment.
struct run_queue {
    unsigned runnable = 0; ///< That run or could run, the one that reads this among them.
    unsigned blocked = 0;  ///< That wait for a device.
    unsigned tasks = 0;    ///< All threads.
    /// Runnable and blocked ones, averaged over the last minute, five and fifteen.
    std::array<double, 3> load{};
    std::int64_t switches = 0; ///< From one task to another, on all CPUs, since boot.
};

/// Reads it; nothing where the system does not tell.
///
/// Threads: any. Cost: two files, some 50 µs. Source: proc_stat(5), proc_loadavg(5).
/// @param root a directory that stands in for `/`.
std::optional<run_queue> read_run_queue(const std::string& root = {});

} // namespace regatta::race
