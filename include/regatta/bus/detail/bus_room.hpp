// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What becomes of messages for which a bus has no room.

#include <regatta/base/error.hpp>
#include <regatta/bus/bus_options.hpp>
#include <regatta/sync/event_count.hpp>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace regatta::detail {

/// Where publishers wait for room in a lane, and the count of what was refused.
///
/// Threads: any, unless stated otherwise. Blocks: `wait` only.
///
/// I1: a publisher waits only while there is no room, or a wake-up for it is in flight; the end of
///     the bus ends its wait.
template<class Atomics>
class basic_bus_room {
public:
    explicit basic_bus_room(when_full on_full) noexcept : on_full_(on_full) {}

    /// Repeats `attempt` until it succeeds or the bus is closed; never, if the policy is to
    /// discard. Throws `std::system_error` (`resource_deadlock_would_occur`) if the consumer would
    /// wait for itself.
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
        bool accepted = false;
        const auto settled = [&] {
            accepted = accepted || (!closed() && attempt());
            return accepted || closed();
        };
        // The consumer tells of room at the end of a round. A handler in that round may wait for
        // this very caller.
        event_.wait_and_look(settled);
        if (!accepted) {
            count_refused(unplaced);
        }
        return accepted;
    }
    /// Wakes the publishers that wait: there is room, or the bus was closed.
    void notify_all() noexcept { event_.notify_all(); }
    /// From now on nobody waits. All producers have finished.
    void wait_no_more() noexcept { on_full_ = when_full::discard; }

    bool blocks() const noexcept { return on_full_ == when_full::block; }

    void count_refused(std::size_t count) noexcept {
        refused_.fetch_add(count, std::memory_order_relaxed);
    }
    std::uint64_t refused() const noexcept {
        // relaxed: a counter that publishes nothing else.
        return refused_.load(std::memory_order_relaxed);
    }

private:
    /// Read by the consumer at every batch.
    basic_event_count<Atomics> event_;
    /// Written by refused publishers, read by `stats`. Relaxed: a counter.
    typename Atomics::template atomic<std::uint64_t> refused_{0};
    when_full on_full_; ///< Read by who finds no room; changed by `wait_no_more` alone.
};

} // namespace regatta::detail
