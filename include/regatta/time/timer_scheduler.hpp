// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Running callbacks later, once or again and again.

#include <regatta/base/detail/saturated_time.hpp>
#include <regatta/base/error.hpp>
#include <regatta/time/detail/periodic_ticks.hpp>
#include <regatta/time/detail/timer_core.hpp>
#include <regatta/time/timer_run.hpp>
#include <regatta/time/timer_scheduler_options.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

namespace regatta {

/// What a `timer_scheduler` can run its callbacks on: `execute(f)` takes a move-only callable that
/// cannot throw and calls it once, now or later, on any thread, or drops it.
template<class E>
concept timer_executor = requires(E& e, timer_run run) {
    e.execute(std::move(run));
};

/// What can be scheduled: callable as `void()` or as `void(timer_id)`, which tells it its own id.
template<class F>
concept timer_callback = std::invocable < std::decay_t<F>
& > || std::invocable<std::decay_t<F>&, timer_id>;

/// Runs callbacks at their time: on an executor, or on its own thread.
///
/// ```cpp
/// regatta::timer_scheduler timers{pool};               // or {}: on the timer thread
/// timers.after(50ms, [] { std::puts("once"); });
/// const auto id = timers.every(1s, [] { std::puts("again"); });
/// timers.cancel(id);
/// ```
///
/// Times are those of `std::chrono::steady_clock`; no callback runs before its time. A periodic
/// timer runs at first, first + period, first + 2 periods …, however long its runs take or how late
/// they are: it does not drift. It never overlaps itself: its next run is handed over when the last
/// one has ended. Ticks that pass meanwhile are left out or made up for, as `missed_ticks` says.
///
/// Threads: every member from any thread, callbacks included, except construction and destruction,
/// which belong to the owner; what a callback may not call says so. Blocks: only `cancel_and_wait`
/// and `close`. One thread waits for all timers; an executor whose `execute` blocks holds up all of
/// them, so give a bounded pool an overflow policy that does not. Without an executor a long
/// callback does the same.
/// Order: callbacks start, or are handed over, in the order of their times, those of one time in
/// the order in which they were scheduled. What came before a timer was scheduled happens before
/// its runs; each run happens before the next of the same timer.
/// Failure: what a callback throws goes to `timer_scheduler_options::on_error`; its timer goes on.
/// If the executor throws, that goes there, too; a run that the executor does not take or drops is
/// lost: a periodic timer waits for its next tick, another has ended.
/// Cost: scheduling and cancelling are O(log n) under one mutex; the timer thread is woken only for
/// a timer that is due before all others. A closure of up to 48 bytes is kept inside; places are
/// used again, so that in the steady state nothing is allocated. An idle scheduler sleeps.
class timer_scheduler {
public:
    using clock = std::chrono::steady_clock;
    using options = timer_scheduler_options;

    /// Callbacks run on the timer thread. Throws `std::system_error` if no thread can be had.
    explicit timer_scheduler(options o = {}) : timer_scheduler(std::move(o), {}, 0) {}
    /// Callbacks run on `executor`, which must outlive this scheduler. The same failure.
    template<class Executor>
    requires timer_executor<Executor>
    explicit timer_scheduler(Executor& executor, options o = {})
        : timer_scheduler(
              std::move(o), [&executor](timer_run&& run) { executor.execute(std::move(run)); }, 0) {
    }
    timer_scheduler(const timer_scheduler&) = delete;
    timer_scheduler& operator=(const timer_scheduler&) = delete;
    /// As `close`; not in a callback.
    ~timer_scheduler() { close(); }

    /// Runs `f` once, when `d` has passed. @returns its id; `timer_id::none`, and `f` is destroyed
    /// unrun, if the scheduler is closed.
    template<class Rep, class Period, timer_callback F>
    timer_id after(std::chrono::duration<Rep, Period> d, F&& f) {
        return at(from_now(d), std::forward<F>(f));
    }

    /// Runs `f` once, at `t`; at once if that has passed. @returns as `after`.
    template<timer_callback F>
    timer_id at(clock::time_point t, F&& f) {
        return add(std::forward<F>(f), t, std::chrono::nanoseconds(0), missed_ticks::skip);
    }

    /// Runs `f` again and again: when `first` has passed, and every `period` from then on. Throws
    /// `std::invalid_argument` if the period is not positive. @returns as `after`.
    template<class Rep, class Period, class FirstRep, class FirstPeriod, timer_callback F>
    timer_id every(std::chrono::duration<Rep, Period> period, F&& f,
                   std::chrono::duration<FirstRep, FirstPeriod> first,
                   missed_ticks missed = missed_ticks::skip) {
        const auto length = detail::saturated_nanoseconds(period);
        if (length <= length.zero()) {
            fail_argument("timer_scheduler::every: the period must be positive");
        }
        return add(std::forward<F>(f), from_now(first), length, missed);
    }
    /// The same; the first time after one period.
    template<class Rep, class Period, timer_callback F>
    timer_id every(std::chrono::duration<Rep, Period> period, F&& f,
                   missed_ticks missed = missed_ticks::skip) {
        return every(period, std::forward<F>(f), period, missed);
    }

    /// Ends a timer: no run of it begins any more, also not one that the executor has queued. Does
    /// not wait: a run that has begun on another thread goes on to its end (`cancel_and_wait`).
    ///
    /// The callback is destroyed before this returns, or by the thread that runs it when that run
    /// ends.
    /// @returns whether a run was still to come, which now does not: false for one that has run or
    /// runs for the only time, was cancelled before, or is not of this scheduler.
    bool cancel(timer_id id) noexcept { return core_->cancel(id); }

    /// The same, and if a run is under way on another thread, waits for its end: then what the
    /// callback refers to is not used any more. In the timer's own callback it does not wait.
    ///
    /// Throws `std::system_error` (`resource_deadlock_would_occur`) in a callback if the one that
    /// it would wait for waits for the calling one; the timer is cancelled nevertheless.
    bool cancel_and_wait(timer_id id) { return core_->cancel_and_wait(id); }

    /// How many timers are still to run: once, or again.
    std::size_t pending() const noexcept { return core_->stats().pending; }

    /// What the scheduler has done so far.
    timer_scheduler_stats stats() const noexcept { return core_->stats(); }

    /// Cancels all timers, those included whose runs the executor has queued, and waits for the
    /// runs under way: then none of its callbacks runs any more or will, and all are destroyed.
    /// Again: does nothing. Throws `std::system_error` (`resource_deadlock_would_occur`) in a
    /// callback of this scheduler.
    void close() {
        if (core_->in_callback()) {
            fail_system(EDEADLK,
                        "timer_scheduler::close: called by a callback, which it would wait for");
        }
        core_->close();
        const std::lock_guard lock(closing_);
        if (thread_.joinable()) {
            thread_.join();
        }
        core_->wait_for_runs();
    }

private:
    /// The third argument tells it from the public ones.
    timer_scheduler(options&& o, detail::timer_core::dispatcher dispatch, int)
        : core_(std::make_shared<detail::timer_core>(std::move(o), std::move(dispatch)))
        , thread_([core = core_.get()] { core->serve(); }) {}

    template<class Rep, class Period>
    static clock::time_point from_now(std::chrono::duration<Rep, Period> d) noexcept {
        return detail::saturated_sum(
            clock::now(), std::max(detail::saturated_nanoseconds(d), std::chrono::nanoseconds(0)));
    }

    template<class F>
    timer_id add(F&& f, clock::time_point first, std::chrono::nanoseconds period,
                 missed_ticks missed) {
        if constexpr (std::invocable<std::decay_t<F>&, timer_id>) {
            detail::timer_core::callback call(std::forward<F>(f));
            return core_->add(call, first, period, missed);
        } else {
            detail::timer_core::callback call(
                [f = std::decay_t<F>(std::forward<F>(f))](timer_id) mutable { f(); });
            return core_->add(call, first, period, missed);
        }
    }

    std::shared_ptr<detail::timer_core>
        core_;           ///< Shared with runs that the executor has not yet begun.
    std::mutex closing_; ///< Of those who close: one joins.
    std::thread thread_;
};

} // namespace regatta
