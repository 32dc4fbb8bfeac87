// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What each CPU spends its time on, and at which clock.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace regatta::race {

/// What one CPU, or all of them, did since boot; in the kernel's ticks, as a rule of 10 ms.
struct cpu_counters {
    unsigned cpu = 0;           ///< Its number; means nothing for all of them.
    std::int64_t user = 0;      ///< Programs, those of low priority and guests too.
    std::int64_t system = 0;    ///< The kernel on behalf of programs.
    std::int64_t interrupt = 0; ///< Interrupts, soft ones too.
    std::int64_t steal = 0;     ///< Wanted to run, but the hypervisor ran another machine.
    std::int64_t iowait = 0;    ///< Idle while a task that ran here waits for a device.
    std::int64_t idle = 0;
};

/// The CPUs at one moment.
struct cpu_activity {
    cpu_counters all;
    std::vector<cpu_counters> cpus; ///< That are online, in the order of their numbers.
    /// Of the CPUs, in the same order, in MHz; absent where nothing tells it.
    std::vector<std::optional<double>> clocks;
};

/// Reads it.
///
/// Threads: any. Failure: none; where there is no such file, no CPU is in it. Cost: two files, some
/// 50 µs on a small machine; where /proc/cpuinfo tells no clocks, one more a CPU.
/// Source: proc_stat(5), proc_cpuinfo(5), the kernel's documentation of cpufreq.
/// @param root a directory that stands in for `/`.
cpu_activity read_cpu_activity(const std::string& root = {});

/// How a CPU's time was shared out between two readings. The shares sum to 1.
struct cpu_shares {
    double user = 0;
    double system = 0;
    double interrupt = 0;
    double steal = 0;
    double iowait = 0;
    double idle = 0;

    /// All but waiting and idleness.
    double busy() const noexcept { return user + system + interrupt; }
};

/// What one CPU did between two readings.
struct cpu_use {
    unsigned cpu = 0;
    /// Absent where no tick passed: too short a time, or the CPU has just come.
    std::optional<cpu_shares> shares;
    std::optional<double> clock_mhz; ///< At the second reading.
};

/// The shares; nothing where no tick passed. Counters that went back, as those of idleness may,
/// count as standing still.
std::optional<cpu_shares> shares_between(const cpu_counters& before,
                                         const cpu_counters& after) noexcept;

/// The CPUs of the later reading.
std::vector<cpu_use> use_between(const cpu_activity& before, const cpu_activity& after);

} // namespace regatta::race
