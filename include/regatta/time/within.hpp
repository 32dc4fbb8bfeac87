// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A time limit for a future.

#include <regatta/base/config.hpp>
#include <regatta/core/future.hpp>
#include <regatta/core/promise.hpp>
#include <regatta/core/task_errors.hpp>
#include <regatta/time/timer_scheduler.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <stop_token>
#include <system_error>
#include <type_traits>
#include <utility>

namespace regatta {

namespace detail {

/// What a future with a time limit becomes: its own end or the end of its time, whichever comes
/// first. Shared by the timer and by what continues the future.
///
/// I1: of the two ends one settles the outcome, and it alone touches the promise.
template<class R>
class time_limit : public std::enable_shared_from_this<time_limit<R>> {
public:
    explicit time_limit(std::stop_source late) : late_(std::move(late)) {}

    template<class Rep, class Period>
    future<R> begin(timer_scheduler& timers, std::chrono::duration<Rep, Period> limit,
                    future<R>& result) {
        future<R> later = outcome_.get_future();
        timers_ = timers.core_;
        // Set last of all that may fail: it may end the time at once.
        const bool continued = result.when_ends(source_end{this->shared_from_this()}, [&] {
            alarm_ = timers.after(limit, [self = this->shared_from_this()] { self->end_late(); });
            if (alarm_ == timer_id::none) {
                fail_rejected("timer_scheduler", task_rejected::reason::closed, 0);
            }
        });
        if (continued) {
            return later;
        }
        disarm();
        return settle() ? std::move(result) : std::move(later);
    }

private:
    /// What continues the future.
    struct source_end {
        using sees_every_end = void;

        std::shared_ptr<time_limit> limit;

        void operator()(result_state<R>& source) const { limit->end_in_time(source); }
    };
    /// Takes the alarm back.
    void disarm() noexcept {
        if (!timers_->elsewhere()) {
            timers_->cancel(alarm_);
        }
    }

    /// @returns true once.
    bool settle() noexcept {
        // relaxed: it only decides who sets the outcome, which was made before either could.
        return !settled_.exchange(true, std::memory_order_relaxed);
    }
    void end_in_time(result_state<R>& source) {
        if (!settle()) {
            return;
        }
        disarm();
        promise<R> outcome(std::move(outcome_)); // Destroyed unset, it cancels.
        if (source.cancelled()) {
            return;
        }
        typename future<R>::template relay<promise<R>>{std::move(outcome)}(source);
    }
    void end_late() {
        if (!settle()) {
            return;
        }
        promise<R> outcome(std::move(outcome_));
        late_.request_stop();
#if REGATTA_EXCEPTIONS
        std::exception_ptr error;
        try {
            throw std::system_error(std::make_error_code(std::errc::timed_out),
                                    "regatta: the result is not there in time");
        } catch (...) { // Perhaps that memory is lacking.
            error = std::current_exception();
        }
        outcome.set_exception(std::move(error)); // This thread holds it no more.
#endif
    }

    promise<R> outcome_;
    std::stop_source late_;
    std::shared_ptr<timer_core> timers_; ///< The scheduler may end before the future does.
    timer_id alarm_ = timer_id::none;    ///< Written before the future is continued.
    /// Written by both ends.
    std::atomic<bool> settled_{false};
};

} // namespace detail

/// The same future, with a time limit: if it is not ready by then, the one that this returns throws
/// `std::system_error` (`std::errc::timed_out`).
///
/// ```cpp
/// std::stop_source late;
/// auto found = pool.submit(late.get_token(), search);
/// auto answer = regatta::within(timers, 50ms, std::move(found), late);
/// co_return co_await std::move(answer); // or then(pool, f)
/// ```
///
/// A task is not interrupted. At the limit stop is requested of `late`: a task that was submitted
/// with a token of it and has not begun never runs, and one that takes the token sees it. What the
/// future brings later is dropped.
///
/// What continues the returned future without an executor runs where the future ends or, at the
/// limit, where the scheduler runs its callbacks. A task of a pool that waits for it blocks its
/// worker, perhaps the one that `result` needs: there use `wait_for`, or continue or await it.
///
/// The limit comes where the scheduler runs its callbacks. If that is an executor, it comes late if
/// all its threads are busy, perhaps with the very task, and not at all if the executor drops the
/// run: better limit by a scheduler without one. The scheduler may end before the future; then
/// there is no limit any more. The returned future ends on top of the first: a long chain of limits
/// needs a deep stack.
///
/// Threads: any.
/// Blocks: never.
/// Failure: an invalid future throws `std::logic_error`, a closed scheduler `task_rejected`, a fork
/// of the process `std::system_error` (`no_such_process`); `std::bad_alloc`. The future is as it
/// was then. Without exceptions the returned one is `cancelled()` at the limit.
/// Cost: a timer, one call of the heap and two recycled blocks; of a future that is ready nothing.
template<class R, class Rep, class Period>
future<R> within(timer_scheduler& timers, std::chrono::duration<Rep, Period> limit,
                 future<R>&& result, std::stop_source late = std::stop_source(std::nostopstate)) {
    if (result.ready()) {
        return std::move(result);
    }
    return std::make_shared<detail::time_limit<R>>(std::move(late))->begin(timers, limit, result);
}

} // namespace regatta
