// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Who sets the processor's clock, and between which bounds.

#include <regatta/cpu/cpu_set.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace regatta::race {

/// What the kernel tells of the clocks; in a guest that is as a rule nothing.
struct clock_settings {
    std::string governor; ///< "performance"; of several, all: "performance, powersave".
    std::string driver;   ///< "intel_pstate".
    /// What the processor is asked to prefer, where it sets its clock itself; of several, all:
    /// "balance_performance".
    std::string preference;
    std::optional<bool> boost;         ///< Whether the clock may rise above its nominal rate.
    std::optional<double> now_mhz;     ///< Of the first CPU.
    std::optional<double> base_mhz;    ///< The nominal rate.
    std::optional<double> lowest_mhz;  ///< That the slowest CPU can have.
    std::optional<double> highest_mhz; ///< That the fastest CPU can have.
    std::optional<double> limit_mhz;   ///< Up to which the most limited CPU may go now.
    std::optional<double> full_mhz;    ///< That this CPU can have.
    /// How often since boot a core was slowed down because it was hot.
    std::optional<std::int64_t> throttled;
    std::optional<bool> on_battery; ///< Absent: there is no mains supply to look at.
    std::string time_source;        ///< What the kernel reads the time from: "tsc".
    /// Whether reading the time costs a system call and a slow device.
    bool slow_time() const noexcept;
};

/// Reads it. Failure: none. Cost: a few small files for each CPU.
/// @param online the CPUs to look at; the first one where it is empty.
/// @param root a directory that stands in for `/`.
clock_settings read_clock_settings(const cpu_set& online, const std::string& root = {});

} // namespace regatta::race
