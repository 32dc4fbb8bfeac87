// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Attributing each gap of a CPU to a cause.

#include "inspect/tick_phase.hpp"
#include <regatta/inspect/jitter.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace regatta::detail {

/// The interruptions of a CPU in a stretch of time, by counter.
struct interruption_counts {
    std::uint64_t ticks = 0;
    std::uint64_t devices = 0;
    std::uint64_t interprocessor = 0; ///< And all other kinds.
    std::int64_t steal_ns = 0;
    std::int64_t read_ns = INT64_MAX; ///< Not later than the counts were read.
};

/// Joins the gaps of a CPU with the events that are known to have happened there.
///
/// A gap in which the scheduler took the CPU away is attributed to the task that ran for most of
/// it. Among the others, gaps in the rhythm of the tick are ticks, up to the number that was
/// counted. The rest is matched by count within a short stretch: stolen time to the longest gaps,
/// then interrupts of devices, of other CPUs, of timers. So tasks and ticks are attributed one by
/// one. Of the other causes the sums are right, but not each gap.
///
/// Threads: one.
/// Failure: none.
/// Cost: holds the gaps of two stretches, at first those of one second, and always the 16 longest;
///     and the tasks that ran in two stretches.
class gap_attribution {
public:
    /// @param traced whether `ran` is called for every task.
    explicit gap_attribution(bool traced, std::int64_t tick_ns = tick_period_ns())
        : traced_(traced)
        , phase_(tick_ns)
        , tick_ns_(tick_ns) {}

    /// Records that task number `who` had the CPU from `begin_ns` to `end_ns`, or that no task had
    /// it and the loop was held back. Intervals come in order of time.
    void ran(std::size_t who, gap_cause kind, std::int64_t begin_ns, std::int64_t end_ns);

    /// Records that the loop had the CPU again from `begin_ns` on, for long enough to read the
    /// clock. Gaps before that are added before the second `settle` from now.
    void looped(std::int64_t begin_ns) noexcept { looped_ns_ = begin_ns; }

    /// Adds a gap of the loop. Gaps come in order of time, each after the intervals inside it.
    void add(const gap& one);

    /// Ends a stretch.
    /// @param counts interruptions since the last call.
    void settle(const interruption_counts& counts);

    /// Ends the last stretch and attributes all gaps.
    void finish();

    const gap_histogram& operator[](gap_cause cause) const noexcept;
    gap_histogram all() const noexcept;
    /// The longest gaps, in descending order.
    const std::vector<long_gap>& longest() const noexcept { return longest_; }

private:
    struct interval {
        std::int64_t begin_ns, end_ns;
        std::size_t task;
        gap_cause kind;
    };
    struct stretch {
        std::vector<gap> gaps; ///< Gaps in which no task ran.
        interruption_counts counts;
    };
    static constexpr std::size_t stretches_without_phase = 50;
    static constexpr std::size_t longest_kept = 16;
    /// Interrupt handlers usually take less than this, stolen time more.
    static constexpr std::int64_t least_steal_ns = 50'000;

    /// Drops the intervals that ended by then.
    void forget_until(std::int64_t time_ns);
    void count(const gap& one, gap_cause cause, std::size_t who = 0);

    /// Attributes a gap to the task that ran in it.
    /// @returns false if a trace shows that no task ran: the loop lost its CPU just before the gap,
    /// where it does not look.
    bool put_down_to_task(const gap& one);

    /// Decrements a budget; false if it is 0.
    static bool take(std::uint64_t& budget) noexcept;

    /// Attributes the gaps of a stretch. One that ended so late that its cause may be counted only
    /// in the next stretch, if there is one, waits for that: stolen time is counted at the tick
    /// after it.
    void resolve(stretch& now, stretch* next);

    bool traced_;
    tick_phase phase_;
    std::int64_t tick_ns_;
    std::deque<interval> intervals_;
    std::int64_t looped_ns_ = 0; ///< No later gap begins before it,
    std::int64_t told_ns_ = 0;   ///< and no gap that is yet to be added before this.
    stretch current_;
    std::deque<stretch> stretches_;
    interruption_counts left_; ///< Counted, but not yet matched to a gap.
    std::array<gap_histogram, gap_causes> histograms_{};
    std::vector<long_gap> longest_;
};

} // namespace regatta::detail
