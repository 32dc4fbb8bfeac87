// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workers of a thread pool and the queues from which they take tasks: how they find work,
/// sleep, come and go.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/block_cache.hpp>
#include <regatta/core/detail/pool_members.hpp>
#include <regatta/core/detail/pool_room.hpp>
#include <regatta/core/detail/pool_worker.hpp>
#include <regatta/core/detail/task_census.hpp>
#include <regatta/core/detail/wait_graph.hpp>
#include <regatta/core/detail/worker_gate.hpp>
#include <regatta/core/pool_options.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/pool/detail/task_queues.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/event_count.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace regatta::detail {

/// The part of `pool_engine` in which the workers live.
///
/// I1: a worker that sleeps looked after the last task that it could take was appended, or a
///     notification for that task is on its way to a worker.
/// I2: `idle` is true only if at some moment since the call no task waited or ran.
class pool_workers {
public:
    using clock = std::chrono::steady_clock;
    static constexpr unsigned outside = task_queues::outside;

    pool_workers(const pool_workers&) = delete;
    pool_workers& operator=(const pool_workers&) = delete;

    const pool_options& options() const noexcept { return options_; }
    bool closed() const noexcept { return census_.closed(); }

    /// The number of the worker that calls, or `outside`.
    unsigned caller() const noexcept {
        const worker_context* const context = worker_context::current();
        return context != nullptr && context->pool == this ? context->index : outside;
    }

    /// Hands an exception that nobody waits for to the error sink.
    void report(std::exception_ptr error) noexcept {
        options_.on_error.report(std::move(error), errors_.fetch_add(1, std::memory_order_relaxed));
    }

    // --- workers come and go ---------------------------------------------------------------------

    /// Starts that many workers, or none: throws `std::system_error` then.
    void add_workers(unsigned count) {
        const std::lock_guard lifecycle(lifecycle_);
        if (closed()) {
            fail_state("the pool '" + options_.name + "' is closed; it gets no further threads");
        }
        unsigned added = members_.ask_to_stay(count); // Those that have not yet left stay instead.
        REGATTA_TRY {
            for (; added < count; ++added) {
                add_worker();
            }
        }
        REGATTA_CATCH_ALL {
            members_.ask_to_leave(added);
            gate_.notify_all();
            REGATTA_RETHROW;
        }
        rested_.notify_all();
    }
    /// Lets that many workers, or all there are, leave after the tasks that they run. If the pool
    /// is closed they leave anyway.
    void remove_workers(unsigned count) {
        const std::lock_guard lifecycle(lifecycle_);
        if (!closed()) {
            members_.ask_to_leave(count);
            gate_.notify_all();
            rested_.notify_all();
        }
    }
    /// Workers that there are, those included that are to leave.
    unsigned running() const noexcept { return members_.running(); }
    /// Workers that are to stay.
    unsigned expected() const noexcept { return members_.expected(); }
    /// Adds or removes so many that `count` are to stay.
    void resize(unsigned count) {
        const std::lock_guard resizing(resize_mutex_);
        const unsigned now = expected();
        if (count > now) {
            add_workers(count - now);
        } else {
            remove_workers(now - count);
        }
    }
    /// Waits until those that are to leave have left. In a task of the pool it throws
    /// `std::system_error` (`resource_deadlock_would_occur`).
    void wait_for_leavers() {
        if (caller() != outside) {
            fail_system(EDEADLK,
                        "wait for threads of the pool '" + options_.name + "' in one of its tasks");
        }
        progress_.wait([this] { return members_.all_left(); });
    }

    /// Workers that have no task at the moment.
    unsigned resting() const noexcept { return members_.resting(); }
    /// Tasks that have been appended so far.
    std::uint64_t appended() const noexcept { return queues_.appended(); }
    /// Tasks that have left the queues so far.
    std::uint64_t taken() const noexcept { return queues_.taken(); }
    /// Where one sleeps until a worker finds a task after it had none, or their number changes.
    event_count& rested() noexcept { return rested_; }

protected:
    pool_workers(pool_options options, queue_layout layout, unsigned workers)
        : options_(std::move(options))
        , queues_(layout, workers)
        , steal_(options_.steal)
        , room_(options_.capacity) {}
    ~pool_workers() = default;

    // --- a worker's life -------------------------------------------------------------------------

    void add_worker() {
        pool_worker& w = members_.add(next_index_);
        REGATTA_TRY {
            w.thread.start(
                1, options_.name, options_.pin, options_.schedule,
                [this, &w](unsigned) noexcept { work(w); }, next_index_, options_.cpus);
        }
        REGATTA_CATCH_ALL {
            members_.remove(w);
            REGATTA_RETHROW;
        }
        ++next_index_;
    }

    void work(pool_worker& me) noexcept {
        std::optional<pool_seat> seat;
        seat.emplace(this, me, waits_, blocks_);
        call_hook(options_.on_start, me);
        backoff pace;
        bool worked = true; // Since it last told that it found nothing; the hook may have.
        bool leaves = false;
        me.activity.enter();
        for (;;) {
            if (members_.surplus() != 0 && members_.begin_leave(me)) [[unlikely]] {
                leaves = true;
                break;
            }
            if (held()) {
                // It wakes nobody in its place: pause() did, and resume() will. They would do the
                // same for each other as long as a task waits.
                static_cast<void>(gate_.end(me.search, [] { return false; }));
            } else {
                if (run_next(me)) {
                    me.activity.renew();
                    pace.reset();
                    worked = true;
                    continue;
                }
                if (finished()) {
                    break;
                }
                gate_.begin(me.search);
            }
            me.activity.leave();
            if (std::exchange(worked, false)) {
                me.tally.flush();
                tell_progress();
            } else {
                progress_.notify_all(); // For pause().
            }
            if (!pace.pause(me.patience)) {
                sleep(me);
                pace.reset();
            }
            me.activity.enter();
        }
        me.tally.flush();
        tell_progress();
        // Before the hook, which may wait for a task, or for the others to get there, too.
        stop_looking(me);
        gate_.notify_all(); // If this one found the end, so will the others.
        call_hook(options_.on_stop, me);
        // What the hook submitted. Partner of the fence: that in end(). Either this sees that the
        // pool is closed, or who closes it sees the tasks.
        full_fence();
        while (closed() && run_next(me)) {
        }
        me.tally.flush();
        me.end_busy();
        me.activity.leave();
        seat.reset();
        tell_progress();
        gate_.notify_all(); // Once more: the hook may have submitted tasks.
        if (leaves) {
            members_.end_leave(me);
            progress_.notify_all();
        }
    }

    /// Runs the task whose turn it is, if there is one.
    bool run_next(pool_worker& me) noexcept {
        bool stolen = false;
        const auto b = queues_.take(me.index, me.turn, stealing(), me.victim, stolen);
        if (b.size() == 0) {
            return false;
        }
        stop_looking(me);
        ++me.turn;
        if (me.begin_busy()) {
            rested_.notify_all();
        }
        room_.give(1);
        bool ran = false;
        // relaxed: who discards drops what it finds itself, too.
        if (!discarding_.load(std::memory_order_relaxed)) [[likely]] {
            REGATTA_TRY {
                ran = b[0].run();
            }
            REGATTA_CATCH_ALL {
                ran = true;
                report(std::current_exception());
            }
        } else {
            ran = b[0].drop();
        }
        b.destroy(0);
        me.tally.finish(b, 1);
        me.count_task(ran, stolen);
        return true;
    }

    void sleep(pool_worker& me) noexcept {
        me.end_busy();
        const auto to_do = [&](bool there) {
            return (!held() && there) || members_.surplus() != 0 || finished();
        };
        const auto something = [&] { return to_do(queues_.ready(me.index, stealing())); };
        if (options_.spin > std::chrono::nanoseconds::zero() && spin_for(something)) {
            return;
        }
        const auto ticket = gate_.announce_wait(me.search);
        if (to_do(queues_.coming(me.index, stealing()))) {
            gate_.settle();
            if (something()) {
                gate_.cancel_wait(me.search);
                return;
            }
        }
        me.count_park();
        gate_.commit_wait(me.search, ticket);
    }

    /// Looks for as long as the options say. @returns whether there is something.
    template<class Something>
    bool spin_for(Something&& something) const noexcept {
        constexpr unsigned looks = 64; // A look at the clock takes longer than one at the queues.
        const auto begin = clock::now();
        do {
            for (unsigned i = 0; i < looks; ++i) {
                if (something()) {
                    return true;
                }
                std_atomics::relax();
            }
        } while (clock::now() - begin < options_.spin);
        return false;
    }

    /// Whether who takes tasks may take them from other workers' queues. In a paused pool tasks
    /// that wait for it do, whose own workers leave them alone.
    bool stealing() const noexcept {
        // seq_cst, both: partners are the stores in steal() and pause(), and the loads in wake().
        return steal_.load(std::memory_order_seq_cst) || paused_.load(std::memory_order_seq_cst);
    }
    /// Whether the workers leave tasks alone. Closing needs them, paused or not.
    bool held() const noexcept {
        // acquire: partner is the release in pause() and resume().
        return paused_.load(std::memory_order_acquire) && !closed();
    }

    /// Whether no task is left and none will come.
    bool finished() const noexcept {
        return census_.ended([this] { return members_.completed(); },
                             [this] { return queues_.appended(); });
    }
    /// Whether all tasks are done, but for those that wait for the others if these may be left out.
    bool idle(bool but_for_waiting) const noexcept {
        return census_.idle(
            but_for_waiting, [this] { return members_.completed(); },
            [this] { return queues_.appended(); });
    }

    /// A worker found nothing after it had worked: whoever waits for that looks again.
    void tell_progress() noexcept {
        progress_.notify_all();
        if (census_.anybody_waits()) {
            gate_.notify_all();
        }
    }

    void call_hook(const std::function<void(unsigned)>& hook, pool_worker& me) noexcept {
        if (hook) {
            me.in_hook = true;
            REGATTA_TRY {
                hook(me.index);
            }
            REGATTA_CATCH_ALL {
                report(std::current_exception());
            }
            me.in_hook = false;
        }
    }

    /// The worker has found a task or goes away: others look for further ones.
    void stop_looking(pool_worker& me) noexcept {
        if (gate_.end(me.search, [&] { return queues_.coming(me.index, stealing()); })) {
            wake();
        }
    }

    /// Sees to it that workers look for tasks that have been appended.
    void wake() noexcept {
        gate_.notify([this] {
            // seq_cst, both: a worker about to sleep that has seen what this does not sees the
            // task.
            return steal_.load(std::memory_order_seq_cst) &&
                   !paused_.load(std::memory_order_seq_cst);
        });
    }

    pool_options options_;
    block_cache blocks_{this};
    wait_graph waits_;
    task_queues queues_;

    /// Where workers sleep. Written by workers, read by producers at every task.
    alignas(destructive_alignment) worker_gate gate_;
    /// Where those sleep that wait for the pool, and for workers. Read by workers that find
    /// nothing.
    alignas(destructive_alignment) event_count progress_;
    /// Where somebody sleeps while the pool has nothing to do.
    event_count rested_;

    /// Written by those who pause, steal, discard; read by workers before each task.
    alignas(destructive_alignment) std::atomic<bool> paused_{false};
    std::atomic<bool> steal_;
    std::atomic<bool> discarding_{false};

    pool_room room_;

    task_census census_;
    /// Written where something goes wrong, read by `stats`. Relaxed: counters.
    std::atomic<std::uint64_t> refused_{0};
    std::atomic<std::uint64_t> errors_{0};

    /// Held by who adds or removes workers or begins to close. No task runs under it.
    std::mutex lifecycle_;
    std::mutex resize_mutex_; ///< Held by who resizes, so that two of them do not add up.
    std::mutex join_mutex_;   ///< Held by who joins.
    unsigned next_index_ = 0; ///< Of the next worker. Guarded by `lifecycle_`.

    pool_members members_; ///< Last: their threads use all of the above.
};

} // namespace regatta::detail
