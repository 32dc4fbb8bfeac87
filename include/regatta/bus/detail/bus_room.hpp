// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What becomes of messages for which a bus has no room.

#include <regatta/base/detail/clock.hpp>
#include <regatta/base/error.hpp>
#include <regatta/bus/bus_options.hpp>
#include <regatta/sync/event_count.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace regatta::detail {

/// Where publishers wait for room in a lane, and the count of what was refused.
///
/// Threads: any, unless stated otherwise. Blocks: `wait` and `wait_until` only.
///
/// I1: a publisher waits only while the consumer has told of no room, or a wake-up for it is in
///     flight, or for some 10 ms; the end of the bus ends its wait.
/// Source of the pause: docs/design/catch_up_pause.md.
template<class Atomics>
class basic_bus_room {
public:
    /// @param capacity of a lane.
    basic_bus_room(when_full on_full, std::size_t capacity) noexcept
        : on_full_(on_full)
        , pause_(std::min<std::size_t>(capacity, 2000)) {}

    /// Repeats `attempt(closely)` until it succeeds or the bus is closed; never, if the policy is
    /// to discard. `closely` becomes true when there has been no room for long: the attempt then
    /// also looks for room that the consumer has not told of. Throws `std::system_error`
    /// (`resource_deadlock_would_occur`) if the consumer would wait for itself.
    /// @param unplaced how many messages it counts as refused if it does not succeed or throws.
    /// @param by_consumer whether the caller is the consumer.
    /// @param closed says whether the bus is closed.
    /// @returns whether it succeeded.
    template<class Closed, class Attempt>
    bool wait(std::size_t unplaced, bool by_consumer, Closed&& closed, Attempt&& attempt) {
        if (on_full_ == when_full::discard) {
            count_refused(unplaced);
            return false;
        }
        if (by_consumer && !closed()) {
            count_refused(unplaced);
            fail_system(EDEADLK, "async_bus::publish by a handler into a full lane");
        }
        return wait(unplaced, nullptr, closed, attempt);
    }
    /// The same for one message, whatever the policy, until `deadline` at the latest. The last
    /// attempt looks closely. Does not wait if the consumer calls or nobody makes room any more.
    template<class Closed, class Attempt>
    bool wait_until(std::chrono::steady_clock::time_point deadline, bool by_consumer,
                    Closed&& closed, Attempt&& attempt) {
        if (by_consumer || ended_) {
            deadline = {};
        }
        return wait(1, &deadline, closed, attempt);
    }
    /// Wakes the publishers that wait: there is room, or the bus was closed.
    void notify_all() noexcept { event_.notify_all(); }
    /// From now on nobody waits. All producers have finished.
    void wait_no_more() noexcept {
        on_full_ = when_full::discard;
        ended_ = true;
    }

    bool blocks() const noexcept { return on_full_ == when_full::block; }

    void count_refused(std::size_t count) noexcept {
        refused_.fetch_add(count, std::memory_order_relaxed);
    }
    std::uint64_t refused() const noexcept {
        // relaxed: a counter that publishes nothing else.
        return refused_.load(std::memory_order_relaxed);
    }

private:
    template<class Closed, class Attempt>
    bool wait(std::size_t unplaced, const std::chrono::steady_clock::time_point* deadline,
              Closed& closed, Attempt& attempt) {
        bool accepted = false;
        bool closely = false;
        const auto settled = [&] {
            accepted = accepted || (!closed() && attempt(closely));
            return accepted || closed();
        };
        const auto late = [&] { return deadline != nullptr && Atomics::is_past(*deadline); };
        if (!closed() && !late()) {
            // Meanwhile a busy consumer empties some of the lane. To look at once would find room
            // for a few messages, and the line that tells of it would travel for them.
            Atomics::relax_for(pause_);
        }
        // The consumer wakes publishers at the end of a round. A handler in that round may wait for
        // this very caller.
        constexpr std::chrono::milliseconds interval{10};
        const auto next = [&] {
            const auto soon = std::chrono::steady_clock::now() + interval;
            return deadline != nullptr ? std::min(soon, *deadline) : soon;
        };
        while (!late() && !event_.wait_until(settled, next())) {
            closely = true;
        }
        closely = true;
        if (!accepted && deadline != nullptr) {
            static_cast<void>(settled());
        }
        if (!accepted) {
            count_refused(unplaced);
        }
        return accepted;
    }

    /// Read by the consumer at every batch.
    basic_event_count<Atomics> event_;
    /// Written by refused publishers, read by `stats`. Relaxed: a counter.
    typename Atomics::template atomic<std::uint64_t> refused_{0};
    // Read by who finds no room; changed by `wait_no_more` alone.
    when_full on_full_;
    bool ended_ = false; ///< Nobody makes room any more.
    /// How long a publisher that finds no room leaves the lane alone: less than the time in which
    /// the fastest consumer empties a full one.
    const std::chrono::nanoseconds pause_;
};

} // namespace regatta::detail
