// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How many tasks a bounded pool has room for.

#include <regatta/base/cache_line.hpp>
#include <regatta/sync/atomics.hpp>
#include <regatta/sync/event_count.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace regatta::detail {

/// Counts the room of a pool that takes a limited number of waiting tasks; one without a limit
/// always has room.
///
/// A task takes room before it is queued and gives it back when a worker takes it. Threads: any.
/// Blocks: `wait` only. Cost: a read-modify-write each way if there is a limit, nothing otherwise.
///
/// I1: never is more room taken, less what was given back, than the capacity; none is lost.
/// I2: whoever waits sleeps through neither half of the room being free nor `tell_closed`.
template<class Atomics>
class basic_pool_room {
public:
    /// @param capacity tasks that wait at most; 0: no limit.
    explicit basic_pool_room(std::size_t capacity) noexcept
        : capacity_(capacity)
        , left_(capacity) {}

    std::size_t capacity() const noexcept { return capacity_; }

    /// Takes room for up to `count` tasks. @returns for how many; 0: it is full.
    std::size_t take(std::size_t count) noexcept {
        if (capacity_ == 0) {
            return count;
        }
        // relaxed, all: a number that stands for itself; the queue carries the order.
        std::size_t left = left_.load(std::memory_order_relaxed);
        while (left != 0) {
            const std::size_t taken = std::min(left, count);
            if (left_.compare_exchange_weak(left, left - taken, std::memory_order_relaxed,
                                            std::memory_order_relaxed)) {
                return taken;
            }
        }
        return 0;
    }
    /// Gives the room of so many tasks back.
    void give(std::size_t count) noexcept {
        if (capacity_ != 0 && count != 0) {
            give_back(count);
        }
    }
    /// Waits until there is room for a task and takes it, or until `closed()` holds.
    /// @returns whether the caller has it.
    template<class Closed>
    bool wait(Closed&& closed) {
        bool taken = false;
        const auto done = [&] {
            taken = taken || take(1) != 0;
            return taken || closed();
        };
        // It is told of half the room. A task may be waiting for this very caller, though, and then
        // there will not be more than there is: so it looks by itself, too.
        while (!gate_.wait_until(done, std::chrono::steady_clock::now() + look_again)) {
        }
        return taken;
    }
    /// Has those look again who wait: the pool was closed.
    void tell_closed() noexcept { gate_.notify_all(); }

private:
    void give_back(std::size_t count) noexcept {
        // relaxed: as in take(). Who waits sleeps until half the room is there: waking it for each
        // task would cost two context switches a task.
        const std::size_t left = left_.fetch_add(count, std::memory_order_relaxed) + count;
        if (left >= (capacity_ + 1) / 2) {
            gate_.notify_all();
        }
    }

    /// How long who waits for room may overlook some: long beside a wait for half of it.
    static constexpr std::chrono::milliseconds look_again{10};

    const std::size_t capacity_;
    /// Written by producers and workers.
    alignas(destructive_alignment) typename Atomics::template atomic<std::size_t> left_;
    basic_event_count<Atomics> gate_; ///< Where producers sleep that wait for room.
};

/// The room of real pools.
using pool_room = basic_pool_room<std_atomics>;

} // namespace regatta::detail
