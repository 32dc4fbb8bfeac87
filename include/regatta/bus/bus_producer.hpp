// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A producer of an `async_bus` that owns a lane.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/base/detail/saturated_time.hpp>
#include <regatta/bus/bus_options.hpp>
#include <regatta/bus/detail/message_lanes.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace regatta {

/// A lane of a bus, for one thread that publishes much.
///
/// Threads: one at a time. The bus must outlive the producer. What makes a message (its constructor
/// or `make`) must not publish through the same producer. One that was moved from may only be
/// destroyed or assigned to.
/// Blocks, Order, Failure: as the bus.
/// Cost: a publish stores the message and the position.
template<class Atomics, class... Messages>
class basic_bus_producer {
    using lanes = detail::basic_message_lanes<Atomics, Messages...>;
    using set = typename lanes::set;
    using lane = typename lanes::rings::lane;
    /// The type of the messages of a batch.
    template<class Batch>
    using element = std::remove_cvref_t<decltype(*std::data(std::declval<const Batch&>()))>;
    /// How a lane names a type of message.
    template<class T>
    static constexpr auto type = lanes::rings::slot::template index<T>;

public:
    basic_bus_producer(basic_bus_producer&& other) noexcept
        : bus_(other.bus_)
        , lane_(std::exchange(other.lane_, nullptr)) {}
    basic_bus_producer& operator=(basic_bus_producer&& other) noexcept {
        if (this != &other) {
            give_back();
            bus_ = other.bus_;
            lane_ = std::exchange(other.lane_, nullptr);
        }
        return *this;
    }
    /// Returns the lane; messages published in it still arrive.
    ~basic_bus_producer() { give_back(); }

    /// Publishes if there is room now.
    /// @returns whether it was accepted; a refused message is unchanged.
    template<class T>
    requires(set::template contains<T>) bool try_publish(T&& m) noexcept {
        return bus_->count(lane_->ring->try_emplace_if(open(), type<T>, std::move(m)));
    }
    template<class T>
    requires(set::template contains<T>&& std::is_copy_constructible_v<T>) bool try_publish(
        const T& m) {
        return try_publish(T(m));
    }
    /// The same, if fewer messages are queued in this lane than its class's level.
    template<class T>
    requires(set::template contains<T>) bool try_publish(T&& m, admission_class c) noexcept {
        return bus_->count(lane_->ring->has_room_below(bus_->limits_[c]) &&
                           lane_->ring->try_emplace_if(open(), type<T>, std::move(m)));
    }
    template<class T>
    requires(set::template contains<T>&& std::is_copy_constructible_v<T>) bool try_publish(
        const T& m, admission_class c) {
        return try_publish(T(m), c);
    }
    /// Publishes; if the lane is full, acts as `when_full` says. @returns whether it was accepted.
    /// The message is copied or moved once, into its place; once more where the lane was full at
    /// first.
    template<class T>
    REGATTA_INLINE bool publish(T&& m) requires(set::template contains<T>) {
        return put(std::move(m));
    }
    template<class T>
    REGATTA_INLINE bool
    publish(const T& m) requires(set::template contains<T>&& std::is_copy_constructible_v<T>) {
        if constexpr (std::is_nothrow_copy_constructible_v<T>) {
            return put(m);
        } else {
            return put(T(m)); // Before it has its place.
        }
    }
    /// The same with a `T` made of `args` in its place, without a copy or a move; with a move where
    /// the lane was full at first.
    template<class T, class... Args>
    REGATTA_INLINE bool emplace(Args&&... args) requires(
        set::template contains<T>&& std::is_nothrow_constructible_v<T, Args...>) {
        if (lane_->ring->try_emplace_if(open(), type<T>, std::in_place_type<T>,
                                        std::forward<Args>(args)...)) [[likely]] {
            return bus_->count(true);
        }
        return publish_later<T>(T(std::forward<Args>(args)...), lane_->ring->capacity());
    }
    /// The same with an admission class: the lane counts as full at the level of that class.
    template<class T>
    requires(set::template contains<T>) bool publish(T&& m, admission_class c) {
        return put_below(std::move(m), c);
    }
    template<class T>
    requires(set::template contains<T>&& std::is_copy_constructible_v<T>) bool publish(
        const T& m, admission_class c) {
        if constexpr (std::is_nothrow_copy_constructible_v<T>) {
            return put_below(m, c);
        } else {
            return put_below(T(m), c);
        }
    }

    /// Publishes and waits for room in the lane, at most until `deadline`, whatever `when_full`
    /// says. A handler of this bus does not wait: nobody else makes room.
    /// @returns whether it was accepted; a refused message is unchanged.
    template<class M, class Duration>
    requires(set::template accepts<M>) bool try_publish_until(
        M&& m, std::chrono::time_point<std::chrono::steady_clock, Duration> deadline) {
        using T = std::remove_cvref_t<M>;
        if constexpr (!std::is_same_v<M, T>) {
            return try_publish_until(T(m), deadline);
        } else {
            return put_until(m, detail::saturated_moment(deadline));
        }
    }
    /// The same, for at most `limit`.
    template<class M, class Rep, class Period>
    requires(set::template accepts<M>) bool try_publish_for(
        M&& m, std::chrono::duration<Rep, Period> limit) {
        return try_publish_until(std::forward<M>(m), detail::moment_after(limit));
    }

    /// Publishes copies of as many messages as there is room for and makes them visible at once.
    /// @param batch a vector, an array, a span of messages of one type: what `std::data` and
    ///        `std::size` take.
    /// @returns how many were accepted; the rest count as refused.
    template<class Batch>
    requires(set::template contains<element<Batch>>) std::size_t
        try_publish_batch(const Batch& batch) {
        const std::size_t done = fill<element<Batch>>(std::size(batch), copy_of(batch));
        if (done != 0) {
            bus_->items_.notify_one();
        }
        if (done != std::size(batch)) {
            bus_->room_.count_refused(std::size(batch) - done);
        }
        return done;
    }
    /// Publishes copies of all messages, in as few steps as the room allows. If the lane is full,
    /// acts as `when_full` says. @returns how many were accepted.
    template<class Batch>
    requires(set::template contains<element<Batch>>) std::size_t publish_batch(const Batch& batch) {
        return put_all<element<Batch>>(std::size(batch), copy_of(batch));
    }
    /// The same with `count` messages that `make(i)` returns for i = 0, 1 …, made in their places,
    /// without a copy or a move. `make` is called once for each message that finds room.
    template<class T, class Make>
    requires(set::template contains<T>&&
                 std::is_same_v<std::invoke_result_t<Make&, std::size_t>, T>) std::size_t
        publish_batch(std::size_t count, Make&& make) {
        return put_all<T>(count, [&make](auto& cell, std::size_t i) {
            cell.emplace(detail::made_by, [&make, i]() -> T { return make(i); });
        });
    }

private:
    friend lanes;
    basic_bus_producer(lanes& bus, lane& mine) noexcept : bus_(&bus), lane_(&mine) {}

    /// @param m an rvalue to move from, or a constant to copy.
    template<class M>
    REGATTA_INLINE bool put(M&& m) {
        using T = std::remove_cvref_t<M>;
        if (lane_->ring->try_emplace_if(open(), type<T>, std::forward<M>(m))) [[likely]] {
            return bus_->count(true);
        }
        return publish_later<T>(std::forward<M>(m), lane_->ring->capacity());
    }
    template<class M>
    bool put_below(M&& m, admission_class c) {
        using T = std::remove_cvref_t<M>;
        bus_->check_level(c);
        if (lane_->ring->has_room_below(bus_->limits_[c]) &&
            lane_->ring->try_emplace_if(open(), type<T>, std::forward<M>(m))) [[likely]] {
            return bus_->count(true);
        }
        return publish_later<T>(std::forward<M>(m), bus_->limits_[c]);
    }
    /// Publishes a message that found no room at first. Takes it by value, so that the caller's
    /// message stays in registers. Not REGATTA_RARE: gcc would take the whole publish for cold.
    template<class T>
    REGATTA_APART bool publish_later(T m, std::size_t limit) {
        return bus_->wake_if(bus_->wait_for_room(1, [&](bool closely) {
            if (closely) {
                lane_->ring->look_closely();
            }
            return lane_->ring->has_room_below(limit) &&
                   lane_->ring->try_emplace_if(open(), type<T>, std::move(m));
        }));
    }

    /// Publishes; waits for room until `deadline` at the latest.
    template<class T>
    REGATTA_APART bool put_until(T& m, std::chrono::steady_clock::time_point deadline) {
        const auto attempt = [&](bool closely) {
            if (closely) {
                lane_->ring->look_closely();
            }
            return lane_->ring->try_emplace_if(open(), type<T>, std::move(m));
        };
        return attempt(false) ? bus_->count(true)
                              : bus_->wake_if(bus_->wait_for_room_until(deadline, attempt));
    }

    /// What the ring asks once it has announced an attempt to publish (`message_rings`, I2).
    auto open() const noexcept {
        return [bus = bus_]() noexcept { return bus->rings_.open_to_attempt(); };
    }
    template<class Batch>
    static auto copy_of(const Batch& batch) noexcept {
        static_assert(std::is_copy_constructible_v<element<Batch>>,
                      "a batch is copied; publish what can only be moved by "
                      "publish_batch<T>(count, make)");
        return [first = std::data(batch)](auto& cell, std::size_t i) { cell.emplace(first[i]); };
    }
    /// Constructs as many as there is room for of the messages `done`, `done + 1` … below `count`.
    template<class T, class Construct>
    std::size_t fill(std::size_t count, const Construct& construct, std::size_t done = 0) {
        REGATTA_TRY {
            return lane_->ring->try_fill_if(
                open(), count - done, type<T>,
                [&](auto& cell, std::size_t i) { construct(cell, done + i); });
        }
        REGATTA_CATCH_ALL {
            bus_->items_.notify_one(); // messages constructed before the throw are published
            REGATTA_RETHROW;
        }
    }
    template<class T, class Construct>
    std::size_t put_all(std::size_t count, const Construct& construct) {
        std::size_t done = fill<T>(count, construct);
        while (done != count) {
            if (done != 0) {
                bus_->items_.notify_one(); // the consumer starts on those already published
            }
            const bool more = bus_->wait_for_room(count - done, [&](bool closely) {
                if (closely) {
                    lane_->ring->look_closely();
                }
                const std::size_t now = fill<T>(count, construct, done);
                done += now;
                return now != 0;
            });
            if (!more) {
                break;
            }
        }
        if (done != 0) {
            bus_->items_.notify_one();
        }
        return done;
    }
    void give_back() noexcept {
        if (lane_ != nullptr) {
            // release: partner is the acquire in reserve_lane; hands the lane's state to its next
            // owner.
            lane_->taken.store(false, std::memory_order_release);
        }
    }

    lanes* bus_;
    lane* lane_;
};

/// The producer of real buses.
template<class... Messages>
using bus_producer = basic_bus_producer<std_atomics, Messages...>;

} // namespace regatta
