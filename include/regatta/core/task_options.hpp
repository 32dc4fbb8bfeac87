// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The options of one task.

#include <regatta/core/detail/turn_access.hpp>

#include <concepts>
#include <stop_token>
#include <utility>

namespace regatta {

/// The order in which a thread pool begins waiting tasks: high before medium before low, but
/// without starvation.
enum class priority : unsigned char { low, medium, high };

/// The priority of a task and the stop token that cancels it.
///
/// A priority or a stop token converts to it: `pool.execute(priority::high, f)`.
struct task_options {
    priority level = priority::medium;
    /// If a stop was requested before the task's turn comes, the task does not run.
    std::stop_token stop{};

    task_options() = default;
    task_options(priority p, std::stop_token s = {}) noexcept // NOLINT: implicit by intent
        : level(p)
        , stop(std::move(s)) {}
    task_options(std::stop_token s) noexcept : stop(std::move(s)) {} // NOLINT: implicit by intent
};

/// A type that can stand in place of `task_options`.
template<class T>
concept task_options_like = std::convertible_to<T, task_options>;

/// An executor that gives what it gets to a pool with options: for what takes an executor and no
/// options, as `then`, `co_spawn`, `schedule_on`, a `strand` or a timer.
///
/// ```cpp
/// regatta::executor_with_options loads(pool, regatta::priority::low);
/// regatta::co_spawn(loads, load(name));
/// decoded.then(loads, upload);
/// ```
///
/// A continuation that a worker of the pool runs itself, as it waits for it, does not ask the stop
/// token.
///
/// Threads, Blocks, Failure: as the pool, which must outlive it; and it what runs on it, as any
/// executor.
/// Cost: a copy of the options each task.
template<class Pool>
class executor_with_options {
public:
    executor_with_options(Pool& pool, task_options options) noexcept
        : pool_(pool)
        , options_(std::move(options)) {}

    template<class F, class... Args>
    void execute(F&& f, Args&&... args) const {
        pool_.execute(options_, std::forward<F>(f), std::forward<Args>(args)...);
    }
    template<class F, class... Args>
    auto submit(F&& f, Args&&... args) const {
        return pool_.submit(options_, std::forward<F>(f), std::forward<Args>(args)...);
    }
    template<class F>
    bool try_execute(F&& f) const requires requires(Pool& pool, const task_options& with) {
        pool.try_execute(with, std::forward<F>(f));
    }
    { return pool_.try_execute(options_, std::forward<F>(f)); }

    /// That of the pool: its workers run what they wait for.
    const void* home() const noexcept { return pool_.home(); }

private:
    friend struct detail::turn_access;

    template<class Job>
    auto requeue(Job&& rest) const
        -> decltype(detail::turn_access::requeue(std::declval<Pool&>(), std::move(rest),
                                                 priority::medium)) {
        if (options_.stop.stop_possible()) { // Each turn asks it.
            return pool_.try_execute(options_, std::move(rest));
        }
        return detail::turn_access::requeue(pool_, std::move(rest), options_.level);
    }

    Pool& pool_;
    const task_options options_;
};

} // namespace regatta
