// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Tasks that run where a thread calls for them.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/base/detail/process_stamp.hpp>
#include <regatta/base/detail/saturated_time.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/block_cache.hpp>
#include <regatta/core/detail/coroutine_depth.hpp>
#include <regatta/core/detail/task_chain.hpp>
#include <regatta/core/detail/task_closure.hpp>
#include <regatta/core/error_sink.hpp>
#include <regatta/core/future.hpp>
#include <regatta/core/task_errors.hpp>
#include <regatta/sync/adaptive_mutex.hpp>
#include <regatta/sync/event_count.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace regatta {

/// An executor without a thread: a thread that calls `run`, or `poll` in its own loop, runs the
/// tasks. It is for what one thread alone may do, as the main thread with its window, its renderer
/// or its interpreter.
///
/// ```cpp
/// regatta::run_loop main;
/// pool.submit(load).then(main, show); // show() runs in the main thread
/// while (!quit) {
///     main.poll(); // what waits now
///     draw();
/// }
/// ```
///
/// `then(loop, f)`, `schedule_on(loop)`, `co_spawn(loop, task)`, `strand` and a `timer_scheduler`
/// take it as an executor. A thread that must wait for a future runs the loop meanwhile, as
/// `while (!f.ready()) { main.run_one_for(1ms); }`: a continuation in the loop ends the wait at
/// once. If it blocked in the future instead, a task of the loop that the future needs would not
/// run.
///
/// The members are named after those of Boost.Asio's `io_context` and `std::execution::run_loop`.
///
/// Threads: any. Tasks run at once only if several threads run the loop.
/// Blocks: only `run`, `run_one` and their variants with a time, while no task waits.
/// Order: tasks begin in the order of submission. What a thread did before it submitted happens
/// before the task.
/// Failure: an exception of a task of `execute` goes to the error sink. After `finish`, `execute`
/// and `submit` throw `task_rejected`; the task is destroyed. In a fork of the process they throw
/// `std::system_error` (`no_such_process`), and the loop is empty and finished; what it had is
/// neither run nor destroyed there.
/// Cost: a short lock to submit and one to run, and a system call if a thread sleeps in `run`. No
/// heap for closures that fit into a `task` once the queue has had its greatest length. A future
/// takes a block, as those of a pool do.
class run_loop {
public:
    /// @param on_error receives exceptions of tasks of `execute`.
    explicit run_loop(error_sink on_error = {}) : on_error_(std::move(on_error)) {}
    run_loop(const run_loop&) = delete;
    run_loop& operator=(const run_loop&) = delete;
    /// Destroys the tasks that wait; their futures are cancelled. No thread may be in a member.
    ~run_loop() {
        if (stamp_.elsewhere()) {
            waiting_.abandon();
            return;
        }
        finish();
        while (std::optional<detail::task_chain::task> unrun = take()) {
        }
    }

    // --- what is to run --------------------------------------------------------------------------

    /// Appends a call of `f(args...)`. The arguments are held by value; `std::ref` passes a
    /// reference.
    template<class F, class... Args>
    void execute(F&& f, Args&&... args) {
        if constexpr (detail::callable_job<F, Args...>) {
            add([closure = detail::bind_closure(std::forward<F>(f),
                                                std::forward<Args>(args)...)]() mutable {
                detail::call_as_job(closure);
            });
        } else {
            static_assert(detail::callable_job<F, Args...>,
                          "the argument of execute is not callable with these arguments");
        }
    }
    /// The same. @returns the future of its result or exception.
    template<class F, class... Args>
    auto submit(F&& f, Args&&... args) {
        if constexpr (detail::callable_task<F, Args...>) {
            refuse_fork();
            auto made = make_future_task(
                blocks_, std::stop_token(),
                detail::bind_closure(std::forward<F>(f), std::forward<Args>(args)...));
            add([job = std::move(made.second)]() mutable { job(); });
            return std::move(made.first);
        } else {
            static_assert(detail::callable_task<F, Args...>,
                          "the argument of submit is not callable with these arguments");
        }
    }

    // --- running it ------------------------------------------------------------------------------

    /// Runs tasks until `finish` was called and none waits. @returns how many.
    std::size_t run() { return run(nullptr); }
    /// The same, but begins none after `limit`.
    template<class Rep, class Period>
    std::size_t run_for(std::chrono::duration<Rep, Period> limit) {
        return run_until(detail::moment_after(limit));
    }
    /// The same, but begins none after `deadline`.
    template<class Duration>
    std::size_t run_until(std::chrono::time_point<std::chrono::steady_clock, Duration> deadline) {
        const auto at = detail::saturated_moment(deadline);
        return run(&at);
    }
    /// Waits for a task and runs it. @returns false if the loop is finished and none waits.
    bool run_one() { return run_one(nullptr); }
    /// The same, but waits for at most `limit`. @returns whether a task ran.
    template<class Rep, class Period>
    bool run_one_for(std::chrono::duration<Rep, Period> limit) {
        const auto at = detail::moment_after(limit);
        return run_one(&at);
    }
    /// Runs the tasks that wait at the call, not those that they add, and waits for none.
    /// @returns how many.
    std::size_t poll() {
        std::size_t ran = 0;
        for (const std::uint64_t last = submitted(); run_next(last); ++ran) {
        }
        return ran;
    }

    /// Refuses further tasks. `run` returns once none waits.
    void finish() noexcept {
        if (stamp_.elsewhere()) {
            return;
        }
        {
            const std::lock_guard lock(lock_);
            finished_ = true;
        }
        arrived_.notify_all();
    }
    bool finished() const noexcept {
        if (stamp_.elsewhere()) {
            return true;
        }
        const std::lock_guard lock(lock_);
        return finished_;
    }
    /// How many tasks wait.
    std::size_t size() const noexcept {
        if (stamp_.elsewhere()) {
            return 0;
        }
        const std::lock_guard lock(lock_);
        return waiting_.size();
    }

    /// Names the loop to continuations: no worker of a pool runs them.
    const void* home() const noexcept { return this; }

private:
    using time_point = std::chrono::steady_clock::time_point;
    using task = detail::task_chain::task;

    void refuse_fork() const {
        if (stamp_.elsewhere()) { // A thread that is not here may have the lock.
            fail_system(ESRCH, "submit to a run_loop in a fork of the process that made it");
        }
    }
    void add(task added) {
        refuse_fork();
        {
            const std::lock_guard lock(lock_);
            if (!finished_) {
                waiting_.push_back(std::move(added));
            }
        }
        if (added) { // It was not moved from.
            fail_rejected("run_loop", task_rejected::reason::closed, 0);
        }
        arrived_.notify_one();
    }
    /// Tasks so far: the number of the last one.
    std::uint64_t submitted() const noexcept {
        if (stamp_.elsewhere()) {
            return 0;
        }
        const std::lock_guard lock(lock_);
        return taken_ + waiting_.size();
    }
    /// The next task, up to that one.
    std::optional<task> take(std::uint64_t last = ~std::uint64_t{0}) noexcept {
        if (stamp_.elsewhere()) {
            return std::nullopt;
        }
        const std::lock_guard lock(lock_);
        if (waiting_.empty() || taken_ >= last) {
            return std::nullopt;
        }
        ++taken_;
        std::optional<task> next(std::move(waiting_.front()));
        waiting_.pop_front();
        return next;
    }
    /// @returns false if no task waits, or none up to that one.
    bool run_next(std::uint64_t last = ~std::uint64_t{0}) noexcept {
        std::optional<task> next = take(last);
        if (!next) {
            return false;
        }
        const detail::fresh_coroutine_depth depth;
        REGATTA_TRY {
            (*next)();
        }
        REGATTA_CATCH_ALL {
            on_error_.report(std::current_exception(), count_error(), "run_loop", "");
        }
        return true;
    }
    std::uint64_t count_error() noexcept {
        const std::lock_guard lock(lock_);
        return errors_++;
    }
    /// @returns whether a task ran.
    bool run_one(const time_point* deadline) {
        for (;;) {
            if (run_next()) {
                return true;
            }
            if (stamp_.elsewhere()) {
                return false;
            }
            bool over = false;
            const auto settled = [&] {
                const std::lock_guard lock(lock_);
                over = finished_;
                return over || !waiting_.empty();
            };
            const bool is_settled = deadline != nullptr ? arrived_.wait_until(settled, *deadline)
                                                        : (arrived_.wait(settled), true);
            if (!is_settled || (over && size() == 0)) {
                return false;
            }
        }
    }
    std::size_t run(const time_point* deadline) {
        std::size_t ran = 0;
        while ((deadline == nullptr || std::chrono::steady_clock::now() < *deadline) &&
               run_one(deadline)) {
            ++ran;
        }
        return ran;
    }

    const error_sink on_error_;
    const detail::process_stamp stamp_;
    detail::block_cache blocks_;
    mutable adaptive_mutex lock_;
    // Under the lock.
    detail::task_chain waiting_;
    std::uint64_t taken_ = 0;
    std::uint64_t errors_ = 0;
    bool finished_ = false;
    event_count arrived_; ///< Where threads sleep that found no task.
};

} // namespace regatta
