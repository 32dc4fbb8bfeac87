// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The interface of all thread pools.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/base/detail/saturated_time.hpp>
#include <regatta/core/detail/batch_range.hpp>
#include <regatta/core/detail/error_tally.hpp>
#include <regatta/core/detail/fork_access.hpp>
#include <regatta/core/detail/task_closure.hpp>
#include <regatta/core/detail/turn_access.hpp>
#include <regatta/core/future.hpp>
#include <regatta/core/future_group.hpp>
#include <regatta/core/pool_options.hpp>
#include <regatta/core/task_options.hpp>
#include <regatta/pool/detail/pool_intake.hpp>
#include <regatta/pool/detail/queue_source.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace regatta {

template<class Executor>
class schedule_awaiter; // core/coroutine.hpp

/// The interface of `steady_pool`, `balanced_pool` and `dynamic_pool`.
///
/// A task is any callable, even a move-only one. A worker calls it once, with the arguments given
/// at its submission. The task holds them by value; `std::ref` passes a reference.
///
/// A `task_options` (or a priority, or a stop token) may precede the callable. A task whose stop
/// token is stopped before its turn is not run. A task that takes a `std::stop_token` as its first
/// argument receives the token.
///
/// A closure of up to `task_slot::inline_size` bytes lies in the queue's cell, one of up to
/// `task_room_size` bytes beside it. Neither calls the heap once the queue has its memory. A larger
/// closure, or one whose move may throw, lies on the heap.
///
/// Threads: any thread, including tasks of the pool, unless a member says otherwise. A pool is not
/// moved.
/// Blocks: `wait…`, `pause`, `close`, `stop`, the destructor, and submission to a full pool with
/// `overflow::block` or by `try_execute_for` and `try_execute_until`.
/// Failure: `task_rejected` for a task that the pool does not take; `std::bad_alloc` before the
/// pool takes a task, or the next 64 of a batch.
class thread_pool {
public:
    thread_pool(const thread_pool&) = delete;
    thread_pool& operator=(const thread_pool&) = delete;

    // --- fire and forget -------------------------------------------------------------------------

    /// A worker calls `f(args...)`. Its exception goes to `pool_options::on_error`.
    template<class F, class... Args>
    requires(!task_options_like<F>) void execute(F&& f, Args&&... args) {
        if constexpr (detail::callable_job<F, Args...>) {
            if constexpr (sizeof...(Args) == 0 && detail::queued_as_given<F>) {
                intake_.enqueue(priority::medium, std::move(f));
            } else {
                intake_.enqueue_with(
                    task_options{},
                    detail::bind_closure(std::forward<F>(f), std::forward<Args>(args)...));
            }
        } else {
            static_assert(detail::callable_job<F, Args...>,
                          "the argument of execute is not callable with these arguments");
        }
    }
    template<class F, class... Args>
    void execute(task_options options, F&& f, Args&&... args) {
        if constexpr (detail::callable_job<F, Args...>) {
            intake_.enqueue_with(
                std::move(options),
                detail::bind_closure(std::forward<F>(f), std::forward<Args>(args)...));
        } else {
            static_assert(detail::callable_job<F, Args...>,
                          "the argument of execute is not callable with these arguments");
        }
    }

    /// The same if the pool has room and is not closed; never waits.
    /// @returns whether the pool took the task. If not, `f` is unchanged, unless its move may
    /// throw.
    template<class F>
    requires detail::callable_job<F>
    bool try_execute(F&& f) { return try_execute(task_options{}, std::forward<F>(f)); }
    template<class F>
    requires detail::callable_job<F>
    bool try_execute(task_options options, F&& f) {
        return place(std::move(options), std::forward<F>(f), nullptr);
    }
    /// The same, but waits for room, at most until `deadline`, whatever the policy. A task of the
    /// pool runs others while it waits, one of which may last longer; at 64 waits within each other
    /// it does not wait.
    template<class F, class Duration>
    requires detail::callable_job<F>
    bool try_execute_until(F&& f,
                           std::chrono::time_point<std::chrono::steady_clock, Duration> deadline) {
        return try_execute_until(task_options{}, std::forward<F>(f), deadline);
    }
    template<class F, class Duration>
    requires detail::callable_job<F>
    bool try_execute_until(task_options options, F&& f,
                           std::chrono::time_point<std::chrono::steady_clock, Duration> deadline) {
        const auto at = detail::saturated_moment(deadline);
        return place(std::move(options), std::forward<F>(f), &at);
    }
    /// The same, for at most `limit`.
    template<class F, class Rep, class Period>
    requires detail::callable_job<F>
    bool try_execute_for(F&& f, std::chrono::duration<Rep, Period> limit) {
        return try_execute_for(task_options{}, std::forward<F>(f), limit);
    }
    template<class F, class Rep, class Period>
    requires detail::callable_job<F>
    bool try_execute_for(task_options options, F&& f, std::chrono::duration<Rep, Period> limit) {
        return try_execute_until(std::move(options), std::forward<F>(f),
                                 detail::moment_after(limit));
    }

    /// Workers call every callable of a range. An rvalue range that is not a view is moved from,
    /// and so is a view of what cannot be copied. If the pool lacks room for all, the overflow
    /// policy decides for the rest.
    /// `task_rejected::accepted` is the number of tasks accepted from the front.
    /// Cost: one compare-and-swap for up to 64 tasks.
    template<detail::batch Range>
    requires detail::callable_job<detail::batch_value_t<Range>>
    void execute_batch(Range&& callables, task_options options = {});

    // --- with a result ---------------------------------------------------------------------------

    /// A worker calls `f(args...)`. @returns the future of its result or exception.
    template<class F, class... Args>
    requires(!task_options_like<F>) auto submit(F&& f, Args&&... args) {
        return submit(task_options{}, std::forward<F>(f), std::forward<Args>(args)...);
    }
    template<class F, class... Args>
    auto submit(task_options options, F&& f, Args&&... args) {
        if constexpr (detail::callable_task<F, Args...>) {
            engine_.refuse_fork(detail::pool_intake::submission);
            auto made = make_future_task(
                engine_.blocks(), std::move(options.stop),
                detail::bind_closure(std::forward<F>(f), std::forward<Args>(args)...));
            intake_.enqueue(options.level, std::move(made.second));
            return std::move(made.first);
        } else {
            static_assert(detail::callable_task<F, Args...>,
                          "the argument of submit is not callable with these arguments");
        }
    }

    /// The same if the pool has room and is not closed; never waits. @returns the future; nothing
    /// if the pool did not take the task: then `f` is unchanged, unless its move may throw.
    template<class F>
    requires(!task_options_like<F> && detail::callable_task<F>) auto try_submit(F&& f) {
        return try_submit(task_options{}, std::forward<F>(f));
    }
    template<class F>
    requires detail::callable_task<F>
    auto try_submit(task_options options, F&& f) {
        return place_task(std::move(options), std::forward<F>(f), nullptr);
    }
    /// The same, but waits for room as `try_execute_until` does.
    template<class F, class Duration>
    requires detail::callable_task<F>
    auto try_submit_until(F&& f,
                          std::chrono::time_point<std::chrono::steady_clock, Duration> deadline) {
        return try_submit_until(task_options{}, std::forward<F>(f), deadline);
    }
    template<class F, class Duration>
    requires detail::callable_task<F>
    auto try_submit_until(task_options options, F&& f,
                          std::chrono::time_point<std::chrono::steady_clock, Duration> deadline) {
        const auto at = detail::saturated_moment(deadline);
        return place_task(std::move(options), std::forward<F>(f), &at);
    }
    /// The same, for at most `limit`.
    template<class F, class Rep, class Period>
    requires detail::callable_task<F>
    auto try_submit_for(F&& f, std::chrono::duration<Rep, Period> limit) {
        return try_submit_for(task_options{}, std::forward<F>(f), limit);
    }
    template<class F, class Rep, class Period>
    requires detail::callable_task<F>
    auto try_submit_for(task_options options, F&& f, std::chrono::duration<Rep, Period> limit) {
        return try_submit_until(std::move(options), std::forward<F>(f),
                                detail::moment_after(limit));
    }

    /// As `submit` for every callable of a range. @returns their futures, in order.
    /// Cost: two calls of the heap if the range can tell its length: for the returned list and for
    /// an internal one. None per task in the steady state.
    template<detail::batch Range>
    requires detail::callable_task<detail::batch_value_t<Range>>
    auto submit_batch(Range&& callables, task_options options = {});

    /// `co_await pool.schedule()` continues a coroutine on a worker. Needs core/coroutine.hpp.
    template<class Pool = thread_pool>
    auto schedule() noexcept {
        return schedule_awaiter<Pool>(*this);
    }

    // --- waiting ---------------------------------------------------------------------------------

    /// Waits until no task is queued or running. A task that calls it runs others while it waits.
    /// Other tasks that wait like it count as done. So do tasks that run others on the same worker
    /// while they wait for room. At most 64 tasks may wait within each other on one worker.
    ///
    /// Failure: `std::system_error` (`resource_deadlock_would_occur`) if the wait could never end:
    /// also in what a task runs when it is destroyed unrun, by another thread than a worker's or
    /// for the sake of another task's room.
    void wait() { static_cast<void>(await_idle(nullptr)); }
    /// The same, for at most `limit`. @returns whether the pool became idle.
    template<class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> limit) {
        const auto deadline = detail::deadline_after(limit);
        return await_idle(deadline ? &*deadline : nullptr);
    }
    template<class Duration>
    bool wait_until(std::chrono::time_point<std::chrono::steady_clock, Duration> deadline) {
        const auto at = detail::saturated_moment(deadline);
        return await_idle(&at);
    }

    // --- the pool's life -------------------------------------------------------------------------

    /// Refuses tasks from outside, runs the accepted tasks and those that they submit, then ends
    /// the threads. A further call does nothing; it returns at once in what a task runs that
    /// `stop_mode::discard` destroys. It resumes a paused pool.
    /// Failure: `std::system_error` (`resource_deadlock_would_occur`) in a task of the pool, and in
    /// what one runs that `overflow::drop_oldest` destroys unrun while the pool is open. An error
    /// of the same type if the pool has tasks but no thread, and none can be started: the tasks
    /// stay, and a further call tries again.
    REGATTA_POOLS_API void close();
    /// As `close`; with `stop_mode::discard` it does not run tasks that have not begun.
    REGATTA_POOLS_API void stop(stop_mode mode);
    REGATTA_POOLS_API bool closed() const noexcept;

    /// Workers begin no further task until `resume`; the pool still accepts tasks. Returns once no
    /// task runs, within a task at once. A task that waits for the pool still runs others.
    REGATTA_POOLS_API void pause();
    REGATTA_POOLS_API void resume() noexcept;
    REGATTA_POOLS_API bool paused() const noexcept;

    /// Names the pool whose workers run what this executor gets. An executor of your own that
    /// gives its tasks to a pool returns the `home` of that pool. Then a task of the pool may wait
    /// for a continuation on the executor: it runs the continuation itself.
    const void* home() const noexcept { return this; }

    // --- workers ---------------------------------------------------------------------------------

    /// The number of the calling thread among this pool's workers, from 0; nothing on any other
    /// thread, a worker of another pool included. No two workers have the same number at once, so
    /// memory that belongs to it needs no lock.
    ///
    /// The numbers are below the number of workers that the pool was made with. A `dynamic_pool`
    /// counts on: a worker that is added gets a number that none had before, so they have no bound.
    ///
    /// ```cpp
    /// std::vector<scratch> of_worker(pool.threads());
    /// pool.execute([&] { compute(of_worker[*pool.worker_index()]); });
    /// ```
    ///
    /// A task that waits, or forks, may run another one on the same thread meanwhile: let it not
    /// use such memory across that. A worker that helps with a fork has its number. A thread from
    /// outside has none, also where it takes part in a fork on the pool, or runs a task by
    /// `overflow::run_here`. `on_start` and `on_stop` have theirs.
    ///
    /// Cost: a few loads on a worker; elsewhere a lock of a few instructions, under which it looks
    /// at each worker. Call it once a task, not once an iteration.
    REGATTA_POOLS_API std::optional<unsigned> worker_index() const noexcept;

    // --- figures ---------------------------------------------------------------------------------

    /// Workers that are to stay.
    REGATTA_POOLS_API unsigned threads() const noexcept;
    /// Queued tasks at most; 0: no limit.
    std::size_t capacity() const noexcept { return options_.capacity; }
    /// About how many tasks are queued.
    REGATTA_POOLS_API std::size_t queued() const noexcept;
    REGATTA_POOLS_API pool_stats stats() const;

protected:
    REGATTA_APART REGATTA_POOLS_API thread_pool(pool_options options, detail::queue_layout layout);
    REGATTA_APART REGATTA_POOLS_API ~thread_pool();

    const pool_options& options() const noexcept { return options_; }
    detail::error_tally& errors() noexcept { return errors_; }
    detail::queue_source& source() noexcept { return source_; }
    const detail::queue_source& source() const noexcept { return source_; }
    detail::pool_intake::engine& engine() noexcept { return engine_; }
    const detail::pool_intake::engine& engine() const noexcept { return engine_; }

private:
    friend struct detail::fork_access;
    friend struct detail::turn_access;

    template<class F>
    bool requeue(F&& rest, priority level = priority::medium) {
        return intake_.requeue(level, std::forward<F>(rest));
    }
    /// Waits until no task is queued or running. @returns false if the deadline passed first.
    REGATTA_POOLS_API bool await_idle(const std::chrono::steady_clock::time_point* deadline);
    /// Queues a call of `f`, unchanged if refused, if there is room by `deadline`; null: now.
    template<class F>
    bool place(task_options options, F&& f, const std::chrono::steady_clock::time_point* deadline);
    /// The same with a future.
    template<class F>
    auto place_task(task_options options, F&& f,
                    const std::chrono::steady_clock::time_point* deadline)
        -> detail::try_submit_result_t<std::decay_t<F>>;

    // --- several ---------------------------------------------------------------------------------

    template<class Group, class F>
    void add_job(Group& futures, std::vector<detail::future_job>& jobs, const std::stop_token& stop,
                 F&& closure) {
        auto made = make_future_task(engine_.blocks(), stop, std::move(closure));
        futures.push(std::move(made.first));
        jobs.push_back(std::move(made.second));
    }

    // The intake accepts a task, the source queues it, the engine runs it.
    const pool_options options_;
    detail::error_tally errors_;
    detail::queue_source source_;
    detail::pool_intake::engine engine_;
    detail::pool_intake intake_;
};

template<class F>
auto thread_pool::place_task(task_options options, F&& f,
                             const std::chrono::steady_clock::time_point* deadline)
    -> detail::try_submit_result_t<std::decay_t<F>> {
    using closure = std::decay_t<F>;
    using state = detail::task_state<detail::held_closure<closure>>;
    engine_.refuse_fork(detail::pool_intake::submission);
    if constexpr (!std::is_same_v<F, closure>) {
        return place_task(std::move(options), closure(std::forward<F>(f)), deadline);
    } else if constexpr (!std::is_nothrow_move_constructible_v<closure>) {
        auto made = make_future_task(engine_.blocks(), std::move(options.stop),
                                     detail::hold_closure<closure>(std::move(f)));
        auto queue = [&]() noexcept { return std::move(made.second); };
        if (!intake_.try_place<detail::future_job>(options.level, queue, deadline)) {
            return std::nullopt;
        }
        return std::move(made.first);
    } else { // Moves `f` only into its place.
        detail::spare_block<state> block(engine_.blocks().store()); // It may throw: before.
        state* made = nullptr;
        auto make = [&]() noexcept {
            made = block.make(std::move(options.stop), detail::hold_closure<closure>(std::move(f)));
            return detail::future_job(*made);
        };
        if (!intake_.try_place<detail::future_job>(options.level, make, deadline)) {
            return std::nullopt;
        }
        return future<typename state::result>(*made);
    }
}

template<class F>
bool thread_pool::place(task_options options, F&& f,
                        const std::chrono::steady_clock::time_point* deadline) {
    using closure = std::decay_t<F>;
    if constexpr (!std::is_same_v<F, closure>) {
        return place(std::move(options), closure(std::forward<F>(f)), deadline);
    } else if constexpr (!std::is_nothrow_move_constructible_v<closure>) {
        return place(std::move(options),
                     detail::queueable(detail::hold_closure<closure>(std::move(f))), deadline);
    } else { // Moves `f` only into its place.
        using held = detail::held_closure<closure>;
        auto make = [&]() noexcept -> decltype(auto) {
            if constexpr (std::is_same_v<held, closure>) {
                return std::move(f);
            } else {
                return detail::hold_closure<closure>(std::move(f));
            }
        };
        if constexpr (!detail::takes_stop_token<held>) {
            if (!options.stop.stop_possible()) {
                return intake_.try_place<held>(options.level, make, deadline);
            }
        }
        using stoppable = detail::stoppable_closure<held>;
        auto make_stoppable = [&]() noexcept { return stoppable{make(), std::move(options.stop)}; };
        return intake_.try_place<stoppable>(options.level, make_stoppable, deadline);
    }
}

template<detail::batch Range>
requires detail::callable_job<detail::batch_value_t<Range>>
void thread_pool::execute_batch(Range&& callables, task_options options) {
    using given = detail::batch_value_t<Range>;
    using held = detail::held_closure<given>;
    if (detail::takes_stop_token<held> || options.stop.stop_possible()) {
        using stoppable =
            decltype(detail::queueable(detail::stoppable_closure<held>{std::declval<held>(), {}}));
        std::vector<stoppable> staged;
        detail::reserve_for(callables, staged);
        for (auto&& e : callables) {
            staged.push_back(detail::queueable(detail::stoppable_closure<held>{
                detail::hold_closure<given>(
                    detail::batch_element<Range>(std::forward<decltype(e)>(e))),
                options.stop}));
        }
        return intake_.enqueue_all<stoppable>(
            options.level, std::make_move_iterator(staged.begin()), staged.size());
    }
    if constexpr (!detail::takes_stop_token<held>) {
        using direct = decltype(detail::queueable(std::declval<held>()));
        // The code of any other range makes its elements, and may wait for the pool. So it is not
        // called once room was taken for them.
        if constexpr (std::contiguous_iterator<detail::batch_iterator<Range>> &&
                      std::is_same_v<direct, given>) {
            auto at = detail::batch_ends::first(callables);
            const auto count = static_cast<std::size_t>(
                std::ranges::distance(at, detail::batch_ends::last(callables)));
            if constexpr (detail::moved_out_of<Range>) {
                if constexpr (noexcept(given(std::ranges::iter_move(at)))&& noexcept(
                                  std::declval<decltype(at)&>()++)) {
                    return intake_.enqueue_all<given>(options.level, std::make_move_iterator(at),
                                                      count);
                }
            } else if constexpr (noexcept(given(*std::declval<decltype(at)&>()++))) {
                return intake_.enqueue_all<given>(options.level, at, count);
            }
        }
        std::vector<direct> staged;
        detail::reserve_for(callables, staged);
        for (auto&& e : callables) {
            staged.push_back(detail::queueable(detail::hold_closure<given>(
                detail::batch_element<Range>(std::forward<decltype(e)>(e)))));
        }
        intake_.enqueue_all<direct>(options.level, std::make_move_iterator(staged.begin()),
                                    staged.size());
    }
}

template<detail::batch Range>
requires detail::callable_task<detail::batch_value_t<Range>>
auto thread_pool::submit_batch(Range&& callables, task_options options) {
    using given = detail::batch_value_t<Range>;
    engine_.refuse_fork(detail::pool_intake::submission);
    future_group<detail::task_result_t<given>> futures;
    std::vector<detail::future_job> jobs;
    detail::reserve_for(callables, futures, jobs);
    for (auto&& e : callables) {
        add_job(futures, jobs, options.stop,
                given(detail::batch_element<Range>(std::forward<decltype(e)>(e))));
    }
    intake_.enqueue_all<detail::future_job>(options.level, std::make_move_iterator(jobs.begin()),
                                            jobs.size());
    return futures;
}

} // namespace regatta

#if REGATTA_POOLS_DEFINITIONS

namespace regatta {

namespace detail {

/// Tasks that may wait within each other on one worker; the stack is finite.
inline constexpr unsigned deepest_help = 64;

} // namespace detail

thread_pool::thread_pool(pool_options options, detail::queue_layout layout)
    : options_(std::move(options))
    , errors_(options_.on_error, options_.name)
    , source_(layout, detail::worker_count(options_), options_.capacity, errors_)
    , engine_(this, source_, options_, errors_, detail::deepest_help)
    , intake_(options_, source_, engine_, errors_) {
    engine_.add_workers(detail::worker_count(options_));
}
thread_pool::~thread_pool() {
    engine_.finish(); // Here: the last tasks may use all of the pool.
}

bool thread_pool::await_idle(const std::chrono::steady_clock::time_point* deadline) {
    return engine_.wait_idle(deadline);
}
void thread_pool::close() {
    engine_.close();
}
void thread_pool::stop(stop_mode mode) {
    mode == stop_mode::drain ? engine_.close() : engine_.discard();
}
bool thread_pool::closed() const noexcept {
    return engine_.closed();
}
void thread_pool::pause() {
    engine_.pause();
}
void thread_pool::resume() noexcept {
    engine_.resume();
}
bool thread_pool::paused() const noexcept {
    return engine_.paused();
}
std::optional<unsigned> thread_pool::worker_index() const noexcept {
    return engine_.caller_index();
}
unsigned thread_pool::threads() const noexcept {
    return engine_.expected();
}
std::size_t thread_pool::queued() const noexcept {
    return source_.queues().size();
}
pool_stats thread_pool::stats() const {
    pool_stats s;
    s.workers.reserve(engine_.expected()); // Not under the lock of `read`.
    const detail::worker_figures all = engine_.read([&](const auto&, const auto& did) {
        s.workers.push_back({did.run, did.stolen, did.parked, did.busy});
    });
    s.stolen = all.stolen;
    s.parked = all.parked;
    s.busy = all.busy;
    const std::uint64_t unrun = all.cancelled + engine_.dropped();
    const std::uint64_t late = std::min(source_.dropped_late(), unrun);
    s.run = all.run + late;
    s.cancelled = unrun - late;
    s.queued = source_.queues().size();
    s.submitted = source_.appended();
    s.refused = intake_.refused();
    s.errors = errors_.count();
    return s;
}

} // namespace regatta

#endif
