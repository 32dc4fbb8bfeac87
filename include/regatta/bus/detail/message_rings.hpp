// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The rings of a bus, and how its consumer goes round them.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/detail/cache_lines.hpp>
#include <regatta/base/error.hpp>
#include <regatta/bus/detail/message_slot.hpp>
#include <regatta/bus/detail/segment_ring.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/mpsc_ring.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace regatta::detail {

/// The common lane of a bus, which is open to any thread, and the lanes that producers own. Nobody
/// sleeps here.
///
/// Threads: `common`, `open_to_attempt`, `reserve_lane`, `close`, `closed`, `any_ready` and the
/// counts from any; what is marked so is the consumer's.
/// Blocks: only `await_publications` and `take_backlog`, for publications under way.
///
/// I1: each accepted message is given to the consumer once, with its producer's earlier actions
///     visible. Messages of one producer arrive in order; those of a lane's next owner after them.
/// I2: a message that was accepted before or during `close` is in the backlog that the consumer
///     takes after it saw the bus closed.
template<class Atomics, class... Messages>
class basic_message_rings {
public:
    using slot = message_slot<Messages...>;
    using lane_ring = basic_segment_ring<slot, typename slot::type_index, Atomics>;

    struct lane {
        std::unique_ptr<lane_ring> ring;
        std::size_t backlog = 0; ///< The consumer's, in `take_backlog`.
        /// Whether a producer owns the lane. Written by `reserve_lane` and `~bus_producer`.
        typename Atomics::template atomic<bool> taken{false};
    };
    /// The ring of the common lane.
    using common_ring = basic_mpsc_ring<tagged_message<Messages...>, Atomics>;

    /// @param capacity messages that each lane holds.
    /// @param lanes how many producers may own one at once.
    basic_message_rings(std::size_t capacity, std::size_t lanes)
        : common_(capacity)
        , lane_count_(lanes)
        , lanes_(std::make_unique<lane[]>(lanes)) {
        for (std::size_t i = 0; i < lane_count_; ++i) {
            lanes_[i].ring = std::make_unique<lane_ring>(common_.capacity());
        }
    }
    basic_message_rings(const basic_message_rings&) = delete;
    basic_message_rings& operator=(const basic_message_rings&) = delete;
    ~basic_message_rings() { drop_messages(); }

    /// The lane of all threads without one of their own.
    common_ring& common() noexcept { return common_; }
    std::size_t capacity() const noexcept { return common_.capacity(); }

    /// Refuses further messages.
    void close() noexcept { common_.close(); }
    bool closed() const noexcept { return common_.closed(); }

    /// In a fork of the process: leaves the messages alone for good, for the consumer that is not
    /// here may have been about to destroy one. After it nothing but the destructor may be called.
    void abandon() noexcept {
        common_.abandon();
        static_cast<void>(lanes_.release());
        lane_count_ = 0;
    }

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

    /// Gives a producer a lane that no other producer has. Throws `std::logic_error` if there is
    /// none.
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

    /// Whether a producer that has announced an attempt to publish in its lane may carry it out.
    /// Either it sees here that the bus is closed, or the consumer that has seen it waits for the
    /// end of the attempt.
    REGATTA_INLINE bool open_to_attempt() const noexcept {
        fence_.light(); // Partner: the heavy fence in await_publications().
        return !closed();
    }

    // --- the consumer ----------------------------------------------------------------------------

    /// Consumer: calls `use` with each message, lane by lane, until `max` are done or the lanes run
    /// low. In the latter case it has taken all messages published before the call. After each
    /// round that has made room it calls `tell_room()`.
    template<class Use, class TellRoom>
    std::size_t take(std::size_t max, Use&& use, TellRoom&& tell_room) {
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
                tell_room();
            }
        }
        if (done == 0) {
            expect_next();
        }
        return done;
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

    /// Whether a message is there for the consumer.
    bool any_ready() const noexcept {
        for (std::size_t i = 0; i < lane_count_; ++i) {
            if (lanes_[i].ring->ready()) {
                return true;
            }
        }
        return common_.ready();
    }

    /// Calls for the next cells before each look, where that pays: a producer that writes one takes
    /// its line away, and what it wrote shall travel together with the position that publishes it.
    REGATTA_APART bool still_nothing() const noexcept {
        expect_next();
        return !any_ready();
    }
    // --- figures ---------------------------------------------------------------------------------

    /// Messages that the consumer has taken. Ask for it before `published`: that never is less.
    std::uint64_t processed() const noexcept {
        std::uint64_t all = common_.consumed();
        for (std::size_t i = 0; i < lane_count_; ++i) {
            all += lanes_[i].ring->consumed();
        }
        return all;
    }
    /// Messages that were accepted.
    std::uint64_t published() const noexcept {
        std::uint64_t all = common_.claimed();
        for (std::size_t i = 0; i < lane_count_; ++i) {
            all += lanes_[i].ring->published();
        }
        return all;
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
    void expect_next() const noexcept {
        if (!reading_ahead_pays()) {
            return;
        }
        for (std::size_t i = 0; i < lane_count_; ++i) {
            lanes_[i].ring->expect_next();
        }
    }

    common_ring common_;
    std::size_t lane_count_; ///< Changed by `abandon` alone.
    std::unique_ptr<lane[]> lanes_;
    /// Not beside the consumer's own members: producers read it at every publish.
    [[no_unique_address]] const typename Atomics::fence fence_{};
    /// The consumer's: the lane served next; `lane_count_` is the common one.
    alignas(destructive_alignment) std::size_t next_lane_ = 0;
};

} // namespace regatta::detail
