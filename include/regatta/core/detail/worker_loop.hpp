// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The loop of a worker: it looks for work, runs it, sleeps, is woken, helps, pauses, drains and
/// leaves.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/core/detail/fork_help.hpp>
#include <regatta/core/detail/task_census.hpp>
#include <regatta/core/detail/task_wait.hpp>
#include <regatta/core/detail/wake_marks.hpp>
#include <regatta/core/detail/worker.hpp>
#include <regatta/core/detail/worker_gate.hpp>
#include <regatta/core/detail/worker_members.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/event_count.hpp>

#include <cstdint>
#include <utility>

namespace regatta::detail {

/// The state that the workers of one pool share, over a *source* of work. It starts no threads: the
/// owner of each worker thread calls `work` on it.
///
/// A source has:
///
/// - `seat`: its part of a worker's record.
/// - `run_next(seat, worker, reach, found)`: takes the next task and calls `found(from)`, where
///   `from` is its `task_origin`. Runs the task, or drops it if `found` returned true. Returns the
///   result as a `worker_turn`. `noexcept`. A source with `has_tasks_below_forks` takes one more
///   argument: whether also such a task.
/// - `flush(seat)`: called when the worker is about to rest.
/// - `ready(worker, reach)`: whether the worker finds a task.
/// - `coming(worker, reach)`: the same, seq_cst, and also true for a task that is being appended.
/// - `appended()`, `taken()`: the number of tasks appended and taken so far. Neither shrinks.
/// - `close()`: refuses tasks from outside from now on.
///
/// `reach` is the number of following workers, counted round, whose tasks a worker may steal.
///
/// A producer appends a task by a seq_cst operation, then calls `wake`.
///
/// Threads: any, unless stated otherwise; `worker&` parameters are for that worker's thread.
///
/// I1: let T be the last appended task that a sleeping worker may take. The worker checked the
/// source
///     after T was appended, or a wake-up for T is in flight to a worker that may take it.
/// I2: `idle` is true only if, at some moment since the call, no task waited or ran.
/// I3: an accepted task is run, cancelled or dropped, exactly once. After `close`, a worker's
///     `work` returns only when no task is left.
/// I4: in a held loop only tasks that wait for the pool take tasks. The workers sleep elsewhere, so
///     they use up no wake-up.
template<class Source, class Worker, class Atomics>
class basic_worker_loop {
public:
    using worker = Worker;
    using atomics = Atomics;
    using members_type = basic_worker_members<worker, Atomics>;
    using clock = std::chrono::steady_clock;
    using event_count = basic_event_count<Atomics>;

    /// @param spin how long a worker that finds nothing stays awake after its backoff.
    basic_worker_loop(Source& source, bool steal, std::chrono::nanoseconds spin) noexcept
        : reach_(steal ? all : 0)
        , source_(source)
        , spin_(spin)
        , forks_({this,
                  [](void* l) noexcept { static_cast<basic_worker_loop*>(l)->gate_.notify_one(); },
                  [](void* l, unsigned index) noexcept {
                      return static_cast<basic_worker_loop*>(l)->gate_.sleeps(index);
                  },
                  [](void* l, unsigned index) noexcept {
                      return static_cast<basic_worker_loop*>(l)->gate_.wake(index);
                  },
                  [](void* l) noexcept { static_cast<basic_worker_loop*>(l)->tell_region_left(); },
                  [](void* l) noexcept { return static_cast<basic_worker_loop*>(l)->closed(); }}) {}
    basic_worker_loop(const basic_worker_loop&) = delete;
    basic_worker_loop& operator=(const basic_worker_loop&) = delete;

    // --- a worker's life -------------------------------------------------------------------------

    /// Runs tasks until the loop is closed and empty, or until the worker is asked to leave.
    /// @param hooks `on_start(me)` is called before the first task, `on_stop(me)` after the last,
    /// `gone(me)` when nothing of the worker is used any more. They must not throw.
    template<class Hooks>
    void work(worker& me, Hooks&& hooks) noexcept {
        hooks.on_start(me);
        forks_.add_width(1);
        forks_.may_be_called(me.index);
        basic_backoff<Atomics> pace;
        bool worked = true; // Since the last tell_progress(); on_start may have run tasks.
        bool leaves = false;
        me.activity.enter();
        for (;;) {
            if (members_.surplus() != 0 && members_.begin_leave(me)) [[unlikely]] {
                leaves = true;
                break;
            }
            if (held()) {
                // Wakes no other worker: pause() has woken them and resume() will.
                static_cast<void>(gate_.end(me.search, [] { return false; }));
                fork_help::end(*this, me);
            } else {
                if (forks_.used() ? run_next_or_help(me) : run_next(me)) {
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
                progress_.notify_all(); // pause() may wait for the leave().
            }
            if (!pace.pause(forks_.used() && me.naps < forks_.most_naps ? 0 : me.patience)) {
                sleep(me);
                pace.reset();
            }
            me.activity.enter();
        }
        source_.flush(me.seat);
        forks_.add_width(-1);
        tell_progress();
        // Before the hook, which may wait for a task or for the other workers to reach it.
        stop_looking(me);
        gate_.notify_all(); // The other workers find the end, too.
        hooks.on_stop(me);
        // Runs what the hook submitted. Partner of the fence: the one in close(). Either this
        // worker sees that the loop is closed, or the thread that closes it sees the tasks.
        fence_.full();
        while (closed() && run_next(me)) {
        }
        source_.flush(me.seat);
        me.end_busy();
        me.activity.leave();
        hooks.gone(me);
        tell_progress();
        gate_.notify_all(); // Again: the hook may have submitted tasks.
        if (leaves) {
            members_.end_leave(me);
            progress_.notify_all();
        }
    }

    /// Runs the next task, or does a part of the work of a region. @returns false if the worker
    /// found nothing.
    REGATTA_APART bool run_next_or_help(worker& me) noexcept {
        if constexpr (requires { source_.has_tasks_below_forks(); }) {
            if (source_.has_tasks_below_forks() && forks_.offers()) {
                return run_next(me, reach(), false) || fork_help::run(*this, me) || run_next(me);
            }
        }
        return run_next(me) || fork_help::run(*this, me);
    }
    /// Runs the next task. @returns false if the worker found none.
    bool run_next(worker& me) noexcept { return run_next(me, reach()); }
    /// The same, from the queues of that many following workers.
    /// @param further the source's own.
    template<class... Further>
    bool run_next(worker& me, unsigned limit, Further... further) noexcept {
        const auto found = [&](task_origin from) noexcept {
            stop_looking(me);
            if (from != task_origin::own) [[unlikely]] {
                me.count_stolen();
                // Their producers have told of them before, but then they were elsewhere: who looks
                // in between finds none, and sleeps.
                if (from == task_origin::stolen_among_others) {
                    wake();
                }
            }
            if (me.begin_busy()) [[unlikely]] {
                rested_.notify_all();
            }
            // relaxed: a stale value may be read. The discarding thread drops what it finds, too.
            return discarding_.load(std::memory_order_relaxed);
        };
        const worker_turn turn = source_.run_next(me.seat, me.index, limit, found, further...);
        if (turn == worker_turn::none) {
            return false;
        }
        me.count(turn);
        return true;
    }

    /// Stands for "no worker".
    static constexpr unsigned nobody = ~0u;
    /// The reach of a worker that may steal from every other.
    static constexpr unsigned all = ~0u;
    /// The same for once, in a loop with a limited reach: one task at a time. What a worker stole
    /// beside it would wait for that worker.
    static constexpr unsigned all_for_once = all - 1;

    /// The reach of a worker whose task waits for another, or for room.
    unsigned reach_in_wait() const noexcept {
        // relaxed: as in reach().
        return reach_.load(std::memory_order_relaxed) == all ? all : all_for_once;
    }

    /// Ensures that a worker looks for the tasks that have been appended.
    /// @param owner the worker that alone may take them while workers do not steal, or `nobody`.
    void wake(unsigned owner = nobody) noexcept {
        using takers = typename basic_worker_gate<Atomics>::takers;
        gate_.notify(
            [this, owner] {
                // seq_cst, both: partners are the fences in notify_all() and announce_wait(). If a
                // load reads the value before a change, the workers that the change wakes see the
                // task: this producer appended it before, by a seq_cst operation. In a held loop
                // the sleepers at the gate are tasks that wait for the pool, and each of them must
                // look.
                // With a limited reach the worker that looks may not reach the task, and the owner
                // may be busy: all sleepers look. If a fork that waits has announced its sleep, it
                // is seen here, too.
                const unsigned limit = reach_.load(std::memory_order_seq_cst);
                return hold_.load(std::memory_order_seq_cst) != 0                 ? takers::some
                       : limit == all                                             ? takers::any
                       : limit == 0 && owner != nobody && !forks_.anybody_waits() ? takers::owner
                                                                                  : takers::some;
            },
            owner);
    }

    // --- tasks that wait -------------------------------------------------------------------------

    /// As `basic_task_wait::until`.
    template<class Settled>
    void help_until(worker& me, Settled&& settled) {
        task_wait::until(*this, me, settled);
    }
    /// As `basic_task_wait::until_idle`.
    REGATTA_RARE bool help_until_idle(worker& me, const clock::time_point* deadline) noexcept {
        return task_wait::until_idle(*this, me, deadline);
    }

    // --- waiting from outside --------------------------------------------------------------------

    /// Waits until no task waits or runs, but for tasks and regions that wait for this thread.
    /// @returns false if the deadline passed first.
    REGATTA_APART bool wait_idle(const clock::time_point* deadline) {
        const typename task_wait::outside waiting(*this);
        const auto done = [&] { return idle(waiting.in_region()); };
        if (deadline != nullptr) {
            return progress_.wait_until(done, *deadline);
        }
        progress_.wait(done);
        return true;
    }
    /// Waits until every task that was appended before the call is done. Requires a source whose
    /// tasks are taken in the order in which they were appended.
    REGATTA_APART void drain() {
        const std::uint64_t last = source_.appended();
        {
            const typename marks_type::mark taken(marks_, last);
            progress_.wait([&] { return source_.taken() >= last; });
        }
        // taken() acquired everything each worker did before its claim, its enter() included.
        await_passed();
    }

    // --- holding and ending ----------------------------------------------------------------------

    /// Why the workers take no task. Several reasons may hold at once.
    enum hold_reason : unsigned char { paused = 1, starting = 2 };

    /// Stops workers from taking tasks until `release`. Tasks that wait for the pool continue.
    REGATTA_APART void hold(hold_reason why) noexcept {
        // relaxed: the full fence in notify_all() orders it before the look at the sleepers.
        // Partners are the fences of threads that prepare to sleep. await_rest() orders it against
        // the workers.
        hold_.fetch_or(why, std::memory_order_relaxed);
        // Workers that sleep at the gate, or have been woken there, move to where held workers
        // sleep (I4). Tasks that wait for the pool look once more, after a fence. They see every
        // task whose producer did not see the hold.
        gate_.notify_all();
    }
    REGATTA_APART void release(hold_reason why) noexcept {
        // release: partner is the acquire in held(); publishes what the caller did during the hold.
        hold_.fetch_and(static_cast<unsigned char>(~why), std::memory_order_release);
        released_.notify_all();
        gate_.notify_all();
    }
    bool is_held(hold_reason why) const noexcept {
        return (hold_.load(std::memory_order_relaxed) & why) != 0;
    }
    /// Waits until the tasks that were under way when the hold began have ended.
    REGATTA_APART void await_rest() {
        fence_.heavy(); // Partner: the light fence in a worker's enter() and renew().
        await_passed();
        forks_.await_regions(progress_);
    }

    /// Sets how many others' queues a worker may take tasks of: `all`, or those of the next ones.
    REGATTA_APART void steal(unsigned limit) noexcept {
        reach_.store(limit, std::memory_order_relaxed); // As in hold().
        gate_.notify_all();
    }

    /// Refuses tasks from outside from now on. The workers run the accepted tasks, or drop them if
    /// `discard` is set. Then they end, held or not.
    /// Threads: one at a time.
    REGATTA_APART void close(bool discard) noexcept {
        if (discard) {
            discarding_.store(true, std::memory_order_relaxed);
        }
        source_.close();
        census_.close();
        // Partners: the fence in work(), and the light one of a thread that opens a region: it is
        // refused, or workers that find the pool sealed count its region.
        fence_.heavy();
        census_.seal();
        ask_to_stay(members_.surplus());
    }
    /// Takes back up to `count` requests to leave. @returns how many.
    REGATTA_APART unsigned ask_to_stay(unsigned count) noexcept {
        const unsigned kept = members_.ask_to_stay(count);
        if (kept != 0) {
            progress_.notify_all(); // A thread may wait until they have left.
        }
        return kept;
    }
    /// Makes every worker look again: the loop was closed, or a worker is asked to leave.
    REGATTA_APART void wake_all() noexcept {
        released_.notify_all();
        gate_.notify_all();
        rested_.notify_all();
    }
    /// Counts a task that another thread than a worker's destroyed unrun.
    REGATTA_APART void count_dropped() noexcept {
        census_.add_dropped();
        tell_progress();
        gate_.notify_all(); // It may be the last task that workers of a closed loop wait for.
    }

    // --- queries ---------------------------------------------------------------------------------

    bool closed() const noexcept { return census_.closed(); }
    /// Whether the loop was closed and no task is left or can come.
    REGATTA_APART bool finished() const noexcept {
        return census_.ended([this] { return idle(false); });
    }
    /// Whether all tasks are done. `but_for_waiting` leaves out those that wait for the others.
    REGATTA_APART bool idle(bool but_for_waiting) const noexcept {
        const auto regions = forks_.quiet(but_for_waiting);
        return regions.has_value() &&
               census_.idle(
                   but_for_waiting, [this] { return members_.completed(); },
                   [this] { return source_.appended(); }) &&
               forks_.quiet(but_for_waiting) == regions;
    }
    std::uint64_t dropped() const noexcept { return census_.dropped(); }

    members_type& members() noexcept { return members_; }
    const members_type& members() const noexcept { return members_; }
    /// Where threads sleep until workers end a task or leave.
    event_count& progress() noexcept { return progress_; }
    /// Where threads sleep until a resting worker finds a task, or until the number of workers
    /// changes.
    event_count& rested() noexcept { return rested_; }
    /// Those who share the forks of the pool.
    auto& forks() noexcept { return forks_; }
    auto& forks() const noexcept { return forks_; }

private:
    using marks_type = basic_wake_marks<Atomics>;
    using fork_help = basic_fork_help<basic_worker_loop>;
    friend fork_help;
    using task_wait = basic_task_wait<basic_worker_loop>;
    friend task_wait;

    REGATTA_RARE void sleep(worker& me) noexcept {
        me.end_busy();
        if (held()) {
            sleep_held(me);
            return;
        }
        if (forks_.used() ? fork_help::watch(*this, me) : spin_for_work(me)) {
            return;
        }
        const auto ticket = gate_.announce_wait(me.search);
        if (stays_awake(me) || (forks_.used() && forks_.wants_help())) {
            gate_.cancel_wait(me.search);
            return;
        }
        me.count_park();
        gate_.commit_wait(me.search, ticket);
        if (forks_.note_call() || forks_.open()) {
            me.naps = 0;
        }
    }
    /// Whether a worker that has announced its sleep has a reason to stay awake.
    bool stays_awake(worker& me) noexcept {
        if (to_do(source_.coming(me.index, reach()))) {
            gate_.settle();
            return to_do(source_.ready(me.index, reach()));
        }
        return false;
    }

    void tell_region_left() noexcept {
        tell_progress();
        if (closed()) {
            gate_.notify_all();
        }
    }
    /// Sleeps as a worker of a held loop.
    REGATTA_RARE void sleep_held(worker& me) noexcept {
        me.count_park();
        released_.wait([this] { return !held() || members_.surplus() != 0; });
    }

    /// Whether a worker has a reason to stay awake: a task that is `there`, or another one.
    REGATTA_RARE bool to_do(bool there) const noexcept {
        return held() || there || members_.surplus() != 0 || finished();
    }
    /// Whether idle workers spin because the pool's options say so.
    bool spins() const noexcept { return spin_ > std::chrono::nanoseconds::zero(); }
    /// Spins for `spin_`. @returns whether the worker found something to do.
    REGATTA_RARE bool spin_for_work(const worker& me) const noexcept {
        if (!spins()) {
            return false;
        }
        constexpr unsigned looks = 64; // Reading the clock costs more than a look at the queues.
        const auto begin = clock::now();
        do {
            for (unsigned i = 0; i < looks; ++i) {
                // A fork was offered that wakes nobody else while this worker looks.
                if (to_do(source_.ready(me.index, reach())) ||
                    (forks_.used() && forks_.wants_help())) {
                    return true;
                }
                Atomics::relax();
            }
        } while (clock::now() - begin < spin_);
        return false;
    }

    /// How many of the following workers' queues a worker may take tasks of. Tasks that wait for a
    /// paused pool steal from all: the paused workers leave their queues alone. So do all while a
    /// fork waits: the worker that waits for that fork may have the tasks.
    unsigned reach() const noexcept {
        // relaxed, both: a thread that has announced its sleep either sees the change or is woken
        // by the thread that made it.
        const unsigned limit = reach_.load(std::memory_order_relaxed);
        return limit == all ? all
               : hold_.load(std::memory_order_relaxed) == 0 && !forks_.anybody_waits()
                   ? limit
                   : all_for_once;
    }
    /// Whether the workers leave tasks alone. A closed loop needs them, held or not.
    bool held() const noexcept {
        // acquire: partner is the release in release().
        return hold_.load(std::memory_order_acquire) != 0 && !closed();
    }

    /// The worker has found a task or leaves. Wakes another one if further tasks are coming.
    void stop_looking(worker& me) noexcept {
        if (me.search.on()) [[unlikely]] {
            end_search(me);
        }
    }
    REGATTA_RARE void end_search(worker& me) noexcept {
        fork_help::end(*this, me);
        end_search_for_tasks(me);
        // A thread that published a frame wakes nobody either while a worker looks for a task.
        if (forks_.used()) {
            forks_.pass_on_watch();
        }
    }
    REGATTA_RARE void end_search_for_tasks(worker& me) noexcept {
        // A worker that does not steal has seen its own tasks alone. With a limited reach each task
        // has woken every worker.
        if (gate_.end(me.search, [&] { return source_.coming(me.index, reach()); }) &&
            reach() >= all_for_once) {
            wake();
        }
    }
    /// The worker found nothing after it had worked: wakes the threads and tasks that wait for
    /// that.
    REGATTA_APART void tell_progress() noexcept {
        progress_.notify_all();
        if (census_.anybody_waits() || (forks_.used() && forks_.anybody_waits())) {
            gate_.notify_all();
        }
    }
    /// Waits until the task that each worker has under way has ended.
    REGATTA_APART void await_passed() {
        const typename marks_type::mark every_task(marks_, 0);
        unsigned next = 0;
        while (const auto task = members_.observe_in_order(next)) {
            progress_.wait([&] { return members_.passed(*task); });
            next = task->index + 1;
        }
    }

    /// Where threads sleep that wait for the pool or for workers. Read by workers that find
    /// nothing.
    alignas(destructive_alignment) event_count progress_;
    event_count rested_;
    event_count released_; ///< Where the workers of a held loop sleep.

    /// Where workers sleep, and tasks that wait for the pool. Written by them, read by producers at
    /// every task. The rest of its last line, and the line after that, has what workers read before
    /// each task and hardly any thread writes. So a worker that parks, or a thread that wakes one,
    /// touches few lines. A worker at work misses them only when another one has parked.
    alignas(destructive_alignment) [[no_unique_address]] basic_worker_gate<Atomics> gate_;
    /// Written by the threads that hold, steal or discard; read by workers before each task.
    typename Atomics::template atomic<unsigned char> hold_{0};
    typename Atomics::template atomic<unsigned> reach_;
    typename Atomics::template atomic<bool> discarding_{false};
    [[no_unique_address]] basic_task_census<Atomics> census_;
    marks_type marks_; ///< Of the threads that sleep at `progress_` for single tasks.
    Source& source_;
    members_type members_;

    const std::chrono::nanoseconds spin_;
    [[no_unique_address]] typename Atomics::fence fence_;
    basic_fork_team<Atomics> forks_; ///< Last: threads that leave a region use the above.
};

} // namespace regatta::detail
