// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How much of the time tasks wait for a CPU, for memory and for the disk: the kernel's pressure
/// stall information.

#include <cstdint>
#include <optional>
#include <string>

namespace regatta::race {

/// How long something waited: shares of the time, in per cent, averaged over the last seconds.
struct pressure_line {
    double avg10 = 0; ///< Over the last 10 seconds.
    double avg60 = 0;
    double avg300 = 0;
    std::int64_t total_us = 0; ///< Since boot, in microseconds.
};

/// The waiting for one resource.
struct pressure_stall {
    pressure_line some;                ///< At least one task waited.
    std::optional<pressure_line> full; ///< All tasks that had something to do waited.
};

/// What tasks waited for; absent where the kernel does not count it: built without
/// CONFIG_PSI, or started without `psi=1` where that is needed.
struct pressure {
    std::optional<pressure_stall> cpu;
    std::optional<pressure_stall> memory;
    std::optional<pressure_stall> io;
};

/// Reads that of the whole machine.
///
/// Threads: any. Failure: none; what cannot be read or understood is absent. Cost: three small
/// files. Source: the kernel's documentation of PSI.
/// @param root a directory that stands in for `/`.
pressure read_pressure(const std::string& root = {});

/// The share of the time between two readings, 0..1, in which some task waited: exact, where
/// `avg10` looks back over more. Nothing where one of them is absent or no time passed.
/// @param elapsed_ns the time between them.
std::optional<double> stalled_share(const std::optional<pressure_stall>& before,
                                    const std::optional<pressure_stall>& after,
                                    std::int64_t elapsed_ns) noexcept;

} // namespace regatta::race
