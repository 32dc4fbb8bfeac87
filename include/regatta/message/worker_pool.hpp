// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A pool of workers that handle messages of a closed set of types, and run tasks.

#include <regatta/base/config.hpp>
#include <regatta/bus/message_set.hpp>
#include <regatta/core/detail/batch_range.hpp>
#include <regatta/core/detail/future_job.hpp>
#include <regatta/core/detail/task_closure.hpp>
#include <regatta/core/future.hpp>
#include <regatta/core/future_group.hpp>
#include <regatta/core/priority.hpp>
#include <regatta/core/task_rejected.hpp>
#include <regatta/message/detail/task_message.hpp>
#include <regatta/message/detail/worker_pool_engine.hpp>
#include <regatta/message/worker_pool_options.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <ranges>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

namespace regatta {

/// A pool of threads that take messages from one bounded ring and handle them by their type. It
/// takes tasks as well, as every `executor` does.
///
/// ```cpp
/// struct row { int index; };
/// regatta::worker_pool<row> pool{{.threads = 4, .name = "rows"}};
/// pool.on<row>([&](row& r) { compute(r.index); });
/// pool.start();
/// for (int i = 0; i < 512; ++i) pool.submit(row{i});
/// auto sum = pool.submit([&] { return add_up(); });   // no message: a task
/// pool.drain();                           // every row has been computed
/// ```
///
/// A message changes hands once: the producer puts it into the ring and whichever worker is free
/// takes it from there. There is no dispatcher thread in between and no queue per worker in which
/// it could wait behind a long one.
///
/// What `submit` is given is a message if its type stands in the set, and otherwise a task: a
/// callable, with arguments if there are any, which is called once. A task waits in the ring as a
/// message does, and counts as one wherever messages are spoken of; its worker calls it instead of
/// a handler.
///
/// Threads: every member from any thread, handlers included, except construction, destruction and
/// `on`, which belong to the owner; what a handler may not call says so. Blocks: `submit` and
/// `execute` while the ring is full; `pause`, `drain`, `wait` and `close` until handlers have
/// ended. An idle pool sleeps.
/// Order: messages are taken in the order of their submission and handled in parallel. What came
/// before a `submit` happens before its handler; what a handler did happens before the return of a
/// `drain`, `wait`, `pause` or `close` that waited for it.
/// Failure: misuse throws `std::logic_error` or `std::invalid_argument`. What a handler throws, or
/// a task of `execute`, goes to `worker_pool_options::on_error` and is counted; the worker goes on.
/// What a task of `submit` throws goes to its future. A handler that would wait for itself gets
/// `std::system_error` (`resource_deadlock_would_occur`).
/// Cost: a message is one compare-and-swap in, one out, and no allocation; a submit makes a system
/// call only if a worker sleeps. A task is that, and a recycled block for its closure and result;
/// one that needs more than 512 bytes comes from the heap.
template<class... Messages>
class worker_pool {
    using set = message_set<Messages...>;

public:
    using options = worker_pool_options;
    using statistics = worker_pool_stats;

    /// Throws `std::invalid_argument` for bad admission levels, `std::bad_alloc` without memory. No
    /// thread starts yet.
    explicit worker_pool(worker_pool_options o = {}) : engine_(std::move(o)) {}
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;
    /// As `close`.
    ~worker_pool() { close(); }

    /// Sets the handler of messages of type `T`: callable as `void(T&)` or `void(T&, unsigned)`,
    /// the second being the number of the worker, from 0. It may run on several workers at once.
    /// Throws `std::logic_error` once the pool has started.
    template<class T, class Handler>
    requires(set::template contains<T>) worker_pool& on(Handler&& handler) {
        engine_.template set_handler<T>(std::forward<Handler>(handler));
        return *this;
    }

    /// Starts the workers.
    ///
    /// Throws `std::logic_error` if a message type has no handler or the pool was started or closed
    /// before, and `std::system_error` if a thread cannot be had or not be pinned; then none runs.
    void start() { engine_.start(); }

    // --- messages --------------------------------------------------------------------------------

    /// Submits a message if there is room now.
    /// @returns whether it was accepted: then it will be handled; else it stays as it is with the
    /// caller.
    template<class T>
    requires(set::template contains<T>) bool try_submit(T&& m) noexcept {
        return engine_.try_submit(std::move(m));
    }
    template<class T>
    requires(set::template contains<T>) bool try_submit(const T& m) { return try_submit(T(m)); }
    /// The same, if fewer messages wait than the priority's admission level.
    template<class T>
    requires(set::template contains<T>) bool try_submit(T&& m, priority p) noexcept {
        return engine_.try_submit(std::move(m), p);
    }
    template<class T>
    requires(set::template contains<T>) bool try_submit(const T& m, priority p) {
        return try_submit(T(m), p);
    }
    /// Submits a message and waits for room if there is none. A handler that finds the ring full
    /// handles other messages meanwhile; where those wait likewise, 32 deep, it throws
    /// `std::system_error` (`resource_deadlock_would_occur`). Before
    /// `start` it waits for another thread to call that. @returns false only if the pool is closed.
    template<class T>
    requires(set::template contains<T>) bool submit(T m) { return engine_.submit(std::move(m)); }
    /// The same with a priority: there is room below its admission level.
    /// Throws `std::invalid_argument` if that level is 0: it would wait for ever.
    template<class T>
    requires(set::template contains<T>) bool submit(T m, priority p) {
        return engine_.submit(std::move(m), p);
    }

    // --- tasks -----------------------------------------------------------------------------------

    /// Has `f(args...)` called by a worker, with the arguments by value; `std::ref` passes a
    /// reference. What it throws goes to `worker_pool_options::on_error`. Waits for room as a
    /// message does. Throws `task_rejected` if the pool is closed.
    template<class F, class... Args>
    void execute(F&& f, Args&&... args) {
        if constexpr (std::is_same_v<std::decay_t<F>, detail::future_job>) {
            enqueue(std::forward<F>(f)); // What continues a future here is queued as it is.
        } else if constexpr (is_task<F, Args...>) {
            auto closure = detail::bind_closure(std::forward<F>(f), std::forward<Args>(args)...);
            enqueue(make_task([this, closure = std::move(closure)]() mutable {
                        REGATTA_TRY {
                            if constexpr (detail::takes_stop_token<decltype(closure)>) {
                                closure(std::stop_token());
                            } else {
                                closure();
                            }
                        }
                        REGATTA_CATCH_ALL {
                            engine_.report(std::current_exception());
                        }
                    }).second);
        } else {
            static_assert(is_task<F, Args...>,
                          "the argument of execute is not callable with these arguments");
        }
    }
    /// The same. @returns the future of what it returns or throws.
    template<class F, class... Args>
    requires(!set::template contains<std::decay_t<F>>) auto submit(F&& f, Args&&... args) {
        if constexpr (is_task<F, Args...>) {
            auto made =
                make_task(detail::bind_closure(std::forward<F>(f), std::forward<Args>(args)...));
            enqueue(std::move(made.second));
            return std::move(made.first);
        } else {
            static_assert(is_task<F, Args...>,
                          "the argument of submit is neither one of the pool's messages nor "
                          "callable with these arguments");
        }
    }
    /// The same for every callable of a range; those of an rvalue range are moved out of it unless
    /// it is a view. @returns their futures, in order. Where the pool is closed meanwhile,
    /// `task_rejected::accepted` says how many from the front were taken.
    template<std::ranges::input_range Range>
    auto submit_batch(Range&& callables) {
        using given = std::ranges::range_value_t<Range>;
        static_assert(is_task<given>, "submit_batch takes a range of callables");
        future_group<detail::task_result_t<given>> futures;
        std::vector<detail::future_job> jobs;
        detail::reserve_for(callables, futures, jobs);
        for (auto&& e : callables) {
            auto made =
                make_task(given(detail::batch_element<Range>(std::forward<decltype(e)>(e))));
            futures.push(std::move(made.first));
            jobs.push_back(std::move(made.second));
        }
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            enqueue(std::move(jobs[i]), i);
        }
        return futures;
    }

    // --- waiting ---------------------------------------------------------------------------------

    /// Waits until every message that was submitted before has been handled; while the pool is
    /// paused that is not before `resume`.
    ///
    /// Throws `std::logic_error` if messages wait and the pool was never started, and
    /// `std::system_error` (`resource_deadlock_would_occur`) in a handler.
    void drain() { engine_.drain(); }

    /// Waits until no message waits or is handled, also none that was submitted meanwhile. A
    /// handler that calls it handles others meanwhile, also in a paused pool, and handlers that
    /// wait like it count as done, and so do those that wait for room beneath it, on the same
    /// worker; 32 may do so within each other on one worker.
    ///
    /// Throws `std::logic_error` as `drain` does, and `std::system_error`
    /// (`resource_deadlock_would_occur`) where it could never end.
    void wait() { engine_.wait_idle(nullptr); }
    /// The same, at most so long. @returns whether it came about.
    template<class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> limit) {
        const auto deadline = detail::deadline_after(limit);
        return engine_.wait_idle(deadline ? &*deadline : nullptr);
    }

    // --- the pool's life -------------------------------------------------------------------------

    /// Lets the workers take no further message until `resume`; messages are still accepted. On
    /// return no handler runs any more; within a handler it returns at once. A handler that waits
    /// for room in `submit`, or in `wait`, still helps, or it would wait for ever. `pause` does
    /// nothing to a pool that is being closed.
    void pause() { engine_.pause(); }
    /// Lets the workers go on.
    void resume() noexcept { engine_.resume(); }

    /// Refuses further messages, also those of handlers, handles those that were accepted, ends the
    /// workers. A paused pool goes on for it. If the pool was never started its messages are
    /// destroyed unhandled, and the futures of its tasks cancelled. Again: does nothing. In a
    /// handler it throws `std::system_error` (`resource_deadlock_would_occur`).
    void close() { engine_.close(); }

    /// How many workers there are; 0 before `start`.
    unsigned threads() const noexcept { return engine_.threads(); }
    /// Messages that wait at most.
    std::size_t capacity() const noexcept { return engine_.capacity(); }

    /// What the pool has done so far.
    worker_pool_stats stats() const { return engine_.stats(); }

private:
    /// Whether that can be called once, as a task: also with a stop token before the arguments.
    template<class F, class... Args>
    static constexpr bool is_task =
        std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...> ||
        std::is_invocable_v<std::decay_t<F>, std::stop_token, std::decay_t<Args>...>;

    template<class F>
    auto make_task(F&& closure) {
        return make_future_task(engine_.blocks(), std::stop_token(), std::forward<F>(closure));
    }
    /// @param accepted how many of its batch were taken before.
    void enqueue(detail::future_job job, std::size_t accepted = 0) {
        if (!engine_.submit(detail::task_message(job))) {
            fail_rejected(engine_.name(), task_rejected::reason::closed, accepted);
        }
        job.release();
    }

    detail::worker_pool_engine<Messages...> engine_;
};

} // namespace regatta
