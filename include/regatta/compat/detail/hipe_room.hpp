// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How many tasks a bounded pond of Hipe may hold, running ones included.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <future>
#include <utility>

namespace hipe::detail {

/// Counts the unfinished tasks of a pond and admits no more than its capacity.
///
/// Threads: any.
/// Blocks: never.
/// Order: none; it only counts.
/// Cost: one compare-and-swap for any number of tasks that come together, one subtraction for each
/// that ends.
///
/// I1: all `places` of this room together hold `taken()` places, at most the capacity.
class room {
public:
    /// Holds places of a room until it gives them up or is destroyed.
    class places {
    public:
        places() = default;
        places(places&& other) noexcept
            : room_(other.room_)
            , count_(std::exchange(other.count_, 0)) {}
        places& operator=(places&& other) noexcept {
            std::swap(room_, other.room_);
            std::swap(count_, other.count_);
            return *this;
        }
        ~places() { give_up(); }

        std::size_t count() const noexcept { return count_; }

        /// Splits off one of the places; there must be one.
        places one() noexcept {
            --count_;
            return places(*room_, 1);
        }

        void give_up() noexcept {
            if (count_ != 0) {
                // relaxed: it counts and publishes nothing.
                room_->taken_.fetch_sub(std::exchange(count_, 0), std::memory_order_relaxed);
            }
        }

    private:
        friend class room;
        places(room& r, std::size_t count) noexcept : room_(&r), count_(count) {}

        room* room_ = nullptr;
        std::size_t count_ = 0;
    };

    /// @param capacity 0: unlimited; then it counts nothing and `take` must not be called.
    explicit room(std::size_t capacity) noexcept : capacity_(capacity) {}

    bool limited() const noexcept { return capacity_ != 0; }

    /// Takes as many places as are free, at most `wanted`.
    places take(std::size_t wanted) noexcept {
        // relaxed: it counts and publishes nothing.
        std::size_t taken = taken_.load(std::memory_order_relaxed);
        std::size_t granted = 0;
        do {
            granted = std::min(wanted, capacity_ - taken);
        } while (granted != 0 &&
                 !taken_.compare_exchange_weak(taken, taken + granted, std::memory_order_relaxed));
        return places(*this, granted);
    }

    std::size_t taken() const noexcept { return taken_.load(std::memory_order_relaxed); }

private:
    const std::size_t capacity_;
    /// Places in use. Written by submitting threads and by workers; read by submitting threads.
    std::atomic<std::size_t> taken_{0};
};

/// A callable that gives up its place when its call ends, or when it is destroyed uncalled.
template<class F>
struct placed {
    room::places place;
    F call;

    decltype(auto) operator()() {
        const room::places leaves = std::move(place);
        return std::invoke(call);
    }
};

/// The same within a `std::packaged_task`, whose state may outlive the room: the place comes with
/// the call.
template<class F>
struct leaving {
    F call;

    decltype(auto) operator()(room::places& place) {
        const room::places leaves = std::move(place);
        return std::invoke(call);
    }
};

/// A task with a future that holds a place until its `leaving` gives that up, or until it is
/// destroyed uncalled: then the place is free before the future is ready, too.
template<class R>
struct placed_task {
    std::packaged_task<R(room::places&)> task;
    room::places place;

    void operator()() { task(place); }
};

} // namespace hipe::detail
