// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Coroutines on pools: a lazy task, how to run it on a worker, wait for it, and run several at
/// once.

#include <regatta/base/config.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/co_state.hpp>
#include <regatta/core/detail/coroutine_chain.hpp>
#include <regatta/core/detail/coroutine_hand_over.hpp>
#include <regatta/core/detail/future_job.hpp>
#include <regatta/core/detail/sync_driver.hpp>
#include <regatta/core/future.hpp>
#include <regatta/core/future_group.hpp>
#include <regatta/core/task_errors.hpp>

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace regatta {

template<class T>
class co_task;

/// The part of a `co_task`'s promise that does not depend on the result.
class co_promise_base {
public:
    std::suspend_always initial_suspend() const noexcept { return {}; }

    /// Resumes the awaiting coroutine by symmetric transfer: the stack does not grow.
    struct final_awaiter {
        bool await_ready() const noexcept { return false; }
        template<class Promise>
        std::coroutine_handle<>
        await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
            return finished.promise().awaiting_;
        }
        void await_resume() const noexcept {}
    };
    final_awaiter final_suspend() const noexcept { return {}; }

    void go_on_with(std::coroutine_handle<> awaiting) noexcept { awaiting_ = awaiting; }

private:
    std::coroutine_handle<> awaiting_;
};

/// The promise of a `co_task`, with the result.
template<class T>
class co_promise : public co_promise_base {
    /// Whether a `U` may be returned: a reference must not bind to a temporary, which ends first.
    template<class U>
    static constexpr bool returnable =
        std::is_convertible_v<U, T> &&
        (!std::is_reference_v<T> ||
         (std::is_convertible_v<std::remove_reference_t<U>*, std::remove_reference_t<T>*> &&
          (std::is_lvalue_reference_v<U> || std::is_rvalue_reference_v<T>)) ||
         std::is_convertible_v<U, std::remove_const_t<std::remove_reference_t<T>>&>);

public:
    co_task<T> get_return_object() noexcept;
    void unhandled_exception() noexcept { outcome_.template emplace<2>(std::current_exception()); }
    template<class U = T>
    requires returnable<U&&>
    void return_value(U&& value) {
        if constexpr (std::is_reference_v<T>) {
            T result = std::forward<U>(value);
            outcome_.template emplace<1>(std::addressof(result));
        } else {
            outcome_.template emplace<1>(std::forward<U>(value));
        }
    }
    T result() {
        if (outcome_.index() == 2) {
            std::rethrow_exception(std::get<2>(std::move(outcome_)));
        }
        if constexpr (std::is_reference_v<T>) {
            return static_cast<T>(*std::get<1>(outcome_));
        } else {
            return std::get<1>(std::move(outcome_));
        }
    }

private:
    using stored = std::conditional_t<std::is_reference_v<T>, std::add_pointer_t<T>, T>;
    std::variant<std::monostate, stored, std::exception_ptr> outcome_;
};
template<>
class co_promise<void> : public co_promise_base {
public:
    inline co_task<void> get_return_object() noexcept;
    void unhandled_exception() noexcept { error_ = std::current_exception(); }
    void return_void() const noexcept {}
    void result() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

private:
    std::exception_ptr error_;
};

/// A lazy coroutine: it begins when it is awaited, and its end resumes the awaiting coroutine.
///
/// ```cpp
/// regatta::co_task<int> count(regatta::steady_pool& pool) {
///     co_await pool.schedule(); // from here on a worker runs it
///     co_return 42;
/// }
/// int n = regatta::sync_wait(count(pool));
/// ```
///
/// Threads: awaited once, by one coroutine; runs on the thread that resumes it.
/// Failure: the `co_await` throws what the coroutine throws. Awaiting an empty task, or one a
/// second time, throws `std::logic_error`.
/// Cost: one allocation, the coroutine's own.
template<class T = void>
class [[nodiscard]] co_task {
public:
    using promise_type = co_promise<T>;
    using value_type = T;

    /// Constructs an empty task.
    co_task() noexcept = default;
    co_task(co_task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
    co_task& operator=(co_task&& other) noexcept {
        co_task old(std::move(other));
        std::swap(coroutine_, old.coroutine_);
        return *this;
    }
    /// Destroys the coroutine, which must not be running or waiting to be resumed.
    ~co_task() {
        if (coroutine_) {
            coroutine_.destroy();
        }
    }

    /// Whether it holds a coroutine that can be awaited.
    bool valid() const noexcept { return coroutine_ != nullptr; }

    auto operator co_await() & = delete; // Await std::move(task): that uses it up.
    auto operator co_await() && {
        if (!coroutine_) {
            fail_state("this co_task is empty or was already awaited");
        }
        struct awaiter {
            co_task task;

            bool await_ready() const noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
                task.coroutine_.promise().go_on_with(awaiting);
                return task.coroutine_;
            }
            T await_resume() { return task.coroutine_.promise().result(); }
        };
        return awaiter{std::move(*this)};
    }

private:
    friend class co_promise<T>;
    explicit co_task(std::coroutine_handle<promise_type> coroutine) noexcept
        : coroutine_(coroutine) {}

    std::coroutine_handle<promise_type> coroutine_;
};

template<class T>
co_task<T> co_promise<T>::get_return_object() noexcept {
    return co_task<T>(std::coroutine_handle<co_promise>::from_promise(*this));
}
inline co_task<void> co_promise<void>::get_return_object() noexcept {
    return co_task<void>(std::coroutine_handle<co_promise>::from_promise(*this));
}

/// Runs a coroutine on this thread until it first suspends, then waits until it has ended on
/// whatever thread. Returns its result or throws its exception.
///
/// Blocks: until the end, also on a worker, which then runs no other task. On a worker use
/// `co_await`.
template<class T>
T sync_wait(co_task<T> awaited) {
    if constexpr (std::is_void_v<T>) {
        [](co_task<T>& t) -> detail::sync_driver { co_await std::move(t); }(awaited).run();
    } else if constexpr (std::is_reference_v<T>) {
        std::add_pointer_t<T> result = nullptr;
        [](co_task<T>& t, std::add_pointer_t<T>& r) -> detail::sync_driver {
            T value = co_await std::move(t);
            r = std::addressof(value);
        }(awaited, result)
                                                           .run();
        return static_cast<T>(*result);
    } else {
        std::optional<T> result;
        [](co_task<T>& t, std::optional<T>& r)
            -> detail::sync_driver { r.emplace(co_await std::move(t)); }(awaited, result).run();
        return std::move(*result);
    }
}

/// The awaiter that continues a coroutine on an executor. The executor calls its task, or destroys
/// it uncalled because it refused or discarded it. If it refused it, the `co_await` throws what
/// `execute` threw, as `task_rejected`, on this thread. Otherwise it throws `task_cancelled`, on
/// the thread that destroyed the task.
template<class Executor>
class [[nodiscard]] schedule_awaiter {
public:
    explicit schedule_awaiter(Executor& executor) noexcept : executor_(executor) {}

    bool await_ready() const noexcept { return false; }
    /// @returns whether the coroutine stays suspended here: not if the executor has refused it, or
    /// called it at once.
    bool await_suspend(std::coroutine_handle<> coroutine) noexcept {
        detail::coroutine_hand_over mine(coroutine);
        REGATTA_TRY {
            executor_.execute(resumption(coroutine, cancelled_, mine));
        }
        REGATTA_CATCH_ALL {
            if (mine.returned() && cancelled_) { // The coroutine goes on here: this is there.
                refusal_ = std::current_exception();
            }
        }
        return !mine.returned(); // The coroutine may have continued: this may be gone.
    }
    void await_resume() const {
        if (refusal_) {
            std::rethrow_exception(refusal_);
        }
        if (cancelled_) {
            fail_cancelled();
        }
    }
    /// Whether the executor has refused or discarded the coroutine.
    bool cancelled() const noexcept { return cancelled_; }

private:
    class resumption {
    public:
        resumption(std::coroutine_handle<> coroutine, bool& cancelled,
                   detail::coroutine_hand_over& hand_over) noexcept
            : coroutine_(coroutine)
            , cancelled_(&cancelled)
            , hand_over_(&hand_over) {}
        resumption(resumption&& other) noexcept
            : coroutine_(std::exchange(other.coroutine_, nullptr))
            , cancelled_(other.cancelled_)
            , hand_over_(other.hand_over_) {}
        resumption& operator=(resumption&&) = delete;
        ~resumption() {
            if (coroutine_) {
                *cancelled_ = true;
                if (!detail::coroutine_hand_over::give_back(hand_over_, coroutine_)) {
                    detail::coroutine_chain::begin(coroutine_);
                }
            }
        }
        void operator()() {
            const auto coroutine = std::exchange(coroutine_, nullptr);
            // Called within `execute`: `await_suspend` goes on with it, so that a loop needs no
            // deep stack.
            if (!detail::coroutine_hand_over::give_back(hand_over_, coroutine)) {
                detail::coroutine_chain::begin(coroutine);
            }
        }

    private:
        std::coroutine_handle<> coroutine_;
        bool* cancelled_;
        detail::coroutine_hand_over* hand_over_; ///< Perhaps over.
    };

    Executor& executor_;
    std::exception_ptr refusal_; ///< What `execute` threw.
    bool cancelled_ = false;
};

/// `co_await schedule_on(executor)` continues the coroutine on that executor.
///
/// The thread that hands the coroutine over may still be inside `executor.execute` after the
/// coroutine has continued, even after it has ended. If that thread is a worker of another pool,
/// wait for that pool before the executor ends, or let the executor outlive that pool.
template<class Executor>
auto schedule_on(Executor& executor) noexcept {
    return schedule_awaiter<Executor>(executor);
}

namespace detail {

/// The coroutine of `co_spawn`: nobody owns it, and its end destroys it.
struct co_spawned {
    struct promise_type {
        co_spawned get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        /// Never called: the coroutine catches all.
        void unhandled_exception() const noexcept { std::terminate(); }
    };
};

/// As `schedule_awaiter`, but returns whether the executor runs the coroutine.
template<class Executor>
class start_awaiter : public schedule_awaiter<Executor> {
public:
    using schedule_awaiter<Executor>::schedule_awaiter;
    bool await_resume() const noexcept { return !this->cancelled(); }
};

/// Runs the coroutine in a state on an executor, unless the future is cancelled before its turn.
/// The job that is destroyed before cancels the future.
template<class Executor, class T, class R>
co_spawned run_spawned(Executor& executor, co_state<R, co_task<T>>& state, future_job job) {
    if (!co_await start_awaiter<Executor>(executor) || !state.claim_as_job()) {
        co_return;
    }
    REGATTA_TRY {
        // Until the result is kept: it may be a reference into the frame.
        auto running = state.take_coroutine().operator co_await();
        if constexpr (std::is_void_v<T>) {
            co_await running;
            state.keep([] {});
        } else {
            T result = co_await running;
            state.keep([&]() -> R { return std::forward<T>(result); });
        }
    }
    REGATTA_CATCH_ALL {
        state.keep_error(std::current_exception());
    }
    coroutine_chain::end(std::move(job));
}

} // namespace detail

/// Starts a coroutine on an executor, and returns a future of its result. So several run at once:
///
/// ```cpp
/// auto first = regatta::co_spawn(pool, read(one));
/// auto second = regatta::co_spawn(pool, read(other));
/// auto both = first.get() + second.get(); // in a coroutine: co_await std::move(first) …
/// ```
///
/// The future is ready when the coroutine has ended, and its frame with it. `cancel` of the future
/// before the coroutine's turn has come destroys it and its arguments at once: it never runs. Later
/// `cancel` returns false, and destroying the future at any time does not end the coroutine: its
/// result is dropped. What the coroutine refers to, the captures of a lambda included, exists until
/// it has ended, the executor also until it has had the turn of one that was cancelled. In a task
/// of the executor `co_await` the future: `get` there blocks the worker, perhaps the one that the
/// coroutine needs.
///
/// Threads: any.
/// Failure: an empty task throws `std::logic_error`; `std::bad_alloc`. The future throws what the
/// coroutine throws. It is cancelled if the executor refused or discarded the coroutine before its
/// start.
/// Blocks: as `execute` of the executor.
/// Cost: one call of the heap beside that of the coroutine, a recycled block, and a task.
template<class Executor, class T>
auto co_spawn(Executor& executor, co_task<T> awaited) -> future<detail::kept_result_t<T>> {
    using result = detail::kept_result_t<T>;
    if (!awaited.valid()) {
        fail_state("co_spawn was given an empty co_task, or one that was awaited before");
    }
    using state_type = detail::co_state<result, co_task<T>>;
    auto& state = *detail::make_in_block<state_type>(detail::co_store(), std::move(awaited));
    future<result> later(state);
    detail::run_spawned(executor, state, detail::future_job(state));
    return later;
}

/// The awaiter that continues a coroutine when a future is ready.
template<class R>
class [[nodiscard]] future_awaiter {
public:
    explicit future_awaiter(future<R>&& f) noexcept : future_(std::move(f)) {}

    bool await_ready() const { return future_.ready(); }
    /// @returns false if the task has ended by now: the coroutine goes on where it is. Resumed
    /// here, a loop might need a deep stack.
    bool await_suspend(std::coroutine_handle<> coroutine) {
        return future_.when_ends(resumption{this, coroutine}, [] {});
    }
    R await_resume() {
        if (source_ == nullptr) {
            return future_.get();
        }
        return source_->get();
    }

private:
    struct resumption {
        using sees_every_end = void;

        future_awaiter* awaiter;
        std::coroutine_handle<> coroutine;

        void operator()(detail::result_state<R>& source) const {
            awaiter->source_ = &source;
            detail::coroutine_chain::resume(coroutine);
        }
    };

    future<R> future_;
    detail::result_state<R>* source_ =
        nullptr; ///< Of the ended task, while the coroutine is resumed.
};

/// `co_await std::move(future)` gives the result, or throws as `get`. The coroutine continues on
/// the thread where the task ends, or on this one if it has ended by then. A loop needs no deep
/// stack, nor does a recursion of coroutines that were spawned.
template<class R>
auto operator co_await(future<R>&& f) noexcept {
    return future_awaiter<R>(std::move(f));
}
template<class R>
auto operator co_await(future<R>&) = delete; // Await std::move(future): that uses it up.

namespace detail {

/// Awaits the futures of a group in their order.
template<class R>
co_task<typename future_group<R>::results> await_all(future_group<R> group) {
    std::exception_ptr first;
    if constexpr (std::is_void_v<R>) {
        for (future<R>& f : group) {
            REGATTA_TRY {
                co_await std::move(f);
            }
            REGATTA_CATCH_ALL {
                first = first ? first : std::current_exception();
            }
        }
        if (first) {
            std::rethrow_exception(first);
        }
    } else {
        typename future_group<R>::results all;
        all.reserve(group.size());
        for (future<R>& f : group) {
            REGATTA_TRY {
                all.push_back(co_await std::move(f));
            }
            REGATTA_CATCH_ALL {
                first = first ? first : std::current_exception();
            }
        }
        if (first) {
            std::rethrow_exception(first);
        }
        co_return all;
    }
}

} // namespace detail

/// `co_await std::move(group)` gives the results in order once every task has ended, or throws the
/// exception of the first in order that failed, as `get`. No thread waits meanwhile. With
/// `co_spawn` it is one future of all of them:
///
/// ```cpp
/// regatta::co_task<int> sum(regatta::future_group<int> parts) {
///     int all = 0;
///     for (const int part : co_await std::move(parts)) {
///         all += part;
///     }
///     co_return all;
/// }
/// auto total = regatta::co_spawn(pool, sum(std::move(parts))).then(report);
/// ```
///
/// The coroutine continues on the thread where the last task ends, or on this one if all have ended
/// by then.
/// Cost: one allocation beside that of the results.
template<class R>
auto operator co_await(future_group<R>&& group) {
    return detail::await_all(std::move(group)).operator co_await();
}
template<class R>
auto operator co_await(future_group<R>&) = delete; // Await std::move(group): that uses it up.

} // namespace regatta
