// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Detects that a pool has nothing left to do, without a counter that every task changes.

#include <regatta/sync/atomics.hpp>

#include <cstdint>

namespace regatta::detail {

/// The number of tasks that one worker is done with.
/// Threads: `add` by that worker, `get` by any.
template<class Atomics>
class basic_task_count {
public:
    void add() noexcept {
        // release: partner is the acquire in get(); publishes what the task did and submitted.
        count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    std::uint64_t get() const noexcept { return count_.load(std::memory_order_acquire); }

private:
    /// Written by the worker, read by all.
    typename Atomics::template atomic<std::uint64_t> count_{0};
};

/// Tells whether a pool is idle or has ended, from the counts of its workers and queues.
///
/// Four counts account for all tasks. The queues count the appended tasks; each worker counts those
/// that it is done with. This class counts the tasks that other threads dropped, and those that
/// wait for all the others.
///
/// Threads: any.
/// Blocks: never.
/// Cost: a query reads the count of each worker and queue. A task costs its worker one plain store.
///
/// I1: `idle` is true only if, at some moment since the call, every appended task was done. Tasks
///     that wait are left out if asked for.
/// I2: `ended` is true only if the pool was closed and no task is left or can come.
template<class Atomics>
class basic_task_census {
public:
    /// A task begins to wait for the others. @returns how many tasks waited before.
    std::uint64_t begin_wait() noexcept {
        // release: partner is the acquire in idle(); publishes what the task submitted before.
        return waiting_.fetch_add(1, std::memory_order_release);
    }
    void end_wait() noexcept { waiting_.fetch_sub(1, std::memory_order_relaxed); }
    bool anybody_waits() const noexcept {
        // relaxed: a task that begins to wait later also looks later. The caller's notification
        // orders it.
        return waiting_.load(std::memory_order_relaxed) != 0;
    }

    /// Counts a task that another thread than a worker's destroyed unrun.
    void add_dropped() noexcept {
        // release: partner is the acquire in dropped(); publishes that the task had been appended.
        dropped_.fetch_add(1, std::memory_order_release);
    }
    std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_acquire); }

    /// The queues are closed to tasks from outside, and `closed` tells it.
    void close() noexcept { closed_.store(true, std::memory_order_relaxed); }
    /// After `close`: who did not see the pool closed is in the counts by now, so `ended` may say
    /// that none can come.
    void seal() noexcept {
        // release: partner is the acquire in ended(); publishes that the queues are closed.
        sealed_.store(true, std::memory_order_release);
    }
    /// Whether `close` was called. A hint: may be stale.
    bool closed() const noexcept { return closed_.load(std::memory_order_relaxed); }

    /// Whether every task is done. `but_for_waiting` leaves out the tasks that wait for the others.
    ///
    /// No count ever shrinks but that of waiting tasks, which is read between the others. So equal
    /// sums were equal at the moment of that read.
    /// @param completed returns the sum over the workers.
    /// @param appended returns the sum over the queues.
    template<class Completed, class Appended>
    bool idle(bool but_for_waiting, Completed&& completed, Appended&& appended) const noexcept {
        std::uint64_t done = completed() + dropped();
        if (but_for_waiting) {
            // acquire: partner is the release in begin_wait().
            done += waiting_.load(std::memory_order_acquire);
        }
        return done == appended();
    }
    /// Whether the pool was closed and sealed, every task is done and none can come.
    /// @param idle_now returns whether every task is done, and nobody is left who may submit one.
    template<class Idle>
    bool ended(Idle&& idle_now) const noexcept {
        // acquire: partner is the release in seal().
        if (!sealed_.load(std::memory_order_acquire)) {
            return false;
        }
        // acquire: partner is the release below; publishes what idle_now() has acquired.
        if (ended_.load(std::memory_order_acquire)) {
            return true;
        }
        const bool now = idle_now();
        if (now) {
            ended_.store(true, std::memory_order_release);
        }
        return now;
    }

private:
    // All of these change rarely. So they may be beside what is read at every task.
    /// Tasks that wait for the others. Written by them, read by all.
    typename Atomics::template atomic<std::uint64_t> waiting_{0};
    /// Tasks that were dropped. Written by the dropping threads, read by all.
    typename Atomics::template atomic<std::uint64_t> dropped_{0};
    /// Written once by the closing thread, read by all.
    typename Atomics::template atomic<bool> closed_{false};
    /// Written once by the closing thread, read by workers before each rest.
    typename Atomics::template atomic<bool> sealed_{false};
    /// Whether `ended` was true once: one worker counts, not each. Written and read by workers of a
    /// closed pool. Hooks at their end may still submit tasks: their workers run them.
    mutable typename Atomics::template atomic<bool> ended_{false};
};

/// The counts with the atomics of real programs.
using task_count = basic_task_count<std_atomics>;
using task_census = basic_task_census<std_atomics>;

} // namespace regatta::detail
