// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a check of CPUs found: who ran there, what came between, and so whose they are.

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

/// Whose a CPU is.
enum class cpu_verdict : std::uint8_t {
    soft,      ///< Others ran there, too.
    exclusive, ///< Nobody but the owner ran there, and threads of the kernel.
    quiet      ///< Exclusive, and the scheduler's tick came at most once a second.
};

constexpr std::string_view to_string(cpu_verdict verdict) noexcept {
    return verdict == cpu_verdict::soft        ? "soft"
           : verdict == cpu_verdict::exclusive ? "exclusive"
                                               : "quiet";
}

/// What a task has to do with a check.
enum class task_role : std::uint8_t {
    intruder, ///< It should not be there.
    owner,    ///< It belongs to an owner of the CPU or a descendant of one, or to who checks.
    kernel,   ///< A thread of the kernel.
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
    int pid = 0; ///< 0: somebody ran, but nothing tells who.
    int tid = 0;
    std::string name; ///< Empty: it ended before anything could name it.
    task_role role = task_role::intruder;
    std::int64_t time_ns = 0;
    std::int64_t longest_ns = 0;   ///< At a time; 0 where only sums are known.
    std::uint64_t turns = 0;       ///< How often it got the CPU; 0 where nothing tells.
    std::uint64_t preemptions = 0; ///< How often it lost the CPU although it was ready to go on.
};

/// The gaps of the loop that ran on a CPU.
struct REGATTA_SYSTEM_API gap_report {
    std::int64_t threshold_ns = 0; ///< Shorter ones do not count.
    std::uint64_t reads = 0;       ///< Of the clock.
    std::int64_t shortest_ns = 0;  ///< Between two reads.
    gap_histogram all;
    std::array<gap_histogram, gap_causes> by_cause{};
    std::vector<long_gap> longest; ///< `task` is an index into `cpu_check::tasks`, if it is one.
    std::uint64_t dropped = 0;     ///< Gaps for which there was no room; they are in no histogram.

    const gap_histogram& operator[](gap_cause cause) const noexcept;
};

/// What was found on one CPU.
struct REGATTA_SYSTEM_API cpu_check {
    unsigned cpu = 0;
    std::int64_t begin_ns = 0; ///< Steady clock.
    std::int64_t end_ns = 0;
    /// Whether the kernel told of every switch there. Otherwise times of tasks are estimates from
    /// what /proc said now and then.
    bool traced = false;
    std::optional<gap_report> gaps;   ///< Where a gap loop ran.
    std::vector<task_presence> tasks; ///< Intruders first, then by the time they took.
    /// How often another task got the CPU; without a trace, how often the gap loop lost it.
    std::uint64_t switches = 0;
    std::uint64_t lost_records = 0; ///< Of the trace: switches that nobody will know of.
    std::vector<interrupt_count> interrupts;
    std::vector<interrupt_count> soft_interrupts;
    std::optional<std::int64_t> steal_ns;
    /// Tasks of others that are allowed to run there, whether they did or not.
    std::uint64_t allowed_tasks = 0;
    std::vector<std::string> notes; ///< What could not be done here, and why.

    std::int64_t elapsed_ns() const noexcept { return end_ns - begin_ns; }

    /// Intruders come first in `tasks`.
    bool intruded() const noexcept;
    std::int64_t time_of(task_role role) const noexcept;
    std::uint64_t interrupts_of(interrupt_kind kind) const noexcept;
    double ticks_a_second() const noexcept;
    cpu_verdict verdict() const noexcept;
};

/// What a check found.
struct REGATTA_SYSTEM_API exclusivity_report {
    std::vector<cpu_check> cpus;    ///< In rising order.
    std::vector<std::string> notes; ///< What could not be seen, and what would be needed for it.
    bool stopped = false;           ///< Ended before its time, because it was asked to.
    /// False in a PID namespace of its own: tasks outside of it have no number there.
    bool sees_all_tasks = true;

    /// The worst of all CPUs.
    cpu_verdict verdict() const noexcept;
    bool exclusive() const noexcept { return verdict() != cpu_verdict::soft; }
    /// Whether an intruder could not have gone unseen: every switch on every CPU is known.
    bool certain() const noexcept;
};

} // namespace regatta
