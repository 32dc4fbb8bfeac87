// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Where the workers of a pool sleep, and who wakes them when there is a task.

#include <regatta/sync/atomics.hpp>
#include <regatta/sync/event_count.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace regatta::detail {

/// A wake gate for workers any of which will do for a task.
///
/// While one worker looks for a task, or is being woken to do so, a producer wakes no other: that
/// one will find the task, and when it has found one and sees a second, it wakes the next worker
/// itself. So a burst of tasks costs the producer one system call, and of many workers no more are
/// awake than find something.
///
/// Threads: any; a `search` belongs to one worker. Blocks: `commit_wait` only. Order: as
/// `event_count`. Cost: a notification while nobody sleeps is one load; while somebody sleeps and
/// another looks, a fence more. Source: the rule that the one who found wakes the next: D. Vyukov,
/// "Scalable Go scheduler design document", 2012.
///
/// I1 (no task is forgotten): after a task was appended and its notification has returned, a worker
///    looks for it that is awake, or is being woken, and may take it, unless all are busy; and if
///    the worker that looks finds another task, it wakes one more.
template<class Atomics>
class basic_worker_gate {
    /// One word for the few that work as long as there is little to do, one for all others.
    using gate_type = basic_event_count<Atomics, 2>;

public:
    using ticket = typename gate_type::ticket;
    using time_point = std::chrono::steady_clock::time_point;

    /// What one worker is at: whether it counts as looking for a task.
    class search {
    public:
        /// @param worker its number: of those that sleep one with a low number is woken.
        explicit search(unsigned worker = 0) noexcept : place_(worker % gate_type::places) {}

        /// Whether the worker counts as looking: `end` has something to do.
        bool on() const noexcept { return on_; }

    private:
        friend basic_worker_gate;
        const unsigned place_;
        bool on_ = false;
    };

    /// A task was appended, by a seq_cst operation: sees to it that a worker looks for it.
    void notify_one() noexcept {
        notify([] { return true; });
    }
    /// The same, for a task that perhaps not every worker may take.
    /// @param any_will_do whether every worker may; if not, all look. Who changes the answer, which
    /// it reads seq_cst, and then calls `notify_all`, may do so at any time.
    template<class AnyWillDo>
    void notify(AnyWillDo&& any_will_do) noexcept {
        if (!gate_.has_sleepers()) {
            return;
        }
        if (!any_will_do()) {
            gate_.notify_all();
            // seq_cst: partner is stop(). Either this sees that nobody looks any more, or whoever
            // stopped looking sees the task.
        } else if (searching_.load(std::memory_order_seq_cst) == 0 && !gate_.waking()) {
            gate_.notify_one();
        }
    }
    /// Something else has changed that every worker is to look at.
    void notify_all() noexcept {
        fence_.full(); // Partner: the fence in announce_wait().
        gate_.notify_all();
    }

    /// The worker has found nothing and goes on looking.
    void begin(search& mine) noexcept {
        if (!mine.on_) {
            mine.on_ = true;
            // relaxed: who sees it relies on stop(), which comes later.
            searching_.fetch_add(1, std::memory_order_relaxed);
        }
    }
    /// The worker stops looking: it has found a task, or does something else.
    /// @returns whether there is a further task, by `coming()`, which looks as `announce_wait`
    /// says; for that it is to notify another worker, since a producer may have relied on this one.
    template<class Coming>
    [[nodiscard]] bool end(search& mine, Coming&& coming) noexcept {
        if (!mine.on_) {
            return false;
        }
        stop(mine);
        return coming();
    }

    /// As `event_count`; the worker stops looking.
    [[nodiscard]] ticket prepare_wait(search& mine) noexcept {
        stop(mine);
        return gate_.prepare_wait();
    }
    /// The same without a system call, for a worker that then looks, seq_cst, whether a task is
    /// *coming*: was appended, or is just being appended. If none is, it may sleep. If one is, the
    /// worker calls `settle` before it looks whether the task is there.
    [[nodiscard]] ticket announce_wait(search& mine) noexcept {
        stop(mine);
        return gate_.announce_wait();
    }
    /// Between a look for what is coming and one for what is there: a producer that goes on to
    /// append after this, and to notify, sees the worker.
    void settle() noexcept { fence_.heavy(); }

    /// As `event_count`; the worker looks again.
    void cancel_wait(search& mine) noexcept {
        begin(mine);
        gate_.cancel_wait();
    }
    void commit_wait(search& mine, ticket t) noexcept {
        gate_.commit_wait(t, mine.place_);
        begin(mine);
    }
    bool commit_wait_until(search& mine, ticket t, time_point deadline) noexcept {
        const bool notified = gate_.commit_wait_until(t, deadline, mine.place_);
        begin(mine);
        return notified;
    }

private:
    void stop(search& mine) noexcept {
        if (std::exchange(mine.on_, false)) {
            // seq_cst: partner is the load in notify().
            searching_.fetch_sub(1, std::memory_order_seq_cst);
        }
    }

    gate_type gate_;
    /// Workers that are awake and look for a task. Written by them, read by those who notify while
    /// somebody sleeps.
    typename Atomics::template atomic<std::uint32_t> searching_{0};
    [[no_unique_address]] typename Atomics::fence fence_;
};

/// The worker gate of real programs.
using worker_gate = basic_worker_gate<std_atomics>;

} // namespace regatta::detail
