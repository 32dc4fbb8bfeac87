// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The result of a task that a pool runs.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/base/detail/saturated_time.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/block_cache.hpp>
#include <regatta/core/detail/future_job.hpp>
#include <regatta/core/detail/result_state.hpp>
#include <regatta/core/detail/task_closure.hpp>
#include <regatta/core/task_errors.hpp>

#include <cerrno>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace regatta {

template<class R>
class future_awaiter;

namespace detail {
template<class R>
class time_limit;
template<class Future>
class promise_of; // core/std_future.hpp
} // namespace detail

/// The result of a task, once it has run, or the exception that it threw.
///
/// ```cpp
/// regatta::future<int> answer = pool.submit([] { return 6 * 7; });
/// std::printf("%d\n", answer.get());
/// ```
///
/// It may outlive its pool. Destroying it does not cancel the task.
///
/// A worker of the task's own pool that waits runs the task itself if it has not started. So tasks
/// may wait for tasks on a single thread. A wait that could never end throws `std::system_error`
/// with `std::errc::resource_deadlock_would_occur`. Workers of other pools and all other threads
/// just wait.
///
/// Threads: one. But several threads may call `ready`, `wait`, `wait_for`, `wait_until` and
/// `cancel` at once. `get` consumes the future: to cancel a task while another thread is in `get`,
/// use a stop token.
/// Blocks: `get` and the waits.
/// Order: what the task did happens before a wait or `get` returns and before `ready` returns true.
/// By then the closure has been destroyed, with all that it held.
/// Failure: on an invalid future every member except `valid` throws `std::logic_error`.
/// Cost: `get` of a ready future is one load and the return of the block.
template<class R>
class [[nodiscard]] future {
public:
    using value_type = R;

    /// Constructs an invalid future.
    future() noexcept = default;
    future(future&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    future& operator=(future&& other) noexcept {
        future old(std::move(other));
        std::swap(state_, old.state_);
        return *this;
    }
    ~future() {
        if (state_ != nullptr) {
            state_->leave_as_future();
        }
    }
    /// Takes over the future's side of a state. No other future may own it.
    explicit future(detail::result_state<R>& state) noexcept : state_(&state) {}

    /// Whether it belongs to a task: not default constructed, moved from, or consumed by `get`,
    /// `then` or the conversion.
    bool valid() const noexcept { return state_ != nullptr; }
    /// Whether `get` would return or throw at once.
    bool ready() const { return state().complete(); }
    /// Whether `get` would throw `task_cancelled`, or without exceptions end the program: it is
    /// ready, and the task never ran. False as long as it is not ready.
    bool cancelled() const { return state().complete() && state().cancelled(); }
    /// Waits until it is ready.
    void wait() const { static_cast<void>(state().wait()); }
    /// Waits for at most that long. On a worker of the task's pool it runs the task if that has not
    /// started. It may then take as long as the task. A time of zero or less never runs it.
    /// @returns whether the future is ready.
    template<class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> time) const {
        const auto deadline = detail::deadline_after(time);
        return deadline ? wait_until(*deadline) : state().wait();
    }
    /// Waits until that time at the latest, on any clock. If another clock than `steady_clock` is
    /// set forward during the wait, the wait may end late by that much.
    /// @returns whether the future is ready.
    template<class Clock, class Duration>
    bool wait_until(std::chrono::time_point<Clock, Duration> time) const {
        const auto deadline = detail::saturated_moment(time);
        if constexpr (std::is_same_v<Clock, std::chrono::steady_clock>) {
            // A time in the past only asks for the state; it is not worth a spin.
            return ready() || (deadline > Clock::now() && state().wait(&deadline));
        } else {
            while (!ready()) {
                const auto now = detail::saturated_moment(Clock::now());
                if (deadline <= now) {
                    return false;
                }
                static_cast<void>(wait_for(detail::saturated_difference(deadline, now)));
            }
            return true;
        }
    }

    /// Waits, then returns the result or throws the task's exception, or `task_cancelled` if it
    /// never ran. The future is invalid afterwards. If the wait itself throws, the future stays
    /// valid.
    R get() {
        wait();
        const future mine(std::move(*this));
        return mine.state_->get();
    }

    /// Cancels the task if it has not started, and destroys its closure. Cancelling a continuation
    /// does not cancel the task that it continues.
    /// @returns whether this call cancelled it: the task never runs.
    bool cancel() { return state().cancel(); }

    /// Adds a continuation: `f(result)`, or `f()` if there is no result. The thread that completes
    /// the task runs it, or this one if the task is complete. A worker that waits for the new
    /// future may run it, too. If the task throws, `f` is skipped; the new future holds the
    /// exception. If the task is cancelled, so is the new future. Consumes this future.
    template<class F>
    auto then(F&& f) -> future<detail::continuation_result_t<R, std::decay_t<F>>> {
        return chain<void>(nullptr, std::forward<F>(f));
    }
    /// The same, but the executor runs `f`. The executor must exist until then. The thread that
    /// completes the task hands `f` over and may return from that after `f` has run: if it is a
    /// worker of another pool, wait for that pool before the executor ends. A continuation that was
    /// cancelled before the task ended does not reach it. If it refuses the task, the new future is
    /// cancelled.
    template<class Executor, class F>
    auto then(Executor& executor, F&& f)
        -> future<detail::continuation_result_t<R, std::decay_t<F>>> {
        return chain(std::addressof(executor), std::forward<F>(f));
    }

    /// Converts to a `std::future`, which throws the same. Its waits run no tasks. Allocates.
    /// Needs core/std_future.hpp.
    template<template<class> class Future>
    requires requires(Future<R>& f) { f.share(); }
    explicit operator Future<R>() && {
        static_assert(
            requires { sizeof(detail::promise_of<Future<R>>); },
            "include <regatta/core/std_future.hpp>");
        relay<detail::promise_of<Future<R>>> forward{};
        // Declared after the promise, so that it ends first. If the promise ended first it would
        // allocate an exception for its future, and fail: memory is what is lacking.
        Future<R> result = forward.promise.get_future();
        static_cast<void>(chain<void>(nullptr, std::move(forward)));
        return result;
    }

private:
    detail::result_state<R>& state() const {
        if (state_ == nullptr) {
            fail_state("this future is invalid: it was moved from, consumed or never set");
        }
        return *state_;
    }

    friend class future_awaiter<R>;
    friend class detail::time_limit<R>;

    /// Adds one of the library's own continuations, called with the state at every end, unless the
    /// task is complete: then this future stays as it is, as where something throws.
    /// @param before called before that, when all memory is there.
    /// @returns whether `f` was added. Then it may have been called, and this future may be gone.
    template<detail::sees_every_end F, class Before>
    bool when_ends(F f, Before&& before) {
        detail::result_state<R>& source = state();
        auto& next = continuation<void>(nullptr, std::move(f));
        REGATTA_TRY {
            before();
        }
        REGATTA_CATCH_ALL {
            next.withdraw();
            REGATTA_RETHROW;
        }
        state_ = nullptr;
        if (source.attach(next)) {
            next.leave_as_future();
            return true;
        }
        state_ = &source;
        next.withdraw();
        return false;
    }

    /// Forwards the result, exception or cancellation to a promise.
    template<class Promise>
    struct relay {
        using sees_every_end = void;

        Promise promise;

        void operator()(detail::result_state<R>& source) {
            std::exception_ptr error;
            REGATTA_TRY {
                if constexpr (std::is_void_v<R>) {
                    source.get();
                    promise.set_value();
                } else {
                    promise.set_value(source.get());
                }
                return;
            }
            REGATTA_CATCH_ALL {
                error = std::current_exception();
            }
            // Here this thread holds the exception no more, so that who reads it ends it: the
            // standard library's counting is hidden from the thread sanitizer.
            promise.set_exception(std::move(error));
        }
    };

    /// The state of a continuation of this task, which does not know it yet.
    template<class Executor, class F>
    auto& continuation(Executor* executor, F&& f) {
        using next_state = detail::continuation_state<R, std::decay_t<F>, Executor>;
        detail::result_state<R>& source = state();
        if (source.store().elsewhere()) [[unlikely]] {
            fail_system(ESRCH, "continue a task in a fork of the process that runs it");
        }
        return *make_in_block<next_state>(source.store(), source, executor, std::forward<F>(f));
    }
    template<class Executor, class F>
    auto chain(Executor* executor, F&& f) {
        auto& next = continuation(executor, std::forward<F>(f));
        future<typename std::remove_reference_t<decltype(next)>::result> result(next);
        detail::result_state<R>& source = *std::exchange(state_, nullptr);
        source.continue_with(next);
        return result;
    }

    detail::result_state<R>* state_ = nullptr;
};

namespace detail {
/// The future of a callable of that type, if a pool took the task.
template<class F>
using try_submit_result_t = std::optional<future<task_result_t<held_closure<F>>>>;
} // namespace detail

/// Makes a task of a closure: the future, and the job for a queue.
///
/// The closure is called at most once, with `stop` if it takes a `std::stop_token` first. If `stop`
/// was stopped before its turn comes, it is not called and the future is cancelled.
///
/// Failure: `std::bad_alloc`, and what the closure's move throws.
/// Cost: a block of `blocks`.
template<class F>
auto make_future_task(detail::block_cache& blocks, std::stop_token stop, F&& f)
    -> std::pair<future<detail::task_result_t<std::decay_t<F>>>, detail::future_job> {
    using state = detail::task_state<std::decay_t<F>>;
    state* const made = make_in_block<state>(blocks.store(), std::move(stop), std::forward<F>(f));
    return {future<typename state::result>(*made), detail::future_job(*made)};
}

} // namespace regatta
