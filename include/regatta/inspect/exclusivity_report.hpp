// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The findings of a check of CPUs: tasks, interruptions and a verdict.

#include <regatta/base/config.hpp>
#include <regatta/inspect/gap_causes.hpp>
#include <regatta/inspect/gap_histogram.hpp>
#include <regatta/inspect/interrupt_counts.hpp>

#include <array>
#include <cstdint>
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
    /// How often another task got the CPU; without a trace, how often the gap loop lost it.
    std::uint64_t switches = 0;
    std::uint64_t lost_records = 0; ///< Switches that the trace lost.
    std::vector<interrupt_count> interrupts;
    std::vector<interrupt_count> soft_interrupts;
    std::optional<std::int64_t> steal_ns;
    /// Tasks of others that are allowed to run there, whether they ran or not.
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

    /// The worst verdict of all CPUs.
    cpu_verdict verdict() const noexcept;
    bool exclusive() const noexcept { return verdict() != cpu_verdict::soft; }
    /// Whether no intruder can have been missed: every switch on every CPU is known.
    bool certain() const noexcept;
};

} // namespace regatta
