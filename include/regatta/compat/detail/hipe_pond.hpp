// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The common part of Hipe's three thread ponds.

#include <regatta/base/error.hpp>
#include <regatta/compat/detail/hipe_overflow.hpp>
#include <regatta/compat/detail/hipe_room.hpp>
#include <regatta/compat/detail/hipe_task.hpp>
#include <regatta/core/detail/task_closure.hpp>
#include <regatta/core/pool_options.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <future>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hipe::detail {

/// A caller's number of threads or tasks; throws std::invalid_argument if it is negative.
inline unsigned counted(int number, const char* what) {
    if (number < 0) {
        regatta::fail_argument(std::string(what) + " is " + std::to_string(number) +
                               ", but must not be negative");
    }
    return static_cast<unsigned>(number);
}

/// A thread pond of Hipe on a pool of this library. The destructor closes it.
///
/// Threads: all members, also in tasks, unless a member says otherwise.
/// Failure: an exception of a task without a result goes to the pool's error_sink, which prints the
/// first one to stderr. Submitting to a closed pond throws regatta::task_rejected.
template<class Pool>
class pond {
    template<class F, class... Args>
    using bound_type =
        decltype(regatta::detail::bind_closure(std::declval<F>(), std::declval<Args>()...));

public:
    /// Runs `f` on one of the threads.
    /// Failure: without room as FixedThreadPond says; `f` is then among the refused tasks.
    template<class F>
    void submit(F&& f) {
        static_assert(util::is_runnable<F>::value, "submit: not callable without arguments");
        if (asks_pool()) {
            pool_.execute(call_of(std::forward<F>(f)));
        } else if (room::places place = room_.take(1); place.count() != 0) {
            pool_.execute(placed<call_type<F>>{std::move(place), call_of(std::forward<F>(f))});
        } else {
            refuse_one(std::forward<F>(f));
        }
    }

    /// Runs `f(args...)` on one of the threads. @returns the future of its result or exception. The
    /// arguments are kept by value; `std::ref` passes a reference.
    ///
    /// Without room the refused task still carries the result: the thread that runs it completes
    /// the future. A task that is destroyed unrun leaves a broken promise.
    template<class F, class... Args>
    auto submitForReturn(F&& f, Args&&... args)
        -> std::future<std::invoke_result_t<bound_type<F, Args...>&>> {
        using result = std::invoke_result_t<bound_type<F, Args...>&>;
        auto bound = regatta::detail::bind_closure(std::forward<F>(f), std::forward<Args>(args)...);
        if (asks_pool()) {
            return execute(std::packaged_task<result()>(std::move(bound)));
        }
        if (room::places place = room_.take(1); place.count() != 0) {
            // The place is free before the future is ready, so that the thread that has the result
            // can submit again.
            std::packaged_task<result(room::places&)> task(
                leaving<decltype(bound)>{std::move(bound)});
            auto future = task.get_future();
            pool_.execute(placed_task<result>{std::move(task), std::move(place)});
            return future;
        }
        std::packaged_task<result()> refused(std::move(bound));
        auto future = refused.get_future();
        refuse_one(std::move(refused));
        return future;
    }

    /// Moves the first `size` elements out of a container with `[]` and runs them.
    ///
    /// Failure: `std::invalid_argument` if the container says that it has fewer. If there is room
    /// for some, those are accepted and the others are refused together.
    template<class Container>
    void submitInBatch(Container&& container, std::size_t size) {
        if constexpr (requires {
                          { container.size() } -> std::convertible_to<std::size_t>;
                      }) {
            if (size > container.size()) {
                regatta::fail_argument("submitInBatch: " + std::to_string(size) +
                                       " tasks, but the container has only " +
                                       std::to_string(container.size()));
            }
        }
        const calls_of<std::remove_reference_t<Container>> calls{container};
        if (asks_pool()) {
            execute_all(size, calls);
            return;
        }
        room::places places = room_.take(size);
        const std::size_t accepted = places.count();
        execute_all(accepted, [&](std::size_t i) {
            return placed<decltype(calls(i))>{places.one(), calls(i)};
        });
        if (accepted != size) {
            overflow::tasks refused;
            refused.reserve(size - accepted);
            for (std::size_t i = accepted; i < size; ++i) {
                refused.emplace_back(std::move(container[i]));
            }
            overflow_.refuse(std::move(refused), no_callback);
        }
    }

    /// Waits until every task has finished. In a task it runs others while it waits, and does not
    /// wait for tasks that wait themselves.
    void waitForTasks() { pool_.wait(); }

    /// Ends the threads once the running tasks have finished, and destroys queued tasks unrun. Call
    /// waitForTasks() before, to have them run. A further call does nothing.
    void close() { pool_.stop(regatta::stop_mode::discard); }

    /// Tasks that have not finished: queued or running.
    int getTasksRemain() const {
        if (room_.limited()) {
            return static_cast<int>(room_.taken());
        }
        const regatta::pool_stats stats = pool_.stats();
        const auto ended = stats.run + stats.cancelled;
        return stats.submitted > ended ? static_cast<int>(stats.submitted - ended) : 0;
    }

protected:
    explicit pond(regatta::pool_options options, unsigned capacity)
        : room_(capacity)
        , pool_(std::move(options)) {}
    ~pond() { close(); }

    Pool& pool() noexcept { return pool_; }
    const Pool& pool() const noexcept { return pool_; }
    bool limited() const noexcept { return room_.limited(); }
    overflow& overflown() noexcept { return overflow_; }

private:
    static constexpr const char* no_callback =
        "hipe: the pond is full and has no callback for the overflow (setRefuseCallBack)";

    /// Whether tasks need no place here: the pool refuses them once it is closed, full or not.
    bool asks_pool() const noexcept { return !room_.limited() || pool_.closed(); }

    /// The callable that the pool gets for a task.
    template<class F>
    static auto call_of(F&& f) {
        if constexpr (std::is_same_v<F, util::SafeTask>) {
            return std::move(f).release();
        } else {
            return std::decay_t<F>(std::forward<F>(f));
        }
    }
    template<class F>
    using call_type = decltype(call_of(std::declval<F>()));

    /// Moves the i-th element out of a container.
    template<class Container>
    struct calls_of {
        Container& container;

        auto operator()(std::size_t i) const { return call_of(std::move(container[i])); }
    };

    /// Executes the callables that `make` returns for 0 … `count` - 1, in one batch.
    template<class Make>
    void execute_all(std::size_t count, const Make& make) {
        // The pool makes tasks in place, where nothing may throw.
        std::vector<decltype(make(std::size_t{0}))> made;
        made.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            made.push_back(make(i));
        }
        pool_.execute_batch(std::move(made));
    }

    template<class R>
    std::future<R> execute(std::packaged_task<R()> task) {
        auto future = task.get_future();
        pool_.execute(std::move(task));
        return future;
    }

    template<class F>
    void refuse_one(F&& f) {
        overflow::tasks refused;
        refused.emplace_back(std::forward<F>(f));
        overflow_.refuse(std::move(refused), no_callback);
    }

    room room_;
    overflow overflow_;
    Pool pool_; // Last: its threads end before what its tasks use.
};

} // namespace hipe::detail
