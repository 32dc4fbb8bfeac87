// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How many more tasks a bounded pool may queue.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/sync/atomics.hpp>
#include <regatta/sync/event_count.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace regatta::detail {

/// Counts the room of a bounded pool. A pool without a limit always has room.
///
/// A producer takes room before it queues a task. The worker that takes the task gives the room
/// back.
///
/// Threads: any.
/// Blocks: only `wait`.
/// Cost: a read-modify-write each way if there is a limit, nothing otherwise.
///
/// I1: room taken minus room given back never exceeds the capacity, but by what was taken again; no
///     room is lost.
/// I2: a waiting producer does not sleep through `tell_closed`, nor through half of the room being
///     free.
template<class Atomics>
class basic_pool_room {
public:
    /// @param capacity queued tasks at most; 0: no limit.
    explicit basic_pool_room(std::size_t capacity) noexcept
        : capacity_(capacity)
        , left_(static_cast<std::ptrdiff_t>(
              std::min(capacity, std::size_t{std::numeric_limits<std::ptrdiff_t>::max()}))) {}

    std::size_t capacity() const noexcept { return capacity_; }

    /// Takes room for up to `count` tasks. @returns for how many; 0: the pool is full.
    std::size_t take(std::size_t count) noexcept {
        if (capacity_ == 0) {
            return count;
        }
        // relaxed, all: the number stands for itself; the queue carries the order.
        std::ptrdiff_t left = left_.load(std::memory_order_relaxed);
        while (left > 0) {
            const std::size_t taken = std::min(static_cast<std::size_t>(left), count);
            if (left_.compare_exchange_weak(left, left - static_cast<std::ptrdiff_t>(taken),
                                            std::memory_order_relaxed, std::memory_order_relaxed)) {
                return taken;
            }
        }
        return 0;
    }
    /// Takes room again that a task gave back, also where another one has it by now, as long as no
    /// more than `most` are taken beyond the capacity. Until they are given back nobody else gets
    /// any. @returns whether the caller holds room.
    bool take_again(std::size_t most) noexcept {
        if (capacity_ == 0) {
            return true;
        }
        // relaxed, all: as in take().
        std::ptrdiff_t left = left_.load(std::memory_order_relaxed);
        while (left > -static_cast<std::ptrdiff_t>(most)) {
            if (left_.compare_exchange_weak(left, left - 1, std::memory_order_relaxed,
                                            std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }
    /// Gives back the room of `count` tasks.
    void give(std::size_t count) noexcept {
        if (capacity_ != 0 && count != 0) {
            give_back(count);
        }
    }
    /// Waits until there is room for a task and takes it, or until `closed()` holds, at most until
    /// `deadline` (null: none).
    /// @returns whether the caller holds room.
    template<class Closed>
    bool wait(Closed&& closed, const std::chrono::steady_clock::time_point* deadline = nullptr) {
        bool taken = false;
        const auto done = [&] {
            taken = taken || take(1) != 0;
            return taken || closed();
        };
        // give() notifies only when half of the room is free. If a task waits for this caller, no
        // more room may ever become free.
        static_cast<void>(gate_.wait_and_look_until(done, deadline));
        return taken;
    }
    /// Makes waiting producers check again: the pool is closed.
    void tell_closed() noexcept { gate_.notify_all(); }

private:
    REGATTA_RARE void give_back(std::size_t count) noexcept {
        // relaxed: as in take(). It wakes producers only when half of the room is free: a wake-up
        // per task would cost two context switches per task.
        const auto given = static_cast<std::ptrdiff_t>(count);
        const std::ptrdiff_t left = left_.fetch_add(given, std::memory_order_relaxed) + given;
        if (left >= static_cast<std::ptrdiff_t>(capacity_ - capacity_ / 2)) {
            gate_.notify_all();
        }
    }

    const std::size_t capacity_;
    /// Free room; below 0 if room was taken again that another task has. Written and read by
    /// producers and workers.
    alignas(destructive_alignment) typename Atomics::template atomic<std::ptrdiff_t> left_;
    basic_event_count<Atomics> gate_; ///< Where producers sleep that wait for room.
};

/// The room of real pools.
using pool_room = basic_pool_room<std_atomics>;

} // namespace regatta::detail
