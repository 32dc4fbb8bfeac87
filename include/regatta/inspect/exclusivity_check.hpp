// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Checking how exclusive CPUs are: other tasks that run there, and interruptions.

#include <regatta/base/config.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/inspect/interrupt_counts.hpp>
#include <regatta/inspect/jitter.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta {

/// How exclusive a CPU was.
enum class cpu_verdict : std::uint8_t {
    soft,      ///< Tasks of others ran there, too.
    exclusive, ///< Only the owner and kernel threads ran there.
    quiet      ///< Exclusive, with at most one scheduler tick a second.
};

constexpr std::string_view to_string(cpu_verdict verdict) noexcept {
    return verdict == cpu_verdict::soft        ? "soft"
           : verdict == cpu_verdict::exclusive ? "exclusive"
                                               : "quiet";
}

/// The role of a task in a check.
enum class task_role : std::uint8_t {
    intruder, ///< It should not run there.
    owner,    ///< It belongs to an owner, a descendant of one, or the checking process.
    kernel,   ///< A kernel thread.
    checker   ///< The check itself.
};

constexpr std::string_view to_string(task_role role) noexcept {
    return role == task_role::intruder ? "intruder"
           : role == task_role::owner  ? "owner"
           : role == task_role::kernel ? "kernel"
                                       : "checker";
}

/// A task that ran on a CPU.
struct task_presence {
    int pid = 0; ///< 0: an unknown task.
    int tid = 0;
    std::string name; ///< Empty: it ended before it could be named.
    task_role role = task_role::intruder;
    std::int64_t time_ns = 0;
    std::int64_t longest_ns = 0;   ///< Of one turn; 0 if only sums are known.
    std::uint64_t turns = 0;       ///< How often it got the CPU; 0 if unknown.
    std::uint64_t preemptions = 0; ///< How often it lost the CPU while it was ready to run.
};

/// The gaps of the gap loop on a CPU.
struct REGATTA_SYSTEM_API gap_report {
    std::int64_t threshold_ns = 0; ///< Shorter ones do not count.
    std::uint64_t reads = 0;       ///< Of the clock.
    std::int64_t shortest_ns = 0;  ///< Between two reads.
    gap_histogram all;
    std::array<gap_histogram, gap_causes> by_cause{};
    std::vector<long_gap> longest; ///< `task` indexes `cpu_check::tasks`, if it is one.
    std::uint64_t dropped = 0; ///< Gaps lost because the ring was full; they are in no histogram.

    const gap_histogram& operator[](gap_cause cause) const noexcept;
};

/// The findings on one CPU.
struct REGATTA_SYSTEM_API cpu_check {
    unsigned cpu = 0;
    std::int64_t begin_ns = 0; ///< Steady clock.
    std::int64_t end_ns = 0;
    /// Whether the kernel reported every switch there. Otherwise the times of tasks are estimates
    /// from samples of /proc.
    bool traced = false;
    std::optional<gap_report> gaps;   ///< If a gap loop ran.
    std::vector<task_presence> tasks; ///< Intruders first, then by time, longest first.
    /// How often another task got the CPU; without a trace, how often the gap loop lost it;
    /// without both, 0.
    std::uint64_t switches = 0;
    std::uint64_t lost_records = 0; ///< Switches that the trace lost.
    std::vector<interrupt_count> interrupts;
    std::vector<interrupt_count> soft_interrupts;
    /// Whether the kernel counts the scheduler's ticks of this CPU. Otherwise it is never `quiet`.
    bool counts_ticks = false;
    std::optional<std::int64_t> steal_ns;
    /// Tasks of others that are allowed to run there, whether they ran or not: of those that /proc
    /// shows.
    std::uint64_t allowed_tasks = 0;
    std::vector<std::string> notes; ///< What the check could not do here, and why.

    std::int64_t elapsed_ns() const noexcept { return end_ns - begin_ns; }

    /// Whether an intruder ran there: intruders come first in `tasks`.
    bool intruded() const noexcept;
    std::int64_t time_of(task_role role) const noexcept;
    std::uint64_t interrupts_of(interrupt_kind kind) const noexcept;
    double ticks_a_second() const noexcept;
    cpu_verdict verdict() const noexcept;
};

/// The findings of a check.
struct REGATTA_SYSTEM_API exclusivity_report {
    std::vector<cpu_check> cpus;    ///< In ascending order.
    std::vector<std::string> notes; ///< What could not be seen, and what that would need.
    bool stopped = false;           ///< It ended early because `stop` returned true.
    /// False in a container with its own PID namespace: tasks outside have no number there.
    bool sees_all_tasks = true;
    /// False where /proc shows only some tasks: there, with `hidepid`, or where it cannot be read.
    bool lists_all_tasks = true;

    /// The worst verdict of all CPUs.
    cpu_verdict verdict() const noexcept;
    bool exclusive() const noexcept { return verdict() != cpu_verdict::soft; }
    /// Whether no intruder can have been missed: every switch on every CPU is known.
    bool certain() const noexcept;
    /// Whether the verdict rests on something: an intruder, or on each CPU a trace, a gap loop, or
    /// a list of all tasks. A CPU that nobody could look at is `exclusive`, too.
    bool conclusive() const noexcept;
};

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
    /// Called in the thread of each gap loop before it is pinned, for example to enter a lease. An
    /// exception of it ends the check, which throws it.
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
/// Blocks: for `duration`; before it, until all gap loops have their CPUs, at most 5 s, in which
///     `stop` is not asked; after it, a second at most for each loop. A real-time task delays the
///     loop on its CPU; where it leaves the loop no time at all, the CPU is watched without.
/// Failure: `std::invalid_argument` for no CPU, for a CPU that does not exist, for an owner that is
///     no process, for an offline CPU, and for an invalid duration or threshold. If the list of
///     online CPUs cannot be read, no CPU counts as offline. `std::system_error` with ENODEV if a
///     CPU goes offline during the check, or if the gap loop is moved off its CPU.
/// Cost: 5 % of another CPU; with a gap loop, all of each of `cpus`.
REGATTA_SYSTEM_API exclusivity_report
check_exclusivity(const cpu_set& cpus, const exclusivity_check_options& options = {});

} // namespace regatta
