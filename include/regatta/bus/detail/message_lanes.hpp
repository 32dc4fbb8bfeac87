// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The path of a message from many producers to one consumer; `async_bus` adds the handlers.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/base/detail/saturated_time.hpp>
#include <regatta/base/detail/width_cast.hpp>
#include <regatta/base/error.hpp>
#include <regatta/bus/bus_options.hpp>
#include <regatta/bus/detail/bus_room.hpp>
#include <regatta/bus/detail/catch_up_pause.hpp>
#include <regatta/bus/detail/consumer_seat.hpp>
#include <regatta/bus/detail/message_rings.hpp>
#include <regatta/bus/message_set.hpp>
#include <regatta/sync/atomics.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/event_count.hpp>

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace regatta {

template<class Atomics, class... Messages>
class basic_bus_producer;

} // namespace regatta

namespace regatta::detail {

/// The rings between the producers of a bus and its consumer, and the event counts where both
/// sides sleep.
///
/// One common lane is open to any thread; each `bus_producer` has its own lane. The public members
/// are those of `async_bus`, which documents threads, blocking, order and failure.
///
/// I1: messages arrive as `message_rings` says in I1 and I2.
/// I2: the consumer sleeps only if it has consumed every message accepted before, or a wake-up for
///     the rest is in flight; `close` ends its sleep.
/// I3: a publisher waits for room as `bus_room` says in I1, and `close` ends its wait.
/// I4: the consumer is one thread at a time, as `consumer_seat` says in I1.
/// I5: in the statistics, `processed` never exceeds `published`.
template<class Atomics, class... Messages>
class basic_message_lanes {
    using producer = basic_bus_producer<Atomics, Messages...>;
    friend producer;

protected:
    using set = message_set<Messages...>;
    using rings = basic_message_rings<Atomics, Messages...>;

public:
    basic_message_lanes(const basic_message_lanes&) = delete;
    basic_message_lanes& operator=(const basic_message_lanes&) = delete;

    /// The number of messages that each lane holds.
    std::size_t capacity() const noexcept { return rings_.capacity(); }

    /// Publishes a message if there is room now.
    /// @returns whether it was accepted; a refused message is unchanged.
    template<class T>
    requires(set::template contains<T>) bool try_publish(T&& m) noexcept {
        return count(rings_.common().try_emplace(std::move(m)));
    }
    template<class T>
    requires(set::template contains<T>&& std::is_copy_constructible_v<T>) bool try_publish(
        const T& m) {
        return try_publish(T(m));
    }
    /// The same, if fewer messages are queued in the lane than its class's level.
    template<class T>
    requires(set::template contains<T>) bool try_publish(T&& m, admission_class c) noexcept {
        return count(rings_.common().try_emplace_below(limits_[c], std::move(m)));
    }
    template<class T>
    requires(set::template contains<T>&& std::is_copy_constructible_v<T>) bool try_publish(
        const T& m, admission_class c) {
        return try_publish(T(m), c);
    }
    /// Publishes a message; if the lane is full, acts as `when_full` says.
    /// @returns whether it was accepted: always, unless the policy discards or the bus is closed.
    /// The message is copied or moved once, into its place; once more where the lane was full at
    /// first.
    template<class T>
    requires(set::template contains<T>) bool publish(T&& m) { return put(std::move(m)); }
    template<class T>
    requires(set::template contains<T>&& std::is_copy_constructible_v<T>) bool publish(const T& m) {
        if constexpr (std::is_nothrow_copy_constructible_v<T>) {
            return put(m);
        } else {
            return put(T(m)); // Before it has its place.
        }
    }
    /// The same with an admission class: the lane counts as full at the level of that class.
    /// Throws `std::invalid_argument` if that level is 0 and the policy is to block.
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

    /// Publishes a message and waits for room, at most until `deadline`, whatever `when_full` says.
    /// A handler of this bus does not wait: nobody else makes room.
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

    /// Refuses further messages. `run` returns once the rest is processed; publishers that wait for
    /// room give up. A concurrent publish is refused, or accepted and then processed by `run`.
    void close() noexcept {
        rings_.close();
        items_.notify_all();
        room_.notify_all();
    }
    bool closed() const noexcept { return rings_.closed(); }

    /// Reserves a lane for one thread that publishes much.
    /// Throws `std::logic_error` if all `bus_options::producers` lanes are taken.
    [[nodiscard]] producer make_producer() { return producer(*this, rings_.reserve_lane()); }

protected:
    explicit basic_message_lanes(const bus_options& o)
        : rings_(o.capacity, o.producers)
        , limits_(o.admission, capacity())
        , room_(o.on_full, capacity())
        , pause_(capacity()) {}
    ~basic_message_lanes() = default;

    /// The consumer's role during one batch. Throws `std::logic_error` if another batch is running.
    class consumer_role {
    public:
        explicit consumer_role(basic_message_lanes& lanes) : lanes_(lanes) {
            lanes.consumer_.take();
        }
        consumer_role(const consumer_role&) = delete;
        consumer_role& operator=(const consumer_role&) = delete;
        ~consumer_role() {
            lanes_.consumer_.leave();
            lanes_.room_.notify_all();
        }

    private:
        basic_message_lanes& lanes_;
    };

    /// Whether the calling thread is the consumer, within a batch.
    bool in_consumer() const noexcept { return consumer_.is_mine(); }

    /// Whether a batch is running; in a fork of the process, whether one was.
    bool in_batch() const noexcept { return consumer_.is_taken(); }

    // As of `message_rings`.
    void abandon() noexcept { rings_.abandon(); }
    void drop_messages() noexcept { rings_.drop_messages(); }
    template<class Help>
    void await_publications(Help&& help) const {
        rings_.await_publications(help);
    }
    template<class Use, class Batch>
    void take_backlog(Use&& use, Batch&& batch) {
        rings_.take_backlog(use, batch);
    }

    /// From now on a message that finds no room is discarded. All producers have finished.
    void wait_no_more() noexcept { room_.wait_no_more(); }

    /// Consumer: calls `use` with each message, lane by lane, until `max` are done or the lanes run
    /// low. In the latter case it has taken all messages published before the call.
    template<class Use>
    std::size_t take(std::size_t max, Use&& use) {
        pause_.wait();
        const std::size_t done = rings_.take(max, use, [this]() noexcept { room_.notify_all(); });
        pause_.note(done, max);
        idle_.store(done == 0, std::memory_order_relaxed); // As in nothing_new().
        return done;
    }

    /// Whether the last batch found no message and there is still none. A look without a
    /// read-modify-write, so that a consumer that polls sees the next message sooner.
    bool nothing_new() const noexcept {
        // relaxed: the consumer's own value. A thread that reads another's either does nothing, or
        // takes the consumer's role next and is told of the misuse there.
        return idle_.load(std::memory_order_relaxed) && rings_.still_nothing();
    }

    /// Consumer: sleeps until there may be a message, `stop` is requested or the bus is closed.
    /// @param deadline when it wakes at the latest; null: never.
    /// @returns false if the deadline passed first.
    bool sleep(const std::stop_token& stop,
               const std::chrono::steady_clock::time_point* deadline = nullptr) noexcept {
        const auto ticket = items_.prepare_wait();
        if (rings_.any_ready() || stop.stop_requested() || closed()) {
            items_.cancel_wait();
            return true;
        }
        // relaxed: a counter that only the consumer writes.
        parked_.store(parked_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        if (deadline != nullptr) {
            return items_.commit_wait_until(ticket, *deadline);
        }
        items_.commit_wait(ticket);
        return true;
    }
    /// Consumer: spins, then sleeps, until there is a message or the bus is closed. Throws
    /// `std::logic_error` if a batch is running.
    /// @param deadline as of `sleep`. @returns false if it passed first.
    REGATTA_APART bool await_message(const std::chrono::steady_clock::time_point* deadline) {
        consumer_.check_free(); // In a batch the message at hand still counts as ready.
        bool over = false;
        for (basic_backoff<Atomics> pace; !rings_.any_ready() && !closed();) {
            if (over || (deadline != nullptr && Atomics::is_past(*deadline))) {
                return false;
            }
            if (!pace.pause()) {
                over = !sleep({}, deadline);
                pace.reset();
            }
        }
        return true;
    }
    /// Ends the consumer's sleep.
    void wake_consumer() noexcept { items_.notify_all(); }

    /// All statistics except `unhandled`, which the dispatcher counts.
    bus_stats transport_stats() const noexcept {
        bus_stats s;
        s.processed = rings_.processed();
        s.published = rings_.published(); // After it, so that it never is less (I5).
        s.queued = width_cast<std::size_t>(s.published - s.processed);
        s.refused = room_.refused();
        // relaxed: a counter that publishes nothing else.
        s.parked = parked_.load(std::memory_order_relaxed);
        return s;
    }

private:
    /// Wakes the consumer for an accepted message, or counts a refused one.
    REGATTA_INLINE bool count(bool accepted) noexcept {
        if (accepted) [[likely]] {
            items_.notify_one();
        } else {
            room_.count_refused(1);
        }
        return accepted;
    }

    /// @param m an rvalue to move from, or a constant to copy.
    template<class M>
    REGATTA_INLINE bool put(M&& m) {
        if (rings_.common().try_emplace(std::forward<M>(m))) [[likely]] {
            return count(true);
        }
        return publish_later<std::remove_cvref_t<M>>(std::forward<M>(m), capacity());
    }
    template<class M>
    bool put_below(M&& m, admission_class c) {
        check_level(c);
        if (rings_.common().try_emplace_below(limits_[c], std::forward<M>(m))) [[likely]] {
            return count(true);
        }
        return publish_later<std::remove_cvref_t<M>>(std::forward<M>(m), limits_[c]);
    }
    /// Publishes in the common lane a message that found no room at first. Takes it by value, so
    /// that the caller's message stays in registers.
    template<class T>
    REGATTA_APART bool publish_later(T m, std::size_t limit) {
        return wake_if(wait_for_room(
            1, [&](bool) { return rings_.common().try_emplace_below(limit, std::move(m)); }));
    }
    /// Publishes in the common lane; waits for room until `deadline` at the latest.
    template<class T>
    REGATTA_APART bool put_until(T& m, std::chrono::steady_clock::time_point deadline) {
        return rings_.common().try_emplace(std::move(m))
                   ? count(true)
                   : wake_if(wait_for_room_until(deadline, [&](bool) {
                         return rings_.common().try_emplace(std::move(m));
                     }));
    }
    bool wake_if(bool accepted) noexcept {
        if (accepted) {
            items_.notify_one();
        }
        return accepted;
    }

    /// As `bus_room::wait`.
    template<class Attempt>
    bool wait_for_room(std::size_t unplaced, Attempt&& attempt) {
        return room_.wait(
            unplaced, in_consumer(), [this] { return closed(); }, attempt);
    }

    /// As `bus_room::wait_until`.
    template<class Attempt>
    bool wait_for_room_until(std::chrono::steady_clock::time_point deadline, Attempt&& attempt) {
        return room_.wait_until(
            deadline, in_consumer(), [this] { return closed(); }, attempt);
    }

    void check_level(admission_class c) const {
        if (limits_[c] == 0 && room_.blocks()) {
            fail_argument("async_bus::publish: the admission level of this class is 0, so a "
                          "blocking publish would never return");
        }
    }

    rings rings_;
    const admission_limits limits_; ///< Read by producers.

    /// Event count of the consumer; producers read it at every publish.
    alignas(destructive_alignment) basic_event_count<Atomics> items_;
    /// Publishers that wait for room; the consumer looks at every batch.
    alignas(destructive_alignment) basic_bus_room<Atomics> room_;

    /// What the consumer writes.
    alignas(destructive_alignment) basic_consumer_seat<Atomics> consumer_;
    /// Written by the consumer, read by `stats`. Relaxed: a counter.
    typename Atomics::template atomic<std::uint64_t> parked_{0};
    basic_catch_up_pause<Atomics> pause_;
    /// Whether the last batch found nothing. Written by the consumer; only its own reads matter.
    typename Atomics::template atomic<bool> idle_{false};
};

/// The lanes of real buses.
template<class... Messages>
using message_lanes = basic_message_lanes<std_atomics, Messages...>;

} // namespace regatta::detail
