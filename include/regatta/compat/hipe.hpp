// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Hipe's thread-pool interface on the pools of this library. A program written for Hipe compiles
/// with this header in place of Hipe's.

#include <regatta/base/error.hpp>
#include <regatta/compat/detail/hipe_block.hpp>
#include <regatta/compat/detail/hipe_calls.hpp>
#include <regatta/compat/detail/hipe_futures.hpp>
#include <regatta/compat/detail/hipe_output.hpp>
#include <regatta/compat/detail/hipe_pond.hpp>
#include <regatta/compat/detail/hipe_task.hpp>
#include <regatta/compat/detail/hipe_timers.hpp>
#include <regatta/pool/balanced_pool.hpp>
#include <regatta/pool/dynamic_pool.hpp>
#include <regatta/pool/steady_pool.hpp>
#include <regatta/sync/adaptive_mutex.hpp>

#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Programs rely on the headers that Hipe's own headers include.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <future>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <queue>
#include <thread>
#include <type_traits>

namespace hipe::util {

/// Hipe's names of a lock for short sections and of its guard. It spins, then sleeps.
using spinlock = regatta::adaptive_mutex;
using spinlock_guard = std::lock_guard<spinlock>;

} // namespace hipe::util

namespace hipe {

/// The capacity of an unlimited pond.
inline constexpr int HipeUnlimited = 0;

using HipeTask = util::SafeTask;
template<class T>
using HipeFutures = util::Futures<T>;
using HipeLockGuard = std::lock_guard<std::mutex>;
using HipeUniqGuard = std::unique_lock<std::mutex>;

/// A pond with a fixed number of threads and, on request, a limited number of tasks.
/// `task_capacity` is for the whole pond and counts queued and running tasks.
///
/// Failure: submitting to a full pond calls the callback on the submitting thread, or throws
/// `std::runtime_error` if there is none.
template<class Pool>
class FixedThreadPond : public detail::pond<Pool> {
public:
    int getThreadNumb() const { return static_cast<int>(this->pool().threads()); }

    /// Lets an idle thread of a steady pond steal tasks from the next `max` threads, counted round;
    /// 0: from all others. A balanced pond only checks `max`: its tasks can always be stolen.
    /// Failure: `std::invalid_argument` unless `max` is from 0 to the number of threads less one.
    void enableStealTasks(int max = 0) {
        if (detail::counted(max, "enableStealTasks: the number of threads to steal from") >=
                this->pool().threads() &&
            max != 0) {
            regatta::fail_argument("enableStealTasks: " + std::to_string(max) +
                                   " threads to steal from, but there are only " +
                                   std::to_string(getThreadNumb()) + " including the thief");
        }
        if constexpr (requires { this->pool().enable_stealing(); }) {
            this->pool().enable_stealing(static_cast<unsigned>(max));
        }
    }
    void disableStealTasks() {
        if constexpr (requires { this->pool().disable_stealing(); }) {
            this->pool().disable_stealing();
        }
    }

    /// Sets `f(args...)` as the callback for tasks without room. It runs on the submitting thread.
    /// The arguments are kept by value; `std::ref` passes a reference. If several threads submit,
    /// it may run on several at once. It may submit tasks itself, also to this pond.
    /// Failure: `std::logic_error` if the pond is unlimited.
    template<class F, class... Args>
    void setRefuseCallBack(F&& f, Args&&... args) {
        static_assert(util::is_runnable<F, Args...>::value,
                      "setRefuseCallBack: not callable with these arguments");
        if (!this->limited()) {
            regatta::fail_state("setRefuseCallBack: the pond is unlimited and refuses no task");
        }
        this->overflown().set_callback(std::bind(std::forward<F>(f), std::forward<Args>(args)...));
    }

    /// The tasks that were refused last, kept until the next refusal. In the callback: the tasks of
    /// its own call.
    std::vector<HipeTask>& pullOverFlowTasks() noexcept { return this->overflown().pull(); }

protected:
    FixedThreadPond(int thread_numb, int task_capacity, const char* name)
        : detail::pond<Pool>(
              {.threads = detail::counted(thread_numb, "the number of threads"), .name = name},
              detail::counted(task_capacity, "the capacity of the pond")) {}
    ~FixedThreadPond() = default;
};

/// For many short tasks that take about the same time: regatta::steady_pool.
class SteadyThreadPond : public FixedThreadPond<regatta::steady_pool> {
public:
    /// @param thread_numb 0: all CPUs that the program may use
    /// @param task_capacity 0: unlimited
    explicit SteadyThreadPond(int thread_numb = 0, int task_capacity = HipeUnlimited)
        : FixedThreadPond(thread_numb, task_capacity, "steady") {}
};

/// For tasks that take different times: regatta::balanced_pool. Every queued task can be stolen,
/// always.
class BalancedThreadPond : public FixedThreadPond<regatta::balanced_pool> {
public:
    /// @param thread_numb 0: all CPUs that the program may use
    /// @param task_capacity 0: unlimited
    explicit BalancedThreadPond(int thread_numb = 0, int task_capacity = HipeUnlimited)
        : FixedThreadPond(thread_numb, task_capacity, "balanced") {}
};

/// An unlimited pond whose number of threads changes: regatta::dynamic_pool.
class DynamicThreadPond : public detail::pond<regatta::dynamic_pool> {
public:
    /// @param thread_numb 0: all CPUs that the program may use
    explicit DynamicThreadPond(int thread_numb = 0)
        : pond(
              {.threads = detail::counted(thread_numb, "the number of threads"), .name = "dynamic"},
              HipeUnlimited) {}

    /// Changes the wanted number of threads; the threads follow by themselves.
    /// Failure: `std::invalid_argument` for a negative number, or for deleting more than the wanted
    /// number. Threads that delete at once are not told if they delete more together.
    void addThreads(int number = 1) { pool().add_threads(detail::counted(number, added)); }
    void delThreads(int number = 1) {
        const unsigned count = detail::counted(number, deleted);
        if (count > pool().expected_threads()) {
            regatta::fail_argument("delThreads: " + std::to_string(number) +
                                   " threads, but there are only " +
                                   std::to_string(getExpectThreadNumb()));
        }
        pool().remove_threads(count);
    }
    void adjustThreads(int number) { pool().resize(detail::counted(number, wanted)); }

    /// Waits until the number of running threads is the wanted one.
    void waitForThreads() { pool().wait_for_threads(); }

    /// Does nothing: threads that have ended are joined without it.
    void joinDeadThreads() noexcept {}

    int getRunningThreadNumb() const { return static_cast<int>(pool().running_threads()); }
    int getExpectThreadNumb() const { return static_cast<int>(pool().expected_threads()); }
    int getThreadNumb() const { return getExpectThreadNumb(); }

    /// Tasks that threads have taken since the last reset.
    int getTasksLoaded() const { return static_cast<int>(pool().tasks_taken()); }
    /// Counts from 0 again. @returns the count until then; no task is lost in between.
    int resetTasksLoaded() { return static_cast<int>(pool().reset_tasks_taken()); }

private:
    static constexpr const char* added = "the number of threads to add";
    static constexpr const char* deleted = "the number of threads to delete";
    static constexpr const char* wanted = "the number of threads";
};

} // namespace hipe
