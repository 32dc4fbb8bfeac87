// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The loop of a worker: it looks for work, runs it, sleeps, is woken, helps, pauses, drains and
/// leaves.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/core/detail/task_census.hpp>
#include <regatta/core/detail/wake_marks.hpp>
#include <regatta/core/detail/worker.hpp>
#include <regatta/core/detail/worker_gate.hpp>
#include <regatta/core/detail/worker_members.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/event_count.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace regatta::detail {

/// What the workers of one pool share, over a *source* of work. It knows no threads: whoever makes
/// one calls `work` on it.
///
/// A source has
///
/// - `seat`, its part of a worker's record;
/// - `run_next(seat, worker, steal, found)`, which takes the task whose turn it is, calls
///   `found(stolen)` once it has one (`stolen`: from another worker's queue), runs the task (drops
///   it if `found` returned true) and says as a `worker_turn` what became of it; `noexcept`;
/// - `flush(seat)`: the worker is about to rest;
/// - `ready(worker, steal)`: whether the worker finds a task; `coming(worker, steal)`: the same,
///   also for a task that is just being appended, seq_cst;
/// - `appended()`, `taken()`: how many tasks have come and gone; neither shrinks;
/// - `close()`: it takes no task from outside any more.
///
/// A task is appended by a seq_cst operation; then `wake` is called.
///
/// Threads: any, where nothing else is said; `worker&` parameters are for that worker's thread.
///
/// I1: a worker that sleeps checked the source after the last task that it may take was appended,
///     or a wake-up for that task is in flight to a worker that takes it.
/// I2: `idle` is true only if at some moment since the call no task waited or ran.
/// I3: a task that was accepted is run, found called off or dropped, once; a worker's `work`
///     returns after `close` only when none is left.
/// I4: in a held loop only tasks that wait for the pool take tasks. The workers sleep elsewhere, so
///     that they use up no wake-up.
template<class Source, class Worker, class Atomics>
class basic_worker_loop {
public:
    using worker = Worker;
    using members_type = basic_worker_members<worker, Atomics>;
    using clock = std::chrono::steady_clock;
    using event_count = basic_event_count<Atomics>;

    /// @param spin how long a worker that finds nothing stays awake, beyond its backoff.
    basic_worker_loop(Source& source, bool steal, std::chrono::nanoseconds spin) noexcept
        : source_(source)
        , spin_(spin)
        , steal_(steal) {}
    basic_worker_loop(const basic_worker_loop&) = delete;
    basic_worker_loop& operator=(const basic_worker_loop&) = delete;

    // --- a worker's life -------------------------------------------------------------------------

    /// Runs tasks until the loop is closed and empty, or until the worker is to leave.
    /// @param hooks `on_start(me)` is called before the first task, `on_stop(me)` after the last,
    /// `gone(me)` when nothing of the worker's is used any more. They must not throw.
    template<class Hooks>
    void work(worker& me, Hooks&& hooks) noexcept {
        hooks.on_start(me);
        basic_backoff<Atomics> pace;
        bool worked = true; // Since it last told that it found nothing; the hook may have.
        bool leaves = false;
        me.activity.enter();
        for (;;) {
            if (members_.surplus() != 0 && members_.begin_leave(me)) [[unlikely]] {
                leaves = true;
                break;
            }
            if (held()) {
                // Wakes no other worker in its place: pause() has woken them and resume() will.
                static_cast<void>(gate_.end(me.search, [] { return false; }));
            } else {
                if (run_next(me)) {
                    me.activity.renew();
                    marks_.reach([this] { return source_.taken(); }, progress_);
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
                source_.flush(me.seat);
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
        source_.flush(me.seat);
        tell_progress();
        // Before the hook, which may wait for a task, or for the others to get there, too.
        stop_looking(me);
        gate_.notify_all(); // If this one found the end, so will the others.
        hooks.on_stop(me);
        // What the hook submitted. Partner of the fence: that in close(). Either this sees that the
        // loop is closed, or the thread that closes it sees the tasks.
        fence_.full();
        while (closed() && run_next(me)) {
        }
        source_.flush(me.seat);
        me.end_busy();
        me.activity.leave();
        hooks.gone(me);
        tell_progress();
        gate_.notify_all(); // Once more: the hook may have submitted tasks.
        if (leaves) {
            members_.end_leave(me);
            progress_.notify_all();
        }
    }

    /// Runs the task whose turn it is, if there is one.
    bool run_next(worker& me) noexcept {
        const auto found = [&](bool stolen) noexcept {
            stop_looking(me);
            if (stolen) [[unlikely]] {
                me.count_stolen();
            }
            if (me.begin_busy()) [[unlikely]] {
                rested_.notify_all();
            }
            // relaxed: the thread that discards drops what it finds itself, too.
            return discarding_.load(std::memory_order_relaxed);
        };
        const worker_turn turn = source_.run_next(me.seat, me.index, stealing(), found);
        if (turn == worker_turn::none) {
            return false;
        }
        me.count(turn);
        return true;
    }

    /// Sees to it that a worker looks for tasks that have been appended.
    void wake() noexcept {
        gate_.notify([this] {
            // seq_cst, both: partners are the fences in notify_all() and announce_wait(). If this
            // reads a value from before a change, the workers that the change wakes see the task
            // that this producer appended by a seq_cst operation before. While the loop is held,
            // those that sleep at the gate wait for the pool, and each of them has to look.
            return steal_.load(std::memory_order_seq_cst) &&
                   hold_.load(std::memory_order_seq_cst) == 0;
        });
    }

    // --- tasks that wait -------------------------------------------------------------------------

    /// A worker's task waits until `settled()` holds, and runs others meanwhile.
    /// @param tasks how many tasks wait for it to end: 1, or 0 in a hook.
    template<class Settled>
    void help_until(worker& me, unsigned tasks, Settled&& settled) {
        me.blocked += tasks;
        while (!settled()) {
            if (!run_next(me)) {
                Atomics::yield();
            }
        }
        me.blocked -= tasks;
        stop_looking(me);
    }
    /// A worker's task waits until all tasks are done but those that wait like it, and runs others
    /// meanwhile; until the deadline, if there is one. @returns whether that came about.
    bool help_until_idle(worker& me, const clock::time_point* deadline) noexcept {
        const waiting_task waiting(*this, me);
        basic_backoff<Atomics> pace;
        for (;;) {
            const bool late = deadline != nullptr && clock::now() >= *deadline;
            if (!late && run_next(me)) {
                pace.reset();
                continue;
            }
            source_.flush(me.seat);
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
            const auto ticket = gate_.prepare_wait(me.search);
            if (idle(true) || source_.ready(me.index, stealing())) {
                gate_.cancel_wait(me.search);
            } else if (deadline == nullptr) {
                gate_.commit_wait(me.search, ticket);
            } else {
                gate_.commit_wait_until(me.search, ticket, *deadline);
            }
            pace.reset();
        }
    }

    // --- waiting from outside --------------------------------------------------------------------

    /// Waits until no task waits or runs, or until the deadline. @returns whether that came about.
    bool wait_idle(const clock::time_point* deadline) {
        const auto done = [this] { return idle(false); };
        if (deadline != nullptr) {
            return progress_.wait_until(done, *deadline);
        }
        progress_.wait(done);
        return true;
    }
    /// Waits until every task that had been appended before the call is done. For a source from
    /// which tasks are taken in the order in which they came.
    void drain() {
        const std::uint64_t last = source_.appended();
        {
            const typename marks_type::mark taken(marks_, last);
            progress_.wait([&] { return source_.taken() >= last; });
        }
        // taken() acquired what each worker did up to its claim, its enter() included.
        await_passed();
    }

    // --- holding and ending ----------------------------------------------------------------------

    /// Why the workers take no task: any of these.
    enum hold_reason : unsigned char { paused = 1, starting = 2 };

    /// Lets workers take no further task until `release`. Those tasks go on that wait for the pool.
    void hold(hold_reason why) noexcept {
        // relaxed: the full fence in notify_all() orders it before the look at the sleepers; its
        // partners are the fences of those who prepare to sleep. await_rest() orders it against
        // what the workers do.
        hold_.fetch_or(why, std::memory_order_relaxed);
        // Workers that sleep at the gate, or have been woken there, go where held workers sleep
        // (I4). Tasks that wait for the pool look once more, after a fence: they see every task
        // whose producer did not see the hold.
        gate_.notify_all();
    }
    void release(hold_reason why) noexcept {
        // release: partner is the acquire in held(); what the caller did during the hold.
        hold_.fetch_and(static_cast<unsigned char>(~why), std::memory_order_release);
        released_.notify_all();
        gate_.notify_all();
    }
    bool is_held(hold_reason why) const noexcept {
        return (hold_.load(std::memory_order_relaxed) & why) != 0;
    }
    /// Waits until the tasks that were under way when a hold began have ended.
    void await_rest() {
        fence_.heavy(); // Partner: the light fence in a worker's enter() and renew().
        await_passed();
    }

    /// Whether workers may take tasks from other workers' queues.
    void steal(bool allowed) noexcept {
        steal_.store(allowed, std::memory_order_relaxed); // As in hold().
        gate_.notify_all();
    }

    /// Takes no task from outside any more. The workers run those that were accepted, or drop them
    /// if `discard` is set, and then end, held or not. Threads: one at a time.
    void close(bool discard) noexcept {
        if (discard) {
            discarding_.store(true, std::memory_order_relaxed);
        }
        source_.close();
        census_.close();
        fence_.full(); // Partner: the fence in work().
        members_.ask_to_stay(members_.surplus());
    }
    /// Has every worker look again: the loop was closed, or a worker is to leave.
    void wake_all() noexcept {
        released_.notify_all();
        gate_.notify_all();
        rested_.notify_all();
    }
    /// A task was destroyed unrun, by another thread than a worker's.
    void count_dropped() noexcept {
        census_.add_dropped();
        tell_progress();
        gate_.notify_all(); // If this was the last of a closed loop, workers wait for it.
    }

    // --- what others may ask ---------------------------------------------------------------------

    bool closed() const noexcept { return census_.closed(); }
    /// Whether the loop was closed, no task is left and none will come.
    bool finished() const noexcept {
        return census_.ended([this] { return members_.completed(); },
                             [this] { return source_.appended(); });
    }
    /// Whether all tasks are done, but for those that wait for the others if these may be left out.
    bool idle(bool but_for_waiting) const noexcept {
        return census_.idle(
            but_for_waiting, [this] { return members_.completed(); },
            [this] { return source_.appended(); });
    }
    std::uint64_t dropped() const noexcept { return census_.dropped(); }

    members_type& members() noexcept { return members_; }
    const members_type& members() const noexcept { return members_; }
    /// Where threads sleep that wait for workers to end a task or to leave.
    event_count& progress() noexcept { return progress_; }
    /// Where a thread sleeps until a worker finds a task after it had none, or until the number of
    /// workers changes.
    event_count& rested() noexcept { return rested_; }

private:
    using marks_type = basic_wake_marks<Atomics>;

    /// A task that waits for the others, as long as it does. Those that wait for room beneath it,
    /// on the same stack, wait for it, so that it must not wait for them.
    class waiting_task {
    public:
        waiting_task(basic_worker_loop& loop, worker& w) noexcept
            : loop_(loop)
            , me_(w)
            , beneath_(std::exchange(w.blocked, 0)) {
            if (loop_.census_.begin_wait(1 + beneath_) != 0) {
                loop_.gate_.notify_all(); // More may be what others wait for.
            }
        }
        waiting_task(const waiting_task&) = delete;
        waiting_task& operator=(const waiting_task&) = delete;
        ~waiting_task() {
            loop_.census_.end_wait(1 + beneath_);
            me_.blocked = beneath_;
            loop_.stop_looking(me_);
        }

    private:
        basic_worker_loop& loop_;
        worker& me_;
        const unsigned beneath_;
    };

    void sleep(worker& me) noexcept {
        me.end_busy();
        if (held()) {
            sleep_held(me);
            return;
        }
        const auto to_do = [&](bool there) {
            return held() || there || members_.surplus() != 0 || finished();
        };
        const auto something = [&] { return to_do(source_.ready(me.index, stealing())); };
        if (spin_ > std::chrono::nanoseconds::zero() && spin_for(something)) {
            return;
        }
        const auto ticket = gate_.announce_wait(me.search);
        if (to_do(source_.coming(me.index, stealing()))) {
            gate_.settle();
            if (something()) {
                gate_.cancel_wait(me.search);
                return;
            }
        }
        me.count_park();
        gate_.commit_wait(me.search, ticket);
    }
    /// The worker of a held loop sleeps.
    void sleep_held(worker& me) noexcept {
        me.count_park();
        released_.wait([this] { return !held() || members_.surplus() != 0; });
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
                Atomics::relax();
            }
        } while (clock::now() - begin < spin_);
        return false;
    }

    /// Whether workers may steal. Tasks that wait for a paused pool still steal: the paused workers
    /// leave their queues alone.
    bool stealing() const noexcept {
        // relaxed, both: a thread that has announced its sleep sees the change, or the one that
        // made the change wakes it.
        return steal_.load(std::memory_order_relaxed) || hold_.load(std::memory_order_relaxed) != 0;
    }
    /// Whether the workers leave tasks alone. Closing needs them, held or not.
    bool held() const noexcept {
        // acquire: partner is the release in release().
        return hold_.load(std::memory_order_acquire) != 0 && !closed();
    }

    /// The worker has found a task or goes away: others look for further ones.
    void stop_looking(worker& me) noexcept {
        if (me.search.on()) [[unlikely]] {
            end_search(me);
        }
    }
    REGATTA_RARE void end_search(worker& me) noexcept {
        if (gate_.end(me.search, [&] { return source_.coming(me.index, stealing()); })) {
            wake();
        }
    }
    /// A worker found nothing after it had worked: whoever waits for that looks again.
    void tell_progress() noexcept {
        progress_.notify_all();
        if (census_.anybody_waits()) {
            gate_.notify_all();
        }
    }
    /// Waits for the end of the task that each worker has under way.
    void await_passed() {
        const typename marks_type::mark every_task(marks_, 0);
        unsigned next = 0;
        while (const auto task = members_.observe_in_order(next)) {
            progress_.wait([&] { return members_.passed(*task); });
            next = task->index + 1;
        }
    }

    Source& source_;
    const std::chrono::nanoseconds spin_;

    /// Where workers sleep, and tasks that wait for the pool. Written by them, read by producers at
    /// every task.
    alignas(destructive_alignment) basic_worker_gate<Atomics> gate_;
    /// Where the threads sleep that wait for the pool, and for workers. Read by workers that find
    /// nothing.
    alignas(destructive_alignment) event_count progress_;
    event_count rested_;
    event_count released_; ///< Where the workers of a held loop sleep.

    /// Written by the threads that hold, steal, discard; read by workers before each task.
    alignas(destructive_alignment) typename Atomics::template atomic<unsigned char> hold_{0};
    typename Atomics::template atomic<bool> steal_;
    typename Atomics::template atomic<bool> discarding_{false};
    marks_type marks_; ///< Whose threads sleep at `progress_` for single tasks.

    basic_task_census<Atomics> census_;
    members_type members_;
    [[no_unique_address]] typename Atomics::fence fence_;
};

} // namespace regatta::detail
