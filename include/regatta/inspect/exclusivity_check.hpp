// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Finding out whether CPUs are one's own: who else runs there, and what else comes between.

#include <regatta/base/config.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/inspect/exclusivity_report.hpp>

#include <chrono>
#include <functional>
#include <vector>

namespace regatta {

/// How to look at CPUs.
struct REGATTA_SYSTEM_API exclusivity_check_options {
    std::chrono::nanoseconds duration = std::chrono::seconds(1);
    /// Keep each CPU busy with a gap loop, which feels whatever comes between. False: only look on,
    /// while a program runs there.
    bool gap_loop = true;
    /// Gaps below this do not count; at least 100 ns.
    std::chrono::nanoseconds threshold = std::chrono::microseconds(1);
    /// Processes that may run there, with their descendants.
    std::vector<int> owners{};
    /// Called in each thread of a gap loop before it is pinned: where a lease is entered.
    std::function<void()> prepare{};
    /// Asked some times a second; true ends the check early, with what was found by then.
    std::function<bool()> stop{};
    /// Use the switch trace where it can be had; false is what an unprivileged user gets.
    bool trace = true;
};

/// Looks at `cpus` for a while and says who ran there, what interrupted, and so whose they are.
///
/// With a gap loop it keeps each CPU busy with a thread of its own, so use that for CPUs that are
/// to be used; look on without it while a program runs on them. Its own threads are no intruders,
/// nor are the others of this process and those of the owners and their descendants.
///
/// With the right to (root, CAP_PERFMON) every switch is known, and so every task by name and time.
/// Without it the gap loop still knows each time that it lost its CPU, and /proc names those who
/// were there. The report says what could not be seen.
///
/// Threads: any; meanwhile the calling thread runs on other CPUs, if it may. Blocks: for
/// `duration`. Failure: `std::invalid_argument` for no CPU, a CPU that is off or does not exist, an
/// owner that does not exist, a duration or a threshold that cannot be.
/// Cost: 5 % of another CPU, and of each of `cpus` what the gap loop takes: all.
REGATTA_SYSTEM_API exclusivity_report
check_exclusivity(const cpu_set& cpus, const exclusivity_check_options& options = {});

} // namespace regatta
