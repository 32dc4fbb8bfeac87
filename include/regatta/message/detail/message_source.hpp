// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The work of a worker pool: one ring of messages and tasks, and their handlers.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/bus/bus_options.hpp>
#include <regatta/core/detail/error_tally.hpp>
#include <regatta/core/detail/task_census.hpp>
#include <regatta/core/detail/worker.hpp>
#include <regatta/message/detail/message_handlers.hpp>
#include <regatta/message/detail/task_message.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/event_count.hpp>
#include <regatta/sync/mpmc_ring.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <variant>

namespace regatta::detail {

/// The source of a worker pool's engine (`basic_worker_loop` defines a source), and the place where
/// producers wait for room.
///
/// Threads: any.
/// Blocks: only `wait_for_room`.
/// Failure: an exception of a handler goes to the error tally.
///
/// I1: each accepted message is taken once, and then handled or destroyed.
/// I2: a producer that waits for room does not sleep through `tell_closed`, nor through the ring
///     being half empty.
template<class Atomics, class... Messages>
class basic_message_source {
public:
    using handler_set = message_handlers<Messages...>;
    using message = typename handler_set::message;

    using count = basic_task_count<Atomics>;
    /// The source's part of each worker's record.
    struct seat {
        // Written by the worker, read by `stats`.
        count tasks;           ///< Tasks that the worker took.
        count run_here;        ///< Tasks that it submitted and ran, for want of room.
        count called_off_here; ///< Such tasks that had been cancelled.
    };

    /// @param errors outlives this.
    basic_message_source(std::size_t capacity, error_tally& errors)
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
        // relaxed: producers load it after they claimed a cell. A cell is reused only after the
        // workers have started, which orders that load after this store.
        timed_.store(handlers_.timed(), std::memory_order_relaxed);
    }

    // --- messages go in --------------------------------------------------------------------------

    /// Accepts a message if fewer than `limit` are queued and there is room.
    /// @returns whether it did; otherwise the message is unchanged.
    template<class T>
    bool try_append(std::size_t limit, T&& m) noexcept {
        return try_append_made(limit, [&]() noexcept -> T&& { return std::forward<T>(m); });
    }
    /// The same for the message that `make()` returns, which is called if it is accepted.
    template<class Make>
    REGATTA_INLINE bool try_append_made(std::size_t limit, Make&& make) noexcept {
        return ring_.has_room_below(limit) &&
               ring_.try_place([&](auto& cell, std::uint64_t position) noexcept {
                   if (timed_.load(std::memory_order_relaxed)) [[unlikely]] {
                       submitted_at_[ring_.index_of(position)] = Atomics::now_ns();
                   }
                   cell.emplace(make());
               });
    }
    /// Waits until `settled()` holds, at most until `deadline` (null: none). Checks it again
    /// whenever room is announced.
    template<class Settled>
    void wait_for_room(Settled&& settled,
                       const std::chrono::steady_clock::time_point* deadline = nullptr) {
        // Sleepers are woken when the ring is half empty. The consumer may be waiting for this very
        // caller, so that no more room ever comes.
        static_cast<void>(room_.wait_and_look_until(settled, deadline));
    }

    // --- for the worker loop ---------------------------------------------------------------------

    template<class Found>
    REGATTA_INLINE worker_turn run_next(seat& mine, unsigned worker, unsigned,
                                        Found&& found) noexcept {
        message_context context{.worker = worker};
        std::int64_t submitted = 0;
        auto turn = worker_turn::ran;
        const bool taken = ring_.try_use(
            [&](std::uint64_t position) noexcept {
                context.sequence = position;
                if (handlers_.timed()) [[unlikely]] {
                    submitted = submitted_at_[ring_.index_of(position)];
                }
            },
            [&](message& m) noexcept {
                const bool discard = found(task_origin::own);
                tell_room();
                if (submitted != 0) [[unlikely]] {
                    context.waited = std::chrono::nanoseconds(Atomics::now_ns() - submitted);
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
    /// Runs a task that has found no room, in the worker that submits it.
    REGATTA_RARE void run_here(seat& mine, const task_message& t) noexcept {
        (t.job()() ? mine.run_here : mine.called_off_here).add();
    }
    void flush(seat&) noexcept {}
    bool ready(unsigned, unsigned) const noexcept { return ring_.ready(); }
    bool coming(unsigned, unsigned) const noexcept { return ring_.coming(); }
    std::uint64_t appended() const noexcept { return ring_.claimed(); }
    std::uint64_t taken() const noexcept { return ring_.consumed(); }
    void close() noexcept { ring_.close(); }
    bool closed() const noexcept { return ring_.closed(); }

    // --- for the engine --------------------------------------------------------------------------

    /// The pool is closed: producers that wait for room check again.
    void tell_closed() noexcept { room_.notify_all(); }
    /// In a fork of the process, before the destructor: the messages are the other process's.
    void abandon() noexcept { ring_.abandon(); }

    /// Destroys every queued message and calls `dropped()` for each. Repeats while `more()` says
    /// that messages are still being appended.
    template<class Dropped, class More>
    void drop_all(Dropped&& dropped, More&& more) noexcept {
        for (basic_backoff<Atomics> pace;; pace.pause_or_sleep()) {
            while (ring_.try_use([](std::uint64_t) noexcept {}, &drop)) {
                dropped(); // Now the message is destroyed, too.
            }
            if (!more()) {
                return;
            }
        }
    }

private:
    /// @returns false if the message was a task that had been cancelled.
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
    /// Wakes producers that wait for room once the ring is half empty. Waking them for each free
    /// cell would cost two context switches a message.
    void tell_room() noexcept {
        if (room_.has_sleepers() && ring_.size() <= ring_.capacity() / 2) {
            room_.notify_all();
        }
    }

    basic_mpmc_ring<message, Atomics> ring_;
    /// Time of submission by ring position, used if a handler takes a context. Written and read by
    /// the thread whose turn the ring's cell is.
    const std::unique_ptr<std::int64_t[]> submitted_at_;
    handler_set handlers_;
    error_tally& errors_;
    /// Whether a handler takes a context. Written by the owner before the workers start, read by
    /// producers.
    typename Atomics::template atomic<bool> timed_{false};
    /// Event count of producers that wait for room; workers read it at every message.
    alignas(destructive_alignment) basic_event_count<Atomics> room_;
};

/// The source of real worker pools.
template<class... Messages>
using message_source = basic_message_source<std_atomics, Messages...>;

} // namespace regatta::detail
