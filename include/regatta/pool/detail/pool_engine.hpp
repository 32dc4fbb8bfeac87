// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The inside of every thread pool: how tasks get to the workers, and how one waits for these,
/// pauses and ends them.

#include <regatta/base/error.hpp>
#include <regatta/pool/detail/pool_workers.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace regatta::detail {

/// What the thread pools have in common; `thread_pool` gives it their interface.
///
/// Threads: any, for every member.
///
/// I1: a task that was accepted is run, or found called off, or dropped, once; `close` returns
///     after that.
class pool_engine : public pool_workers {
public:
    /// No worker yet. Throws `std::invalid_argument` for options that make no sense.
    pool_engine(pool_options options, queue_layout layout, unsigned workers)
        : pool_workers(std::move(options), layout, workers) {
        if (options_.spin < std::chrono::nanoseconds::zero()) {
            fail_argument("pool_options::spin must not be negative");
        }
    }
    ~pool_engine() { finish(); }

    block_cache& blocks() noexcept { return blocks_; }

    // --- tasks go in -----------------------------------------------------------------------------

    /// Appends up to `count` closures of type `F`, each of which `make(i)` gives, and wakes workers
    /// for them. A bounded pool's caller has room for all of them; for what is not appended it
    /// gives the room back if the pool is closed or this throws. @returns how many; 0 only if it is
    /// closed.
    template<class F, class Make>
    std::size_t append(priority level, std::size_t count, Make&& make) {
        std::size_t appended = 0;
        REGATTA_TRY {
            while (appended != count) {
                const std::size_t more = queues_.append<F>(level, caller(), count - appended, make);
                if (more == 0) {
                    break;
                }
                appended += more;
                wake();
            }
        }
        REGATTA_CATCH_ALL {
            room_.give(count - appended);
            REGATTA_RETHROW;
        }
        room_.give(count - appended);
        return appended;
    }

    /// Takes room for up to `count` tasks. @returns for how many; 0: the pool is bounded and full.
    std::size_t take_room(std::size_t count) noexcept { return room_.take(count); }
    /// Waits for room for a task; a worker of the pool runs tasks meanwhile.
    /// @returns whether the caller has it; false only if the pool is closed.
    bool wait_for_room() {
        if (caller() == outside) {
            return room_.wait([this] { return closed(); });
        }
        // Its own waiting must not keep the queues full.
        const helper h(*this);
        const unsigned tasks = h.me.in_hook && h.me.helping == 1 ? 0 : 1; // A hook is none.
        h.me.blocked += tasks;
        while (take_room(1) == 0) {
            if (!run_next(h.me)) {
                std::this_thread::yield();
            }
        }
        h.me.blocked -= tasks;
        return true;
    }
    /// Makes room for a task of that priority: takes what there is, or drops the task that has
    /// waited longest among those of the lowest priority. @returns whether the caller has room; not
    /// if all that wait are of a higher priority.
    bool make_room(priority level) noexcept {
        while (take_room(1) == 0) {
            if (drop_oldest(priority::low) ||
                (level >= priority::medium && drop_oldest(priority::medium)) ||
                (level == priority::high && drop_oldest(priority::high))) {
                continue;
            }
            if (level != priority::high && queues_.size() != 0) {
                return false;
            }
            std::this_thread::yield(); // Others have room and are about to use it.
        }
        return true;
    }

    void count_refused(std::size_t count) noexcept {
        refused_.fetch_add(count, std::memory_order_relaxed);
    }

    // --- waiting ---------------------------------------------------------------------------------

    /// Waits until no task waits or runs, or until the deadline. @returns whether that came about.
    bool wait_idle(const clock::time_point* deadline) {
        if (caller() != outside) {
            return help_until_idle(deadline);
        }
        const auto done = [this] { return idle(false); };
        if (deadline != nullptr) {
            return progress_.wait_until(done, *deadline);
        }
        progress_.wait(done);
        return true;
    }

    // --- pausing and ending ----------------------------------------------------------------------

    /// Lets workers take no further task until `resume`. Within a task it returns at once,
    /// otherwise once no task runs; one that waits for the pool goes on running others.
    void pause() {
        // release: partner is the acquire in held(); observe() orders it against what workers do.
        // seq_cst: see stealing().
        paused_.store(true, std::memory_order_seq_cst);
        // One that has just been woken for a task may leave it alone: a task that waits for the
        // pool has to look. It looks after a fence, so that it sees what was appended by whoever
        // read the flag before.
        gate_.notify_all();
        if (caller() != outside) {
            return;
        }
        const auto at_work = members_.observe();
        progress_.wait([&] { return members_.passed(at_work); });
    }
    void resume() noexcept {
        paused_.store(false, std::memory_order_seq_cst); // As in pause().
        gate_.notify_all();
    }
    bool paused() const noexcept { return paused_.load(std::memory_order_relaxed); }

    void steal(bool allowed) noexcept {
        steal_.store(allowed, std::memory_order_seq_cst); // See stealing().
        gate_.notify_all();
    }

    /// Refuses tasks from outside, runs those that were accepted, ends the workers. Again: does
    /// nothing. In a task of the pool it throws `std::system_error`
    /// (`resource_deadlock_would_occur`).
    void close() { end(false); }
    /// The same, but tasks that have not begun are destroyed.
    void discard() { end(true); }
    /// As `close`, for destructors. If there is no worker, and the system has no thread for one,
    /// the tasks are destroyed unrun and the error sink is told.
    void finish() noexcept {
        REGATTA_TRY {
            close();
        }
        REGATTA_CATCH_ALL {
            report(std::current_exception());
            discard();
        }
    }

    // --- figures ---------------------------------------------------------------------------------

    std::size_t queued() const noexcept { return queues_.size(); }
    pool_stats stats() const {
        pool_stats s;
        members_.read(s);
        s.cancelled += census_.dropped();
        const auto late = std::min(dropped_late_.load(std::memory_order_relaxed), s.cancelled);
        s.cancelled -= late;
        s.run += late;
        s.queued = queues_.size();
        s.submitted = queues_.appended();
        s.refused = refused_.load(std::memory_order_relaxed);
        s.errors = errors_.load(std::memory_order_relaxed);
        return s;
    }

private:
    /// Tasks that wait within each other on one worker: the stack has an end.
    static constexpr unsigned deepest_help = 64;

    void end(bool discard) {
        if (caller() != outside) {
            fail_system(EDEADLK,
                        "close or stop the pool '" + options_.name + "' in one of its tasks");
        }
        {
            const std::lock_guard lifecycle(lifecycle_);
            if (discard) {
                discarding_.store(true, std::memory_order_relaxed);
            }
            queues_.close();
            census_.close();
            full_fence(); // Partner: the fence in work().
            members_.ask_to_stay(members_.surplus());
            if (!discard && members_.expected() == 0 && !idle(false)) {
                add_worker();
            }
        }
        resume();
        room_.tell_closed();
        if (discard) {
            for (const priority level : {priority::high, priority::medium, priority::low}) {
                while (drop_oldest(level)) {
                }
            }
        }
        const std::lock_guard lock(join_mutex_);
        wait_for_leavers();
        members_.join();
    }

    /// Destroys the task of that priority that has waited longest. @returns whether there was one.
    bool drop_oldest(priority level) noexcept {
        const auto b = queues_.take_oldest(level);
        if (b.size() == 0) {
            return false;
        }
        room_.give(1); // First: what continues it may be submitted by its end.
        if (b[0].drop()) {
            dropped_late_.fetch_add(1, std::memory_order_relaxed); // add_dropped() publishes it.
        }
        b.destroy(0);
        task_queues::tally mine;
        mine.finish(b, 1);
        census_.add_dropped();
        tell_progress();
        gate_.notify_all(); // If this was the last of a closed pool, workers wait for it.
        return true;
    }

    // --- helping and waiting ---------------------------------------------------------------------

    /// A task that waits for the others, as long as it does. Those that wait for room beneath it,
    /// on the same stack, wait for it, so that it must not wait for them.
    struct waiting_task {
        waiting_task(pool_engine& e, pool_worker& w) noexcept
            : engine(e)
            , me(w)
            , beneath(std::exchange(w.blocked, 0)) {
            if (engine.census_.begin_wait(1 + beneath) != 0) {
                engine.gate_.notify_all(); // More may be what others wait for.
            }
        }
        waiting_task(const waiting_task&) = delete;
        waiting_task& operator=(const waiting_task&) = delete;
        ~waiting_task() {
            engine.census_.end_wait(1 + beneath);
            me.blocked = beneath;
        }
        pool_engine& engine;
        pool_worker& me;
        const unsigned beneath;
    };

    /// A worker whose task runs others while it waits.
    struct helper {
        explicit helper(pool_engine& e)
            : engine(e)
            , me(static_cast<pool_seat*>(worker_context::current())->worker) {
            if (me.helping == deepest_help) {
                fail_system(EDEADLK, "wait in a task of the pool '" + engine.options_.name +
                                         "': " + std::to_string(deepest_help) +
                                         " tasks wait within each other");
            }
            ++me.helping;
        }
        helper(const helper&) = delete;
        helper& operator=(const helper&) = delete;
        ~helper() {
            --me.helping;
            engine.stop_looking(me);
        }
        pool_engine& engine;
        pool_worker& me;
    };

    /// Runs tasks until all but those that wait like this one are completed.
    bool help_until_idle(const clock::time_point* deadline) {
        if (const pool_worker& me = static_cast<pool_seat*>(worker_context::current())->worker;
            me.in_hook && me.helping == 0) {
            fail_system(EDEADLK,
                        "wait for the pool '" + options_.name + "' in on_start or on_stop");
        }
        const wait_graph::pool_wait level(*worker_context::current(), deadline != nullptr);
        const helper h(*this);
        const waiting_task waiting(*this, h.me);
        backoff pace;
        for (;;) {
            const bool late = deadline != nullptr && clock::now() >= *deadline;
            if (!late && run_next(h.me)) {
                pace.reset();
                continue;
            }
            h.me.tally.flush();
            if (idle(true)) {
                tell_progress();
                return true;
            }
            if (late) {
                return false;
            }
            if (pace.pause()) {
                continue;
            }
            const auto ticket = gate_.prepare_wait(h.me.search);
            if (idle(true) || queues_.ready(h.me.index, stealing())) {
                gate_.cancel_wait(h.me.search);
            } else if (deadline == nullptr) {
                gate_.commit_wait(h.me.search, ticket);
            } else {
                gate_.commit_wait_until(h.me.search, ticket, *deadline);
            }
            pace.reset();
        }
    }

    /// Of the tasks that were dropped, those that a wait had run before. Written by who drops, read
    /// by `stats`.
    std::atomic<std::uint64_t> dropped_late_{0};
};

} // namespace regatta::detail
