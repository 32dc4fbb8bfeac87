// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How messages get into a worker pool: who is let in, who waits for room, and when no more come.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/priority.hpp>
#include <regatta/message/worker_pool_options.hpp>
#include <regatta/sync/event_count.hpp>
#include <regatta/sync/mpmc_ring.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace regatta::detail {

/// The ring of a worker pool with those who wait at either end of it: producers for room, takers
/// for messages. It knows nothing of workers.
///
/// Threads: any, for every member. Blocks: `submit` only.
///
/// I1: what was accepted is taken once.
/// I2: who sleeps at `takers` looked after the last message was accepted, or a notification for
///     that message is on its way to somebody there. So only who takes messages may sleep there.
template<class Message>
class worker_pool_intake {
public:
    /// Throws `std::invalid_argument` for bad admission levels.
    worker_pool_intake(std::size_t capacity, const admission_levels& admission)
        : ring_(capacity)
        , limits_(admission, ring_.capacity()) {}
    worker_pool_intake(const worker_pool_intake&) = delete;
    worker_pool_intake& operator=(const worker_pool_intake&) = delete;

    std::size_t capacity() const noexcept { return ring_.capacity(); }

    // --- messages go in --------------------------------------------------------------------------

    /// Accepts a message if there is room: up to the level of its priority, if one is given.
    template<class T>
    bool try_submit(T&& m) noexcept {
        return count(ring_.try_emplace(std::forward<T>(m)));
    }
    template<class T>
    bool try_submit(T&& m, priority p) noexcept {
        return count(ring_.try_emplace_below(limits_[p], std::forward<T>(m)));
    }
    /// Waits for room if there is none. First it calls `help(settled)`: for a caller that must not
    /// sleep that returns true once `settled()` holds; after false at once the caller sleeps here.
    /// @returns false only if the pool is closed.
    template<class T, class Help>
    bool submit(T&& m, Help help) {
        if (ring_.try_emplace(std::move(m))) [[likely]] {
            return count(true);
        }
        return submit_later(std::move(m), ring_.capacity(), help);
    }
    template<class T, class Help>
    bool submit(T&& m, priority p, Help help) {
        if (limits_[p] == 0) {
            fail_argument("worker_pool::submit: the admission level of this priority is 0, so that "
                          "it would wait for ever");
        }
        if (ring_.try_emplace_below(limits_[p], std::move(m))) [[likely]] {
            return count(true);
        }
        return submit_later(std::move(m), limits_[p], help);
    }

    /// Refuses messages from now on; who waits for room or for messages looks again.
    void close() noexcept {
        ring_.close();
        takers_.notify_all();
        room_.notify_all();
    }
    bool closed() const noexcept { return ring_.closed(); }

    // --- messages come out -----------------------------------------------------------------------

    /// Takes the message whose turn it is, calls `use` with it and destroys it. @returns whether
    /// there was one. @param use must not throw.
    template<class Use>
    bool take(Use&& use) noexcept {
        std::optional<Message> m = ring_.try_take();
        if (!m) {
            return false;
        }
        // A producer that waits for room sleeps until the ring is half empty: waking it for each
        // free cell would cost two context switches a message.
        if (room_.has_sleepers() && ring_.size() <= ring_.capacity() / 2) {
            room_.notify_all();
        }
        use(*m);
        return true;
    }
    /// Whether there seems to be a message to take.
    bool ready() const noexcept { return ring_.ready(); }
    /// Where those sleep that take messages, and are told of each.
    event_count& takers() noexcept { return takers_; }

    // --- figures ---------------------------------------------------------------------------------

    /// Messages accepted so far.
    std::uint64_t claimed() const noexcept { return ring_.claimed(); }
    /// Messages taken so far. Who sees one taken sees what its taker did before.
    std::uint64_t consumed() const noexcept { return ring_.consumed(); }
    /// Whether no message is left and none will come.
    bool finished() const noexcept { return closed() && consumed() == claimed(); }

    /// Adds its figures.
    void read(worker_pool_stats& s) const noexcept {
        s.queued = ring_.size();
        s.submitted = ring_.claimed();
        // relaxed: a counter that publishes nothing but itself.
        s.refused = refused_.load(std::memory_order_relaxed);
    }

private:
    /// Wakes a taker for a message that was accepted, or counts one that was not.
    bool count(bool accepted) noexcept {
        if (accepted) {
            takers_.notify_one();
        } else {
            refused_.fetch_add(1, std::memory_order_relaxed);
        }
        return accepted;
    }

    /// Submits what found no room at first. By value, so that the caller's message stays in
    /// registers.
    template<class T, class Help>
    REGATTA_RARE bool submit_later(T m, std::size_t limit, Help help) {
        bool accepted = false;
        const auto settled = [&] {
            accepted = accepted || ring_.try_emplace_below(limit, std::move(m));
            return accepted || ring_.closed();
        };
        if (!help(settled)) {
            room_.wait(settled);
        }
        return count(accepted);
    }

    mpmc_ring<Message> ring_;
    const admission_limits limits_;

    /// Where those sleep that take messages; producers read it at every submit.
    alignas(destructive_alignment) event_count takers_;
    /// Where producers sleep that wait for room; takers read it at every message.
    alignas(destructive_alignment) event_count room_;
    /// Written by whose message is refused, read by `stats`. Relaxed: a counter.
    alignas(destructive_alignment) std::atomic<std::uint64_t> refused_{0};
};

} // namespace regatta::detail
