// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Knowing when a pool has nothing left to do, without a counter that every task changes.

#include <regatta/base/cache_line.hpp>
#include <regatta/sync/atomics.hpp>

#include <cstdint>

namespace regatta::detail {

/// How many tasks one worker is done with. Threads: `add` by that worker, `get` by any.
template<class Atomics>
class basic_task_count {
public:
    void add() noexcept {
        // release: partner is the acquire in get(): what the task did, and that it submitted
        // others.
        count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    std::uint64_t get() const noexcept { return count_.load(std::memory_order_acquire); }

private:
    /// Written by the worker, read by all.
    typename Atomics::template atomic<std::uint64_t> count_{0};
};

/// Tells whether a pool is idle and whether it has ended, from what its workers and queues count.
///
/// Tasks are accounted for in four places: the queues count those that were appended, each worker
/// those that it is done with, and this those that were dropped by somebody else and those that
/// wait for all the others.
///
/// Threads: any. Blocks: never. Cost: reading is one look at each worker and queue; a task costs
/// its worker one plain store.
///
/// I1: `idle` is true only if at some moment since the call every task that had been appended was
///     done, those that wait left out if asked for.
/// I2: `ended` is true only if the pool was closed and no task is left or will come.
template<class Atomics>
class basic_task_census {
public:
    /// So many tasks begin to wait for the others. @returns how many others do.
    std::uint64_t begin_wait(std::uint64_t count = 1) noexcept {
        // release: partner is the acquire in idle(): what the tasks submitted before.
        return waiting_.fetch_add(count, std::memory_order_release);
    }
    void end_wait(std::uint64_t count = 1) noexcept {
        waiting_.fetch_sub(count, std::memory_order_relaxed);
    }
    bool anybody_waits() const noexcept {
        // relaxed: whoever begins later looks later; the notification of the caller orders it.
        return waiting_.load(std::memory_order_relaxed) != 0;
    }

    /// A task was destroyed unrun, not by a worker.
    void add_dropped() noexcept {
        // release: partner is the acquire in dropped(): that it had been appended.
        dropped_.fetch_add(1, std::memory_order_release);
    }
    std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_acquire); }

    /// The queues are closed to tasks from outside.
    void close() noexcept {
        // release: partner is the acquire in ended(); that the queues are closed.
        closed_.store(true, std::memory_order_release);
    }
    /// Whether `close` was called; a hint.
    bool closed() const noexcept { return closed_.load(std::memory_order_relaxed); }

    /// Whether every task is done, but for those that wait for the others if these may be left out.
    ///
    /// None of the figures ever shrinks but that of the waiting, which is read in between: if the
    /// sums are equal they were so at the moment when that was read.
    /// @param completed the sum over the workers. @param appended that over the queues.
    template<class Completed, class Appended>
    bool idle(bool but_for_waiting, Completed&& completed, Appended&& appended) const noexcept {
        std::uint64_t done = completed() + dropped();
        if (but_for_waiting) {
            // acquire: partner is the release in begin_wait().
            done += waiting_.load(std::memory_order_acquire);
        }
        return done == appended();
    }
    /// Whether the pool was closed, every task is done and none will come.
    template<class Completed, class Appended>
    bool ended(Completed&& completed, Appended&& appended) const noexcept {
        // acquire: partner is the release in close().
        return closed_.load(std::memory_order_acquire) && idle(false, completed, appended);
    }

private:
    /// Tasks that wait for the others. Written by them, read by all.
    alignas(destructive_alignment) typename Atomics::template atomic<std::uint64_t> waiting_{0};
    /// Tasks that were dropped. Written by who drops, read by all.
    typename Atomics::template atomic<std::uint64_t> dropped_{0};
    /// Written once by who closes, read by workers before each task.
    alignas(destructive_alignment) typename Atomics::template atomic<bool> closed_{false};
};

/// Those of real pools.
using task_count = basic_task_count<std_atomics>;
using task_census = basic_task_census<std_atomics>;

} // namespace regatta::detail
