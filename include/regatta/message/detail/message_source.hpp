// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The work of a worker pool: messages and tasks in one ring, and the handlers they are for.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/bus/admission.hpp>
#include <regatta/core/detail/error_tally.hpp>
#include <regatta/core/detail/task_census.hpp>
#include <regatta/core/detail/worker.hpp>
#include <regatta/message/detail/message_handlers.hpp>
#include <regatta/message/detail/task_message.hpp>
#include <regatta/sync/event_count.hpp>
#include <regatta/sync/mpmc_ring.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

namespace regatta::detail {

/// The source of a worker pool's engine (`basic_worker_loop` says what a source is), with the
/// producers that wait for room.
///
/// Threads: any. Blocks: `wait_for_room` only. Failure: a handler's exception goes to the error
/// tally.
///
/// I1: a message that was accepted is taken once, and handled or destroyed.
template<class... Messages>
class message_source {
public:
    using handler_set = message_handlers<Messages...>;
    using message = typename handler_set::message;

    /// What it keeps for each worker.
    struct seat {
        task_count tasks; ///< Of what the worker took: tasks. Written by it, read by `stats`.
    };

    /// @param errors outlives this.
    message_source(std::size_t capacity, error_tally& errors)
        : ring_(capacity)
        , submitted_at_(std::make_unique<std::int64_t[]>(ring_.capacity()))
        , errors_(errors) {}

    std::size_t capacity() const noexcept { return ring_.capacity(); }
    std::size_t size() const noexcept { return ring_.size(); }
    /// Threads: the owner's, before the workers start.
    const handler_set& handlers() const noexcept { return handlers_; }
    template<class T, class Handler>
    void set_handler(Handler&& handler) {
        handlers_.template assign<T>(std::forward<Handler>(handler));
        // relaxed: producers load it after they claimed a cell. Cells are used again only after
        // the workers have started, which orders the load behind this.
        timed_.store(handlers_.timed(), std::memory_order_relaxed);
    }

    // --- messages go in --------------------------------------------------------------------------

    /// Accepts a message if fewer than `limit` wait, and there is room.
    /// @returns whether it did; if not, the message is as it was.
    template<class T>
    bool try_append(std::size_t limit, T&& m) noexcept {
        return ring_.has_room_below(limit) &&
               ring_.try_place([&](auto& cell, std::uint64_t position) noexcept {
                   if (timed_.load(std::memory_order_relaxed)) [[unlikely]] {
                       submitted_at_[position & (ring_.capacity() - 1)] = std_atomics::now_ns();
                   }
                   cell.emplace(std::forward<T>(m));
               });
    }
    /// Waits until `settled()` holds; looks again when room comes.
    template<class Settled>
    void wait_for_room(Settled&& settled) {
        // A sleeper is told of half the room. The one who takes messages may be waiting for this
        // very caller, and then there will not be more room than there is: it looks by itself, too.
        while (!room_.wait_until(settled, std::chrono::steady_clock::now() + look_again)) {
        }
    }

    // --- for the worker loop ---------------------------------------------------------------------

    template<class Found>
    REGATTA_INLINE worker_turn run_next(seat& mine, unsigned worker, bool, Found&& found) noexcept {
        message_context context{.worker = worker};
        std::int64_t submitted = 0;
        auto turn = worker_turn::ran;
        const bool taken = ring_.try_use(
            [&](std::uint64_t position) noexcept {
                context.sequence = position;
                if (handlers_.timed()) [[unlikely]] {
                    submitted = submitted_at_[position & (ring_.capacity() - 1)];
                }
            },
            [&](message& m) noexcept {
                const bool discard = found(false);
                tell_room();
                if (submitted != 0) [[unlikely]] {
                    context.waited = std::chrono::nanoseconds(std_atomics::now_ns() - submitted);
                }
                if (discard) [[unlikely]] {
                    drop(m);
                    turn = worker_turn::called_off;
                } else if (!handle(m, context, mine)) {
                    turn = worker_turn::called_off;
                }
            });
        return taken ? turn : worker_turn::none;
    }
    void flush(seat&) noexcept {}
    bool ready(unsigned, bool) const noexcept { return ring_.ready(); }
    bool coming(unsigned, bool) const noexcept { return ring_.coming(); }
    std::uint64_t appended() const noexcept { return ring_.claimed(); }
    std::uint64_t taken() const noexcept { return ring_.consumed(); }
    void close() noexcept { ring_.close(); }
    bool closed() const noexcept { return ring_.closed(); }

    // --- for the engine --------------------------------------------------------------------------

    /// The pool is closed: producers that wait for room look again.
    void tell_closed() noexcept { room_.notify_all(); }

    /// Destroys all messages that wait, and calls `dropped()` for each, as long as there are some
    /// or `more()` says that some are on their way.
    template<class Dropped, class More>
    void drop_all(Dropped&& dropped, More&& more) noexcept {
        do {
            while (std::optional<message> m = ring_.try_take()) {
                drop(*m);
                dropped();
            }
        } while (more() && (std::this_thread::yield(), true));
    }

private:
    /// How long a producer that waits may overlook room: long beside a wait for half of it.
    static constexpr std::chrono::milliseconds look_again{10};

    /// @returns false if it was a task that had been called off.
    bool handle(message& m, const message_context& context, seat& mine) noexcept {
        bool ran = true;
        REGATTA_TRY {
            handlers_.dispatch(m, context, [&](const task_message& t) noexcept {
                ran = t.job()();
                mine.tasks.add();
            });
        }
        REGATTA_CATCH_ALL {
            errors_.report(std::current_exception());
        }
        return ran;
    }
    static void drop(const message& m) noexcept {
        if (const auto* const t = std::get_if<task_message>(&m)) {
            static_cast<void>(t->job().drop());
        }
    }
    /// A producer that waits for room sleeps until the ring is half empty: waking it for each free
    /// cell would cost two context switches a message.
    void tell_room() noexcept {
        if (room_.has_sleepers() && ring_.size() <= ring_.capacity() / 2) {
            room_.notify_all();
        }
    }

    mpmc_ring<message> ring_;
    /// When the message at each position came, if a handler asks. Written and read by whose turn
    /// the cell of the ring is.
    const std::unique_ptr<std::int64_t[]> submitted_at_;
    handler_set handlers_;
    error_tally& errors_;
    /// Whether a handler asks. Written by the owner before the workers start, read by producers.
    std::atomic<bool> timed_{false};
    /// Where producers sleep that wait for room; takers read it at every message.
    alignas(destructive_alignment) event_count room_;
};

} // namespace regatta::detail
