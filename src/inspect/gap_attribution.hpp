// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Giving each gap of a CPU its cause.

#include "inspect/tick_phase.hpp"
#include <regatta/inspect/gap_causes.hpp>
#include <regatta/inspect/gap_histogram.hpp>
#include <regatta/inspect/jitter.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace regatta::detail {

/// What came to a CPU in a stretch of time, as counters tell.
struct interruption_counts {
    std::uint64_t ticks = 0;
    std::uint64_t devices = 0;
    std::uint64_t interprocessor = 0; ///< And all other kinds.
    std::int64_t steal_ns = 0;
};

/// Joins the gaps of a CPU with what is known to have happened there.
///
/// A gap in which the scheduler took the CPU away is put down to the task that ran for the most of
/// it. Of the others those in the rhythm of the tick are ticks, as many as came. What is left is
/// matched by number within a short stretch: stolen time to the longest, then devices' interrupts,
/// then other CPUs', then timers. So tasks and ticks are told apart one by one, and the
/// others' sums are right, but not each of their gaps.
///
/// Threads: one. Failure: none. Cost: the gaps of two stretches, at first of a second's, are held;
/// of the longest 16 for good.
class gap_attribution {
public:
    /// @param traced whether `ran` is told of every task.
    explicit gap_attribution(bool traced, std::int64_t tick_ns = tick_period_ns())
        : traced_(traced)
        , phase_(tick_ns)
        , tick_ns_(tick_ns) {}

    /// Task number `who` had the CPU from `begin_ns` to `end_ns`, or nobody had it, and so the loop
    /// was held back; intervals come in the order of time.
    void ran(std::size_t who, gap_cause kind, std::int64_t begin_ns, std::int64_t end_ns);

    /// The loop found this gap; gaps come in the order of time, each after what ran in it.
    void add(const gap& one);

    /// Ends a stretch: what came since the last call.
    void settle(const interruption_counts& counts);

    /// Ends all of it.
    void finish();

    const gap_histogram& operator[](gap_cause cause) const noexcept;
    gap_histogram all() const noexcept;
    /// The longest gaps, the longest first.
    const std::vector<long_gap>& longest() const noexcept { return longest_; }

private:
    struct interval {
        std::int64_t begin_ns, end_ns;
        std::size_t task;
        gap_cause kind;
    };
    struct stretch {
        std::vector<gap> gaps; ///< Those in which no task ran.
        interruption_counts counts;
    };
    static constexpr std::size_t stretches_without_phase = 50;
    static constexpr std::size_t longest_kept = 16;
    /// Handling an interrupt takes less as a rule, being away from the machine more.
    static constexpr std::int64_t least_steal_ns = 50'000;

    void count(const gap& one, gap_cause cause, std::size_t who = 0);

    /// @returns false where a trace shows that nobody ran: the loop lost its CPU just before the
    /// gap, where it does not look.
    bool put_down_to_task(const gap& one);

    /// Takes one off, if there is one.
    static bool take(std::uint64_t& budget) noexcept;
    void resolve(stretch& now);

    bool traced_;
    tick_phase phase_;
    std::int64_t tick_ns_;
    std::deque<interval> intervals_;
    stretch current_;
    std::deque<stretch> stretches_;
    interruption_counts left_; ///< Came, and explains no gap yet.
    std::array<gap_histogram, gap_causes> histograms_{};
    std::vector<long_gap> longest_;
};

} // namespace regatta::detail
