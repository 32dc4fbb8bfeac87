// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Callbacks that run later, once or periodically.

#include <regatta/base/detail/saturated_time.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/placed_thread.hpp>
#include <regatta/time/detail/periodic_ticks.hpp>
#include <regatta/time/detail/timer_core.hpp>
#include <regatta/time/timer_scheduler_options.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace regatta {

namespace detail {
template<class R>
class time_limit;
} // namespace detail

/// An executor for the callbacks of a `timer_scheduler`. `execute(f)` takes a move-only callable
/// that cannot throw. It calls `f` once, now or later, on any thread, or drops it.
template<class E>
concept timer_executor = requires(E& e, timer_run run) {
    e.execute(std::move(run));
};

/// A timer's callback: callable as `void(timer_id)` with the timer's own id, as
/// `void(const timer_tick&)`, or as `void()`; the first of these that it is.
template<class F>
concept timer_callback = std::invocable < std::decay_t<F>
& > || std::invocable<std::decay_t<F>&, timer_id> ||
    std::invocable<std::decay_t<F>&, const timer_tick&>;

/// Runs callbacks at given times, on an executor or on its own thread.
///
/// ```cpp
/// regatta::timer_scheduler timers{pool};               // or {}: on the timer thread
/// timers.after(50ms, [] { std::puts("once"); });
/// const auto id = timers.every(1s, [] { std::puts("again"); });
/// timers.cancel(id);
/// ```
///
/// Times are those of `std::chrono::steady_clock`; no callback runs before its time. A periodic
/// timer is due at first, first + period, first + 2 periods …, however late or long its runs are:
/// it does not drift. It never overlaps itself: its next run is handed over after the last one has
/// ended. `missed_ticks` says whether ticks missed by then are skipped or made up for.
///
/// Threads: every member from any thread, callbacks included. Construction and destruction belong
/// to the owner. Members that a callback must not call say so. Neither a callback's move nor the
/// destructor of what was moved from may use the scheduler.
/// Blocks: only `cancel_and_wait` and `close`. One thread waits for all timers: an executor whose
/// `execute` blocks delays all of them. Give a bounded pool an overflow policy that does not block.
/// Without an executor, a long callback delays all timers.
/// Order: callbacks start, or are handed over, in the order of their times; at equal times in the
/// order in which they were scheduled. The scheduling thread's earlier actions happen before the
/// timer's runs. Each run happens before the next run of the same timer.
/// Failure: a callback's exception goes to `timer_scheduler_options::on_error`; its timer
/// continues. An exception of the executor goes there, too. A run that the executor does not accept
/// or drops is lost. A periodic timer then waits for its next tick; a one-shot timer has ended.
/// Cost: scheduling and cancelling take O(log n) under one mutex. A timer due before the time until
/// which the timer thread sleeps wakes it; others do not. Closures that fit into a `task` are
/// stored inline, and places are reused: the steady state allocates nothing. An idle scheduler
/// sleeps.
class timer_scheduler {
public:
    using clock = std::chrono::steady_clock;
    using options = timer_scheduler_options;

    /// Callbacks run on the timer thread. Throws `std::system_error` if it cannot be started,
    /// moved, pinned or scheduled as the options ask, and `std::invalid_argument` for a `schedule`
    /// that does not exist.
    explicit timer_scheduler(options o = {}) : timer_scheduler(std::move(o), {}, 0) {}
    /// Callbacks run on `executor`, which must outlive this scheduler. Fails in the same way.
    template<class Executor>
    requires timer_executor<Executor>
    explicit timer_scheduler(Executor& executor, options o = {})
        : timer_scheduler(
              std::move(o), [&executor](timer_run&& run) { executor.execute(std::move(run)); }, 0) {
    }
    timer_scheduler(const timer_scheduler&) = delete;
    timer_scheduler& operator=(const timer_scheduler&) = delete;
    /// As `close`; not in a callback.
    ~timer_scheduler() {
        close();
        if (core_->elsewhere()) { // Its thread, which is not here, may use what belongs to it.
            static_cast<void>(new std::shared_ptr<detail::timer_core>(core_));
        }
    }

    /// Runs `f` once, after `d`. @returns its id. If the scheduler is closed, destroys `f` without
    /// running it and returns `timer_id::none`. In a fork of the process throws `std::system_error`
    /// (`no_such_process`).
    template<class Rep, class Period, timer_callback F>
    timer_id after(std::chrono::duration<Rep, Period> d, F&& f) {
        return at(from_now(d), std::forward<F>(f));
    }

    /// Runs `f` once, at `t`; immediately if `t` has passed. @returns as `after`.
    template<class Duration = clock::duration, timer_callback F>
    timer_id at(std::chrono::time_point<clock, Duration> t, F&& f) {
        return add(std::forward<F>(f), detail::saturated_moment(t), std::chrono::nanoseconds(0),
                   missed_ticks::skip);
    }

    /// Runs `f` periodically: after `first`, and then every `period`. Throws
    /// `std::invalid_argument` if the period is not positive. @returns as `after`.
    template<class Rep, class Period, class FirstRep, class FirstPeriod, timer_callback F>
    timer_id every(std::chrono::duration<Rep, Period> period, F&& f,
                   std::chrono::duration<FirstRep, FirstPeriod> first,
                   missed_ticks missed = missed_ticks::skip) {
        if (!(period > period.zero())) { // Nor is it if it is not a number.
            fail_argument("timer_scheduler::every: the period must be positive");
        }
        return add(std::forward<F>(f), from_now(first),
                   std::max(detail::saturated_nanoseconds(period), std::chrono::nanoseconds(1)),
                   missed);
    }
    /// The same; the first run comes after one period.
    template<class Rep, class Period, timer_callback F>
    timer_id every(std::chrono::duration<Rep, Period> period, F&& f,
                   missed_ticks missed = missed_ticks::skip) {
        return every(period, std::forward<F>(f), period, missed);
    }

    /// Ends a timer: no run of it begins any more, not even one queued by the executor. Does not
    /// wait: a run that has begun on another thread continues to its end (`cancel_and_wait`).
    ///
    /// Destroys the callback before it returns; if a run is under way, the running thread does so
    /// when that run ends.
    /// @returns whether it prevented a run. False: a one-shot timer that runs or has run, a timer
    /// cancelled before, or an id that this scheduler has not given. An id of another scheduler may
    /// be equal to one of its own.
    bool cancel(timer_id id) noexcept { return !core_->elsewhere() && core_->cancel(id); }

    /// The same; if a run is under way on another thread, waits for its end. After that the
    /// callback's references are no longer used. On the thread of that run it does not wait:
    /// neither in the timer's own callback nor in a task that this one runs while it waits. The run
    /// then goes on after the call.
    ///
    /// Throws `std::system_error` (`resource_deadlock_would_occur`) in a callback if the awaited
    /// callback waits for the calling one. The timer is cancelled nevertheless.
    bool cancel_and_wait(timer_id id) { return !core_->elsewhere() && core_->cancel_and_wait(id); }

    /// The number of timers that still have a run to come.
    std::size_t pending() const noexcept { return stats().pending; }

    /// Statistics since construction.
    timer_scheduler_stats stats() const noexcept {
        return core_->elsewhere() ? timer_scheduler_stats{} : core_->stats();
    }

    /// Cancels all timers, including those with runs queued by the executor, and waits for the runs
    /// under way. On return no callback runs or will run, and all are destroyed. A second call does
    /// nothing. Throws `std::system_error` (`resource_deadlock_would_occur`) in a callback of this
    /// scheduler, and on its own thread, where it calls the executor.
    void close() {
        if (core_->elsewhere()) {
            return; // Its thread is not here.
        }
        if (core_->in_callback()) {
            fail_system(EDEADLK, "timer_scheduler::close: called by a callback or on the "
                                 "scheduler's own thread, which it would wait for");
        }
        core_->close();
        const std::lock_guard lock(closing_);
        thread_.join();
        core_->wait_for_runs();
    }

private:
    template<class R>
    friend class detail::time_limit;

    /// The third argument distinguishes it from the public constructors.
    timer_scheduler(options&& o, detail::timer_core::dispatcher dispatch, int)
        : core_(std::make_shared<detail::timer_core>(std::move(o), std::move(dispatch))) {
        const options& mine = core_->options();
        thread_.start({mine.name, detail::cpu_in_turn(mine.pin, 0), mine.cpus, mine.schedule},
                      [core = core_.get()]() noexcept { core->serve(); });
    }

    template<class Rep, class Period>
    static clock::time_point from_now(std::chrono::duration<Rep, Period> d) noexcept {
        return detail::saturated_sum(
            clock::now(), std::max(detail::saturated_nanoseconds(d), std::chrono::nanoseconds(0)));
    }

    template<class F>
    timer_id add(F&& f, clock::time_point first, std::chrono::nanoseconds period,
                 missed_ticks missed) {
        if (core_->elsewhere()) {
            fail_system(ESRCH, "start a timer in a fork of the process that has the scheduler's "
                               "thread");
        }
        using callback = detail::timer_core::callback;
        using function = std::decay_t<F>;
        callback call;
        if constexpr (std::invocable<function&, timer_id>) {
            call = callback([f = function(std::forward<F>(f))](const timer_tick& tick) mutable {
                static_cast<void>(f(tick.id));
            });
        } else if constexpr (std::invocable<function&, const timer_tick&>) {
            call = callback(std::forward<F>(f));
        } else {
            call = callback([f = function(std::forward<F>(f))](const timer_tick&) mutable {
                static_cast<void>(f());
            });
        }
        return core_->add(call, first, period, missed);
    }

    std::shared_ptr<detail::timer_core>
        core_;           ///< Shared with runs that the executor has not yet begun.
    std::mutex closing_; ///< Held by `close`: one caller joins.
    detail::placed_thread thread_;
};

} // namespace regatta
