// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Checking how exclusive CPUs are: other tasks that run there, and interruptions.

#include <regatta/base/config.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/inspect/exclusivity_report.hpp>

#include <chrono>
#include <functional>
#include <vector>

namespace regatta {

/// How to check CPUs.
struct REGATTA_SYSTEM_API exclusivity_check_options {
    std::chrono::nanoseconds duration = std::chrono::seconds(1);
    /// Keep each CPU busy with a gap loop, which notices every interruption. False: only watch,
    /// while a program runs there.
    bool gap_loop = true;
    /// Shorter gaps do not count; at least 100 ns.
    std::chrono::nanoseconds threshold = std::chrono::microseconds(1);
    /// Processes that may run there, with their descendants.
    std::vector<int> owners{};
    /// Called in the thread of each gap loop before it is pinned, for example to enter a lease.
    std::function<void()> prepare{};
    /// Called some times a second; true ends the check early, with the findings so far.
    std::function<bool()> stop{};
    /// Use the switch trace if permitted; false gives the view of an unprivileged user.
    bool trace = true;
};

/// Watches `cpus` for a while and reports the tasks that ran there, the interruptions, and how
/// exclusive the CPUs were.
///
/// With a gap loop the check keeps each CPU busy with its own thread. Use it before a program gets
/// the CPUs; while the program runs, watch without it. The check's threads are not intruders.
/// Neither are other threads of this process, the owners and their descendants.
///
/// With the privilege (root, CAP_PERFMON) the check sees every switch, and so every task by name
/// and time. Without it, the gap loop still notices each loss of its CPU, and /proc names tasks
/// that were there. The report says what could not be seen.
///
/// Threads: any; during the check the calling thread runs on other CPUs, if it may.
/// Blocks: for `duration`.
/// Failure: `std::invalid_argument` for no CPU, for a CPU or an owner that does not exist, for an
/// offline CPU, and for an invalid duration or threshold.
/// Cost: 5 % of another CPU; with a gap loop, all of each of `cpus`.
REGATTA_SYSTEM_API exclusivity_report
check_exclusivity(const cpu_set& cpus, const exclusivity_check_options& options = {});

} // namespace regatta
