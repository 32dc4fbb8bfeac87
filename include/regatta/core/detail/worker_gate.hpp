// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Where the workers of a pool sleep, and which of them a new task wakes.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/sync/atomics.hpp>
#include <regatta/sync/event_count.hpp>

#include <cstdint>
#include <utility>

namespace regatta::detail {

/// An event count for workers any of which can run a task.
///
/// While one worker looks for a task, or is being woken to do so, a producer wakes no other. The
/// worker that looks finds the task. If it then sees a second one, it wakes the next worker itself.
/// So a burst of tasks costs the producer one system call, and no more workers are awake than find
/// tasks.
///
/// Threads: any; a `search` belongs to one worker.
/// Blocks: `commit_wait` and `commit_wait_until` only.
/// Order: as `event_count`.
/// Cost: a notification is one load while no worker sleeps; while one sleeps and another looks,
/// two.
/// Source: a worker that found a task wakes the next: D. Vyukov, "Scalable Go scheduler design
/// document", 2012.
///
/// I1 (no task is forgotten): a task was appended and its notification has returned. Then all
///     workers are busy, or a worker that may take the task looks for it or is being woken to. If
///     that worker finds another task, it wakes one more.
template<class Atomics>
class basic_worker_gate {
    /// Two wake words: one for the few workers that run while there is little to do, one for the
    /// rest.
    using gate_type = basic_event_count<Atomics, 2>;

public:
    using ticket = typename gate_type::ticket;
    using time_point = std::chrono::steady_clock::time_point;

    /// The state of one worker: whether it counts as looking for a task.
    class search {
    public:
        /// @param worker its index. Of the sleeping workers, one with a low index is woken.
        explicit search(unsigned worker = 0) noexcept
            : bit_(bit_of(worker))
            , place_(worker % gate_type::places) {}

        /// Whether the worker counts as looking; if not, `end` does nothing.
        bool on() const noexcept { return on_; }

    private:
        friend basic_worker_gate;
        const std::uint64_t bit_; ///< In `asleep_`.
        const unsigned place_;
        bool on_ = false;
    };

    /// Who may take a task.
    enum class takers {
        any,   ///< Every worker.
        owner, ///< One worker alone.
        some   ///< It is not known which: all look.
    };

    /// Ensures that a worker looks for a task that was appended by a seq_cst operation.
    void notify_one() noexcept {
        notify([] { return true; });
    }
    /// The same, for a task that some workers may not take.
    /// @param any_will_do whether every worker may take it; if not, all look. It reads its answer
    /// seq_cst. A thread may change the answer at any time if it then calls `notify_all`.
    template<class AnyWillDo>
    void notify(AnyWillDo&& any_will_do) noexcept {
        notify([&] { return any_will_do() ? takers::any : takers::some; }, 0);
    }
    /// The same. @param who says who may take the task, under the same conditions.
    /// @param owner the worker that alone may take it, if so. It wakes no other.
    template<class Who>
    REGATTA_INLINE void notify(Who&& who, unsigned owner) noexcept {
        if (gate_.has_sleepers()) {
            notify_sleepers(who, owner);
        }
    }
    /// Whether a worker sleeps, or is about to wake. Of those after the 63rd, which share a bit,
    /// that is not known: false. The caller has made a full fence since what it is to tell of, and
    /// so does the worker before it looks.
    bool sleeps(unsigned worker) const noexcept {
        return worker < last_bit && gate_.has_sleepers() && has_bit(worker);
    }
    /// Wakes one worker if it sleeps, whatever the others do. @returns what `sleeps` does.
    bool wake(unsigned worker) noexcept {
        return gate_.has_sleepers() && has_bit(worker) &&
               gate_.notify_at(worker % gate_type::places) && worker < last_bit;
    }
    /// Wakes every worker: something other than a single task has changed.
    REGATTA_APART void notify_all() noexcept {
        fence_.full(); // Partner: the fence in announce_wait().
        gate_.notify_all();
    }

    /// The worker has found nothing and continues to look.
    void begin(search& mine) noexcept {
        if (!mine.on_) {
            mine.on_ = true;
            // relaxed: a producer that sees it relies on stop(), which comes later.
            searching_.fetch_add(1, std::memory_order_relaxed);
        }
    }
    /// The worker stops looking: it has found a task, or does something else.
    /// @returns whether another one sleeps and `coming()` sees a further task; it looks as
    /// `announce_wait` requires. The worker then notifies another one, since a producer may have
    /// relied on it. If none sleeps, each that will announces that after this, and sees the task.
    template<class Coming>
    [[nodiscard]] bool end(search& mine, Coming&& coming) noexcept {
        if (!mine.on_) {
            return false;
        }
        stop(mine);
        return gate_.has_sleepers_now() && coming();
    }

    /// As `event_count`; the worker stops looking.
    [[nodiscard]] ticket prepare_wait(search& mine) noexcept {
        stop(mine);
        lie_down(mine);
        return gate_.prepare_wait();
    }
    /// The same without a system call. The worker then looks, seq_cst, whether a task is *coming*:
    /// appended or being appended. If none is, it may sleep. If one is, it calls `settle` before it
    /// looks whether the task is there.
    [[nodiscard]] ticket announce_wait(search& mine) noexcept {
        stop(mine);
        lie_down(mine);
        return gate_.announce_wait();
    }
    /// Called between the look for a coming task and the look for one that is there. A producer
    /// that appends and notifies after this call sees the worker.
    void settle() noexcept { fence_.heavy(); }

    /// As `event_count`; the worker looks again.
    void cancel_wait(search& mine) noexcept {
        begin(mine);
        gate_.cancel_wait();
        get_up(mine);
    }
    void commit_wait(search& mine, ticket t) noexcept {
        gate_.commit_wait(t, mine.place_);
        begin(mine);
        get_up(mine);
    }
    bool commit_wait_until(search& mine, ticket t, time_point deadline) noexcept {
        const bool notified = gate_.commit_wait_until(t, deadline, mine.place_);
        begin(mine);
        get_up(mine);
        return notified;
    }

private:
    template<class Who>
    REGATTA_APART void notify_sleepers(Who& who, unsigned owner) noexcept {
        switch (who()) {
        case takers::any:
            // seq_cst: partner is stop(). Either this sees that no worker looks any more, or the
            // worker that stopped looking sees the task.
            if (searching_.load(std::memory_order_seq_cst) == 0 && !gate_.waking()) {
                gate_.notify_one();
            }
            break;
        case takers::owner:
            // relaxed: if has_sleepers() has seen the worker's announcement, it has acquired its
            // bit. If not, the worker sees the task. After prepare_wait() the fences of both sides
            // decide the same.
            if (has_bit(owner)) {
                gate_.notify_at(owner % gate_type::places);
            }
            break;
        case takers::some:
            gate_.notify_all();
        }
    }
    void stop(search& mine) noexcept {
        if (std::exchange(mine.on_, false)) {
            // seq_cst: partner is the load in notify().
            searching_.fetch_sub(1, std::memory_order_seq_cst);
        }
    }

    /// The bit of a worker in `asleep_`. The workers after the 63rd have one together, which stays
    /// on once one of them has slept.
    static constexpr unsigned last_bit = 63;
    static constexpr std::uint64_t bit_of(unsigned worker) noexcept {
        return std::uint64_t{1} << (worker < last_bit ? worker : last_bit);
    }
    /// The worker is about to announce its sleep.
    void lie_down(const search& mine) noexcept {
        // relaxed: the announcement publishes it; partner is the load in has_sleepers().
        asleep_.fetch_or(mine.bit_, std::memory_order_relaxed);
    }
    bool has_bit(unsigned worker) const noexcept {
        // relaxed: see notify(); after the worker has cleared its bit the two fences decide.
        return (asleep_.load(std::memory_order_relaxed) & bit_of(worker)) != 0;
    }
    void get_up(const search& mine) noexcept {
        if (mine.bit_ != bit_of(last_bit)) {
            // relaxed: who still sees the bit wakes nobody.
            asleep_.fetch_and(~mine.bit_, std::memory_order_relaxed);
        }
    }

    /// The number of workers that are awake and look for a task. Written by them, read by notifiers
    /// while a worker sleeps. Not beside what notifiers read at every task.
    alignas(destructive_alignment) typename Atomics::template atomic<std::uint32_t> searching_{0};
    [[no_unique_address]] typename Atomics::fence fence_;
    /// The workers that sleep or are about to; see `bit_of`. Written by them, read by notifiers of
    /// a task for one worker.
    typename Atomics::template atomic<std::uint64_t> asleep_{0};
    /// Last, with room behind it on its line: whoever has the gate as a member may put there what
    /// notifiers and workers read at every task, too.
    alignas(destructive_alignment) [[no_unique_address]] gate_type gate_;
};

/// The worker gate of real programs.
using worker_gate = basic_worker_gate<std_atomics>;

} // namespace regatta::detail
