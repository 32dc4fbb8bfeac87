// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The path of a message from many producers to one consumer; `async_bus` adds the handlers.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/detail/cache_lines.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/base/detail/width_cast.hpp>
#include <regatta/base/error.hpp>
#include <regatta/bus/bus_options.hpp>
#include <regatta/bus/detail/bus_room.hpp>
#include <regatta/bus/detail/catch_up_pause.hpp>
#include <regatta/bus/detail/consumer_seat.hpp>
#include <regatta/bus/detail/message_slot.hpp>
#include <regatta/bus/detail/segment_ring.hpp>
#include <regatta/bus/message_set.hpp>
#include <regatta/sync/atomics.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/event_count.hpp>
#include <regatta/sync/mpsc_ring.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
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
/// I1: each accepted message is given to the consumer once, with its producer's earlier actions
///     visible. Messages of one producer arrive in order; those of a lane's next owner after them.
/// I2: the consumer sleeps only if it has consumed every message accepted before, or a wake-up for
///     the rest is in flight; `close` ends its sleep.
/// I3: a publisher waits for room as `bus_room` says in I1, and `close` ends its wait.
/// I4: the consumer is one thread at a time, as `consumer_seat` says in I1.
/// I5: in the statistics, `processed` never exceeds `published`.
/// I6: a message that was accepted before or during `close` is in the backlog that the consumer
///     takes after it saw the bus closed.
template<class Atomics, class... Messages>
class basic_message_lanes {
    using producer = basic_bus_producer<Atomics, Messages...>;
    friend producer;

protected:
    using set = message_set<Messages...>;
    using slot = message_slot<Messages...>;
    using lane_ring = basic_segment_ring<slot, typename slot::type_index, Atomics>;

    struct lane {
        std::unique_ptr<lane_ring> ring;
        std::size_t backlog = 0; ///< The consumer's, in `take_backlog`.
        /// Whether a producer owns the lane. Written by `reserve_lane` and `~bus_producer`.
        typename Atomics::template atomic<bool> taken{false};
    };

public:
    basic_message_lanes(const basic_message_lanes&) = delete;
    basic_message_lanes& operator=(const basic_message_lanes&) = delete;

    /// The number of messages that each lane holds.
    std::size_t capacity() const noexcept { return common_.capacity(); }

    /// Publishes a message if there is room now.
    /// @returns whether it was accepted; a refused message is unchanged.
    template<class T>
    requires(set::template contains<T>) bool try_publish(T&& m) noexcept {
        return count(common_.try_emplace(std::move(m)));
    }
    template<class T>
    requires(set::template contains<T>&& std::is_copy_constructible_v<T>) bool try_publish(
        const T& m) {
        return try_publish(T(m));
    }
    /// The same, if fewer messages are queued in the lane than its class's level.
    template<class T>
    requires(set::template contains<T>) bool try_publish(T&& m, admission_class c) noexcept {
        return count(common_.try_emplace_below(limits_[c], std::move(m)));
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

    /// Refuses further messages. `run` returns once the rest is processed; publishers that wait for
    /// room give up. A concurrent publish is refused, or accepted and then processed by `run`.
    void close() noexcept {
        common_.close();
        items_.notify_all();
        room_.notify_all();
    }
    bool closed() const noexcept { return common_.closed(); }

    /// Reserves a lane for one thread that publishes much.
    /// Throws `std::logic_error` if all `bus_options::producers` lanes are taken.
    [[nodiscard]] producer make_producer() { return producer(*this, reserve_lane()); }

protected:
    explicit basic_message_lanes(const bus_options& o)
        : common_(o.capacity)
        , lane_count_(o.producers)
        , lanes_(std::make_unique<lane[]>(o.producers))
        , limits_(o.admission, common_.capacity())
        , room_(o.on_full, common_.capacity())
        , pause_(common_.capacity()) {
        for (std::size_t i = 0; i < lane_count_; ++i) {
            lanes_[i].ring = std::make_unique<lane_ring>(common_.capacity());
        }
    }
    ~basic_message_lanes() { drop_messages(); }

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

    /// In a fork of the process: leaves the messages alone for good, for the consumer that is not
    /// here may have been about to destroy one. After it nothing but the destructor may be called.
    void abandon() noexcept {
        common_.abandon();
        static_cast<void>(lanes_.release());
        lane_count_ = 0;
    }

    /// From now on a message that finds no room is discarded. All producers have finished.
    void wait_no_more() noexcept { room_.wait_no_more(); }

    /// Destroys all messages, whose destructors may publish and are refused. All producers and the
    /// consumer have finished.
    REGATTA_APART void drop_messages() noexcept {
        common_.close(); // Nobody will destroy what a message's destructor publishes.
        const auto nothing = [](auto&) noexcept {};
        for (std::size_t i = 0; i < lane_count_; ++i) {
            // First those that the consumer had seen, then the rest.
            while (take_lane(i, capacity(), nothing) != 0) {
            }
        }
        while (take_common(capacity(), nothing) != 0) {
        }
    }

    /// Takes a free lane. Throws `std::logic_error` if there is none.
    lane& reserve_lane() {
        for (std::size_t i = 0; i < lane_count_; ++i) {
            // acquire: partner is the release in ~bus_producer; continues where the last owner
            // ended.
            if (!lanes_[i].taken.exchange(true, std::memory_order_acquire)) {
                return lanes_[i];
            }
        }
        fail_state("async_bus::make_producer: all " + std::to_string(lane_count_) +
                   " lanes are taken; increase bus_options::producers");
    }

    /// Consumer: calls `use` with each message, lane by lane, until `max` are done or the lanes run
    /// low. In the latter case it has taken all messages published before the call.
    template<class Use>
    std::size_t take(std::size_t max, Use&& use) {
        pause_.wait();
        std::size_t done = 0;
        std::size_t next_look = 0;
        // Rounds end when one has emptied every lane of what was there at the last look. Looking
        // again at once would find a message or two and take their cache lines from the producers.
        for (bool more = true; more && done < max;) {
            more = false;
            const std::size_t before = done;
            if (done >= next_look) {
                for (std::size_t i = 0; i < lane_count_; ++i) {
                    lanes_[i].ring->look();
                }
                common_.look();
                next_look = done + look_interval;
            }
            for (std::size_t i = 0; i <= lane_count_ && done < max; ++i) {
                const std::size_t quota = std::min(lane_quota, max - done);
                const std::size_t now = next_lane_;
                next_lane_ = now == lane_count_ ? 0 : now + 1;
                std::size_t taken = 0;
                if (now == lane_count_) {
                    taken = common_.consume_seen(quota, [&](auto& m) { m.visit(use); });
                } else if (lanes_[now].ring->seen()) {
                    taken = take_seen(now, quota, use);
                }
                more = more || taken == quota;
                done += taken;
            }
            if (done != before) {
                room_.notify_all();
            }
        }
        pause_.note(done, max);
        if (done == 0) {
            expect_next();
        }
        idle_.store(done == 0, std::memory_order_relaxed); // As in nothing_new().
        return done;
    }

    /// Whether the last batch found no message and there is still none. A look without a
    /// read-modify-write, so that a consumer that polls sees the next message sooner.
    bool nothing_new() const noexcept {
        // relaxed: the consumer's own value. A thread that reads another's either does nothing, or
        // takes the consumer's role next and is told of the misuse there.
        return idle_.load(std::memory_order_relaxed) && still_nothing();
    }

    /// Whether a producer that has announced an attempt to publish in its lane may carry it out.
    /// Either it sees here that the bus is closed, or the consumer that has seen it waits for the
    /// end of the attempt.
    REGATTA_INLINE bool open_to_attempt() const noexcept {
        fence_.light(); // Partner: the heavy fence in await_publications().
        return !closed();
    }

    /// Consumer, which has seen the bus closed: waits for the attempts to publish that may not have
    /// seen it.
    /// @param help called meanwhile: what makes a message may wait for one that is queued. Returns
    /// whether there was something to do.
    template<class Help>
    void await_publications(Help&& help) const {
        fence_.heavy(); // Partner: the light fence in open_to_attempt().
        for (std::size_t i = 0; i < lane_count_; ++i) {
            for (basic_backoff<Atomics> pace; lanes_[i].ring->publishing();) {
                if (help()) {
                    pace.reset();
                } else {
                    pace.pause_or_sleep();
                }
            }
        }
    }

    /// Consumer: calls `use` with each message published before the call, lane by lane, and with no
    /// other, unless it waits for a publisher. Of closed lanes it first calls `await_publications`.
    /// @param batch `batch(take)` calls `take`, which consumes some messages, and returns its
    /// result. It does not span the wait for a publisher: what its message does as it is copied may
    /// wait for the end of the batch.
    template<class Use, class Batch>
    void take_backlog(Use&& use, Batch&& batch) {
        // All marks first: what takes a message may publish others.
        for (std::size_t i = 0; i < lane_count_; ++i) {
            lanes_[i].backlog = lanes_[i].ring->size();
        }
        const std::uint64_t last = common_.claimed();
        for (std::size_t i = 0; i < lane_count_; ++i) {
            for (std::size_t left = lanes_[i].backlog; left != 0;) {
                left -= batch([&] { return take_lane(i, left, use); });
            }
        }
        for (basic_backoff<Atomics> pace; common_.consumed() < last;) {
            const auto left = static_cast<std::size_t>(last - common_.consumed());
            // 0 consumed: a publisher is between its claim and the end of its move, which may wait
            // for a message that has come into a lane since.
            if (batch([&] { return take_common(left, use); }) == 0 &&
                batch([&] { return take_lanes(use); }) == 0) {
                pace.pause_or_sleep();
            } else {
                pace.reset();
            }
        }
    }

    /// Consumer: sleeps until there may be a message, `stop` is requested or the bus is closed.
    /// @param deadline when it wakes at the latest; null: never.
    /// @returns false if the deadline passed first.
    bool sleep(const std::stop_token& stop,
               const std::chrono::steady_clock::time_point* deadline = nullptr) noexcept {
        const auto ticket = items_.prepare_wait();
        if (any_ready() || stop.stop_requested() || closed()) {
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
        for (basic_backoff<Atomics> pace; !any_ready() && !closed();) {
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
        s.processed = common_.consumed();
        for (std::size_t i = 0; i < lane_count_; ++i) {
            s.processed += lanes_[i].ring->consumed();
        }
        // After `processed`, so that no message counts as processed but not as published (I5).
        s.published = common_.claimed();
        for (std::size_t i = 0; i < lane_count_; ++i) {
            s.published += lanes_[i].ring->published();
        }
        s.queued = width_cast<std::size_t>(s.published - s.processed);
        s.refused = room_.refused();
        // relaxed: a counter that publishes nothing else.
        s.parked = parked_.load(std::memory_order_relaxed);
        return s;
    }

private:
    /// Messages that the consumer takes from one lane before it looks at the next.
    static constexpr std::size_t lane_quota = 64;
    /// How many messages a batch takes before it looks at the lanes again.
    static constexpr std::size_t look_interval = 256;

    /// Consumer: calls `use` with up to `max` messages of a lane, each as its own type.
    template<class Use>
    std::size_t take_lane(std::size_t i, std::size_t max, Use&& use) {
        return lanes_[i].ring->consume(
            max, [&](slot& m, typename slot::type_index type) { m.pass_on(type, use); });
    }
    /// The same of those messages that were there at the last look.
    template<class Use>
    std::size_t take_seen(std::size_t i, std::size_t max, Use&& use) {
        return lanes_[i].ring->consume_seen(
            max, [&](slot& m, typename slot::type_index type) { m.pass_on(type, use); });
    }
    /// The same of every lane but the common one.
    template<class Use>
    REGATTA_RARE std::size_t take_lanes(Use&& use) {
        std::size_t taken = 0;
        for (std::size_t i = 0; i < lane_count_; ++i) {
            taken += take_lane(i, capacity(), use);
        }
        return taken;
    }
    template<class Use>
    std::size_t take_common(std::size_t max, Use&& use) {
        return common_.consume(max, [&](auto& m) { m.visit(use); });
    }

    /// Calls for the next cells before each look, where that pays: a producer that writes one takes
    /// its line away, and what it wrote shall travel together with the position that publishes it.
    REGATTA_APART bool still_nothing() const noexcept {
        expect_next();
        return !any_ready();
    }
    void expect_next() const noexcept {
        if (!reading_ahead_pays()) {
            return;
        }
        for (std::size_t i = 0; i < lane_count_; ++i) {
            lanes_[i].ring->expect_next();
        }
    }
    bool any_ready() const noexcept {
        for (std::size_t i = 0; i < lane_count_; ++i) {
            if (lanes_[i].ring->ready()) {
                return true;
            }
        }
        return common_.ready();
    }

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
        if (common_.try_emplace(std::forward<M>(m))) [[likely]] {
            return count(true);
        }
        return publish_later<std::remove_cvref_t<M>>(std::forward<M>(m), capacity());
    }
    template<class M>
    bool put_below(M&& m, admission_class c) {
        check_level(c);
        if (common_.try_emplace_below(limits_[c], std::forward<M>(m))) [[likely]] {
            return count(true);
        }
        return publish_later<std::remove_cvref_t<M>>(std::forward<M>(m), limits_[c]);
    }
    /// Publishes in the common lane a message that found no room at first. Takes it by value, so
    /// that the caller's message stays in registers.
    template<class T>
    REGATTA_APART bool publish_later(T m, std::size_t limit) {
        return wake_if(
            wait_for_room(1, [&](bool) { return common_.try_emplace_below(limit, std::move(m)); }));
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

    void check_level(admission_class c) const {
        if (limits_[c] == 0 && room_.blocks()) {
            fail_argument("async_bus::publish: the admission level of this class is 0, so a "
                          "blocking publish would never return");
        }
    }

    basic_mpsc_ring<tagged_message<Messages...>, Atomics>
        common_;             ///< The lane of `publish` on the bus itself.
    std::size_t lane_count_; ///< Changed by `abandon` alone.
    std::unique_ptr<lane[]> lanes_;
    const admission_limits limits_;
    /// Not beside the consumer's own members: producers read it at every publish.
    [[no_unique_address]] const typename Atomics::fence fence_{};

    /// Event count of the consumer; producers read it at every publish.
    alignas(destructive_alignment) basic_event_count<Atomics> items_;
    /// Publishers that wait for room; the consumer looks at every batch.
    alignas(destructive_alignment) basic_bus_room<Atomics> room_;

    /// What the consumer writes.
    alignas(destructive_alignment) basic_consumer_seat<Atomics> consumer_;
    /// Written by the consumer, read by `stats`. Relaxed: a counter.
    typename Atomics::template atomic<std::uint64_t> parked_{0};
    std::size_t next_lane_ = 0; ///< The lane served next; `lane_count_` is the common one.
    basic_catch_up_pause<Atomics> pause_;
    /// Whether the last batch found nothing. Written by the consumer; only its own reads matter.
    typename Atomics::template atomic<bool> idle_{false};
};

/// The lanes of real buses.
template<class... Messages>
using message_lanes = basic_message_lanes<std_atomics, Messages...>;

} // namespace regatta::detail
