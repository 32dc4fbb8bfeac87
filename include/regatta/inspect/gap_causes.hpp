// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Giving each gap of a CPU its cause.

#include "inspect/tick_phase.hpp"
#include <regatta/inspect/gap_histogram.hpp>
#include <regatta/inspect/interrupt_counts.hpp>
#include <regatta/inspect/jitter.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta {

/// Why the gap loop did not run.
enum class gap_cause : std::uint8_t {
    user_task,      ///< A task of a user; which one is known only with a switch trace.
    kernel_thread,  ///< A thread of the kernel.
    checker,        ///< The check itself.
    held_back,      ///< No task: the loop was stopped, or its CPU quota was used up.
    tick,           ///< The CPU's own timer.
    device,         ///< Interrupts of devices.
    interprocessor, ///< Interrupts of other CPUs.
    steal,          ///< The hypervisor ran somebody else.
    unexplained     ///< The hypervisor without saying so, the firmware, the hardware.
};
inline constexpr std::size_t gap_causes = 9;

constexpr std::string_view to_string(gap_cause cause) noexcept {
    constexpr std::array<std::string_view, gap_causes> names = {
        "task",   "kernel_thread",  "checker", "held_back",  "tick",
        "device", "interprocessor", "steal",   "unexplained"};
    return names[static_cast<std::size_t>(cause)];
}

/// One of the longest gaps.
struct long_gap {
    std::int64_t start_ns = 0; ///< Steady clock.
    std::int64_t length_ns = 0;
    gap_cause cause = gap_cause::unexplained;
    std::size_t task =
        0; ///< Who ran for the most of it, where the cause is one; as given to `ran`.
};

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
    explicit gap_attribution(bool traced, std::int64_t tick_ns = detail::tick_period_ns())
        : traced_(traced)
        , phase_(tick_ns)
        , tick_ns_(tick_ns) {}

    /// Task number `who` had the CPU from `begin_ns` to `end_ns`, or nobody had it, and so the loop
    /// was held back; intervals come in the order of time.
    void ran(std::size_t who, gap_cause kind, std::int64_t begin_ns, std::int64_t end_ns) {
        intervals_.push_back({begin_ns, end_ns, who, kind});
    }

    /// The loop found this gap; gaps come in the order of time, each after what ran in it.
    void add(const gap& one) {
        while (!intervals_.empty() && intervals_.front().end_ns <= one.start_ns) {
            intervals_.pop_front();
        }
        if (one.displaced && put_down_to_task(one)) {
            return;
        }
        phase_.add(one.start_ns);
        current_.gaps.push_back(one);
    }

    /// Ends a stretch: what came since the last call.
    void settle(const interruption_counts& counts) {
        current_.counts = counts;
        stretches_.push_back(std::exchange(current_, {}));
        // The newest one waits: what its last gap was may be counted in the next stretch only.
        while (stretches_.size() > 1 &&
               (phase_.known() || stretches_.size() > stretches_without_phase)) {
            resolve(stretches_.front());
            stretches_.pop_front();
        }
    }

    /// Ends all of it.
    void finish() {
        for (stretch& one : stretches_) {
            resolve(one);
        }
        stretches_.clear();
        resolve(current_);
        current_ = {};
    }

    const gap_histogram& operator[](gap_cause cause) const noexcept {
        return histograms_[static_cast<std::size_t>(cause)];
    }
    gap_histogram all() const noexcept {
        gap_histogram sum;
        for (const gap_histogram& one : histograms_) {
            sum += one;
        }
        return sum;
    }
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

    void count(const gap& one, gap_cause cause, std::size_t who = 0) {
        histograms_[static_cast<std::size_t>(cause)].add(one.length_ns);
        if (longest_.size() == longest_kept && longest_.back().length_ns >= one.length_ns) {
            return;
        }
        const long_gap made{one.start_ns, one.length_ns, cause, who};
        longest_.insert(std::upper_bound(longest_.begin(), longest_.end(), made,
                                         [](const long_gap& a, const long_gap& b) {
                                             return a.length_ns > b.length_ns;
                                         }),
                        made);
        if (longest_.size() > longest_kept) {
            longest_.pop_back();
        }
    }

    /// @returns false where a trace shows that nobody ran: the loop lost its CPU just before the
    /// gap, where it does not look.
    bool put_down_to_task(const gap& one) {
        const interval* most = nullptr;
        std::int64_t most_ns = 0;
        for (const interval& ran : intervals_) {
            const std::int64_t shared =
                std::min(ran.end_ns, one.end_ns()) - std::max(ran.begin_ns, one.start_ns);
            if (shared > most_ns) {
                most = &ran;
                most_ns = shared;
            }
        }
        if (most != nullptr) {
            count(one, most->kind, most->task);
        } else if (!traced_) {
            count(one, gap_cause::user_task);
        }
        return most != nullptr || !traced_;
    }

    /// Takes one off, if there is one.
    static bool take(std::uint64_t& budget) noexcept {
        const bool had = budget > 0;
        budget -= had ? 1 : 0;
        return had;
    }

    void resolve(stretch& now) {
        // What was counted too late for the gaps of the stretch before, but nothing older.
        left_.ticks += now.counts.ticks;
        left_.devices += now.counts.devices;
        left_.interprocessor += now.counts.interprocessor;
        left_.steal_ns += now.counts.steal_ns;

        std::erase_if(now.gaps, [&](const gap& one) {
            const bool tick =
                phase_.matches(one.start_ns) && one.length_ns < tick_ns_ / 2 && take(left_.ticks);
            if (tick) {
                count(one, gap_cause::tick);
            }
            return tick;
        });
        std::sort(now.gaps.begin(), now.gaps.end(),
                  [](const gap& a, const gap& b) { return a.length_ns > b.length_ns; });
        for (const gap& one : now.gaps) {
            if (one.length_ns >= least_steal_ns && left_.steal_ns > 0) {
                left_.steal_ns -= one.length_ns;
                count(one, gap_cause::steal);
            } else if (take(left_.devices)) {
                count(one, gap_cause::device);
            } else if (take(left_.interprocessor)) {
                count(one, gap_cause::interprocessor);
            } else if (one.length_ns < tick_ns_ / 2 && take(left_.ticks)) {
                count(one, gap_cause::tick);
            } else {
                count(one, gap_cause::unexplained);
            }
        }
        left_.ticks = std::min(left_.ticks, now.counts.ticks);
        left_.devices = std::min(left_.devices, now.counts.devices);
        left_.interprocessor = std::min(left_.interprocessor, now.counts.interprocessor);
        left_.steal_ns = std::clamp<std::int64_t>(left_.steal_ns, 0, now.counts.steal_ns);
    }

    bool traced_;
    detail::tick_phase phase_;
    std::int64_t tick_ns_;
    std::deque<interval> intervals_;
    stretch current_;
    std::deque<stretch> stretches_;
    interruption_counts left_; ///< Came, and explains no gap yet.
    std::array<gap_histogram, gap_causes> histograms_{};
    std::vector<long_gap> longest_;
};

} // namespace regatta
