// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A pool of workers that handle messages of a closed set of types and run tasks.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/base/detail/saturated_time.hpp>
#include <regatta/base/error.hpp>
#include <regatta/bus/bus_options.hpp>
#include <regatta/bus/message_set.hpp>
#include <regatta/core/detail/batch_range.hpp>
#include <regatta/core/detail/error_tally.hpp>
#include <regatta/core/detail/fork_access.hpp>
#include <regatta/core/detail/future_job.hpp>
#include <regatta/core/detail/task_closure.hpp>
#include <regatta/core/detail/worker_engine.hpp>
#include <regatta/core/future.hpp>
#include <regatta/core/future_group.hpp>
#include <regatta/core/pool_options.hpp>
#include <regatta/message/detail/message_intake.hpp>
#include <regatta/message/detail/message_source.hpp>
#include <regatta/message/worker_pool_options.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace regatta {

/// One bounded ring, oldest message first: a pool of threads that handle typed messages. It also
/// runs tasks, as every `executor` does.
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
/// The producer puts a message into the ring; a free worker takes it out. No dispatcher thread
/// stands in between. No per-worker queue makes a message wait behind a long one.
///
/// `submit` takes a message if the type is in the set. Otherwise it takes a task: a callable, with
/// arguments or without, which is called once. A task waits in the ring and counts as a message
/// everywhere below; its worker calls it instead of a handler.
///
/// Threads: every member from any thread, handlers included. Construction, destruction and `on`
/// belong to the owner. Members that a handler must not call say so.
/// Blocks: `submit` and `execute` while the ring is full, `try_submit_for` and the like for a time;
/// `pause`, `drain`, `wait` and `close` until handlers have ended. An idle pool sleeps.
/// Order: workers take messages in the order of submission and handle them in parallel. A
/// submitting thread's earlier actions happen before the handler. The handler's actions happen
/// before the return of the `drain`, `wait`, `pause` or `close` that waited for it.
/// Failure: misuse throws `std::logic_error` or `std::invalid_argument`. An exception of a handler
/// or of a task of `execute` goes to `worker_pool_options::on_error` and is counted; the worker
/// continues. An exception of a task of `submit` goes to its future. A handler that would wait for
/// itself gets `std::system_error` (`resource_deadlock_would_occur`).
/// Cost: a message is one compare-and-swap in, one out, and no allocation. A submit makes a system
/// call only if a worker sleeps. A task adds a recycled block for its closure and result; a block
/// above 512 bytes comes from the heap.
template<class... Messages>
class worker_pool {
    using set = message_set<Messages...>;

public:
    using options = worker_pool_options;
    using statistics = worker_pool_stats;

    /// Starts no thread. Throws `std::invalid_argument` for bad admission levels, for a negative
    /// `spin` and for a capacity that no memory can hold, `std::bad_alloc` if memory runs out.
    explicit worker_pool(worker_pool_options o = {})
        : options_(detail::to_pool_options(o))
        , errors_(options_.on_error, options_.name)
        , source_(o.capacity, errors_)
        , limits_(o.admission, source_.capacity())
        , engine_(this, source_, options_, errors_, deepest_help)
        , intake_(options_.name, source_, engine_, errors_) {}
    /// A pool of that many workers; 0: as `worker_pool_options::threads` says.
    explicit worker_pool(unsigned threads) : worker_pool(worker_pool_options{.threads = threads}) {}
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;
    /// As `close`.
    ~worker_pool() { close(); }

    /// Sets the handler of messages of type `T`. It is callable as `void(T&)`, as
    /// `void(T&, unsigned)` with the number of the worker, from 0, or as
    /// `void(T&, const message_context&)`; if as several of these, it gets the number if it can,
    /// otherwise the context. Several workers may call it at once. A handler with a context costs
    /// two clock reads per message. Throws `std::logic_error` once the pool has started.
    template<class T, class Handler>
    requires(set::template contains<T>) worker_pool& on(Handler&& handler) {
        if (started() || engine_.closed()) {
            fail_state("worker_pool::on: handlers must be set before start()");
        }
        source_.template set_handler<T>(std::forward<Handler>(handler));
        return *this;
    }

    /// Starts the workers.
    ///
    /// Throws `std::logic_error` if a message type has no handler, or if the pool was started or
    /// closed before. Throws `std::invalid_argument` for a priority that the `schedule` does not
    /// have, `std::system_error` if a thread cannot be created, moved, pinned or scheduled. Then no
    /// worker runs.
    void start() {
        engine_.refuse_fork("start the pool");
        source_.handlers().check_complete();
        engine_.refuse_worker("start the pool");
        const std::lock_guard lock(starting_);
        if (started() || closing_) {
            fail_state("worker_pool::start: the pool was started or closed before");
        }
        engine_.start(detail::worker_count(options_));
    }

    // --- messages --------------------------------------------------------------------------------

    /// Submits a message if there is room now.
    /// @returns whether the pool accepted it and will handle it; a refused message is unchanged.
    template<class T>
    requires(set::template contains<T>) bool try_submit(T&& m) noexcept {
        return intake_.try_submit(capacity(), std::move(m));
    }
    template<class T>
    requires(set::template contains<T>&& std::is_copy_constructible_v<T>) bool try_submit(
        const T& m) {
        return try_submit(T(m));
    }
    /// The same, if fewer messages are queued than the admission level of that class.
    template<class T>
    requires(set::template contains<T>) bool try_submit(T&& m, admission_class c) noexcept {
        return intake_.try_submit(limits_[c], std::move(m));
    }
    template<class T>
    requires(set::template contains<T>&& std::is_copy_constructible_v<T>) bool try_submit(
        const T& m, admission_class c) {
        return try_submit(T(m), c);
    }
    /// Submits a message and waits for room, at most until `deadline`. A handler handles other
    /// messages while it waits, one of which may last longer; at 32 waits within each other it does
    /// not wait. @returns whether the pool accepted it; a refused message is unchanged.
    template<class M, class Duration>
    requires(set::template accepts<M>) bool try_submit_until(
        M&& m, std::chrono::time_point<std::chrono::steady_clock, Duration> deadline) {
        using T = std::remove_cvref_t<M>;
        if constexpr (!std::is_same_v<M, T>) {
            return try_submit_until(T(m), deadline);
        } else {
            return intake_.submit_until(m, detail::saturated_moment(deadline));
        }
    }
    /// The same, for at most `limit`.
    template<class M, class Rep, class Period>
    requires(set::template accepts<M>) bool try_submit_for(
        M&& m, std::chrono::duration<Rep, Period> limit) {
        return try_submit_until(std::forward<M>(m), detail::moment_after(limit));
    }
    /// Submits a message and waits for room if there is none. A handler that finds the ring full
    /// handles other messages while it waits. At 32 such waits within each other it throws
    /// `std::system_error` (`resource_deadlock_would_occur`). If the ring fills before `start`, it
    /// waits until another thread calls `start`. @returns false only if the pool is closed.
    template<class T>
    requires(set::template contains<T>) bool submit(T m) {
        return intake_.submit_below(capacity(), std::move(m));
    }
    /// The same with an admission class: waits for room below its level.
    /// Throws `std::invalid_argument` if that level is 0: the call would never return.
    template<class T>
    requires(set::template contains<T>) bool submit(T m, admission_class c) {
        if (limits_[c] == 0) {
            fail_argument("worker_pool::submit: the admission level of this class is 0, so the "
                          "call would never return");
        }
        return intake_.submit_below(limits_[c], std::move(m));
    }

    // --- tasks -----------------------------------------------------------------------------------

    /// Queues a call of `f(args...)` by a worker. Arguments are held by value; `std::ref` passes a
    /// reference. An exception goes to `worker_pool_options::on_error`. Waits for room as a message
    /// does. But at 32 waits within each other the worker runs the task at once, inside this call.
    /// So a recursion through futures ends. At 256 such tasks within each other it throws
    /// `std::system_error` (`resource_deadlock_would_occur`). Throws `task_rejected` if the pool is
    /// closed.
    template<class F, class... Args>
    void execute(F&& f, Args&&... args) {
        if constexpr (std::is_same_v<std::decay_t<F>, detail::future_job>) {
            intake_.enqueue(std::forward<F>(f)); // A continuation of a future is queued as it is.
        } else if constexpr (detail::callable_job<F, Args...>) {
            intake_.execute(detail::bind_closure(std::forward<F>(f), std::forward<Args>(args)...));
        } else {
            static_assert(detail::callable_job<F, Args...>,
                          "the argument of execute is not callable with these arguments");
        }
    }
    /// The same without arguments, if the ring has room and the pool is not closed; never waits,
    /// and handles nothing meanwhile.
    /// @returns whether the pool took the task. If not, `f` is unchanged, unless its move may
    /// throw.
    /// Failure: also `std::bad_alloc`, and `std::system_error` (`no_such_process`) in a fork of the
    /// process.
    template<class F>
    requires detail::callable_job<F>
    bool try_execute(F&& f) { return intake_.place(std::forward<F>(f), nullptr); }
    /// The same, but waits for room, at most until `deadline`, as `try_submit_until` does.
    template<class F, class Duration>
    requires detail::callable_job<F>
    bool try_execute_until(F&& f,
                           std::chrono::time_point<std::chrono::steady_clock, Duration> deadline) {
        const auto at = detail::saturated_moment(deadline);
        return intake_.place(std::forward<F>(f), &at);
    }
    /// The same, for at most `limit`.
    template<class F, class Rep, class Period>
    requires detail::callable_job<F>
    bool try_execute_for(F&& f, std::chrono::duration<Rep, Period> limit) {
        return try_execute_until(std::forward<F>(f), detail::moment_after(limit));
    }
    /// As `try_execute`. @returns the future of the result or exception; nothing if the pool did
    /// not take the task.
    template<class F>
    requires(!set::template contains<std::decay_t<F>> &&
             detail::callable_task<F>) auto try_submit(F&& f) {
        return intake_.place_task(std::forward<F>(f), nullptr);
    }
    /// The same, but waits for room, at most until `deadline`.
    template<class F, class Duration>
    requires(
        !set::template contains<std::decay_t<F>> &&
        detail::callable_task<F>) auto try_submit_until(F&& f,
                                                        std::chrono::time_point<
                                                            std::chrono::steady_clock, Duration>
                                                            deadline) {
        const auto at = detail::saturated_moment(deadline);
        return intake_.place_task(std::forward<F>(f), &at);
    }
    /// The same, for at most `limit`.
    template<class F, class Rep, class Period>
    requires(
        !set::template contains<std::decay_t<F>> &&
        detail::callable_task<F>) auto try_submit_for(F&& f,
                                                      std::chrono::duration<Rep, Period> limit) {
        return try_submit_until(std::forward<F>(f), detail::moment_after(limit));
    }
    /// As `execute`. @returns the future of the result or exception.
    template<class F, class... Args>
    requires(!set::template contains<std::decay_t<F>>) auto submit(F&& f, Args&&... args) {
        if constexpr (detail::callable_task<F, Args...>) {
            auto made = intake_.make_task(
                detail::bind_closure(std::forward<F>(f), std::forward<Args>(args)...));
            intake_.enqueue(std::move(made.second));
            return std::move(made.first);
        } else {
            static_assert(detail::callable_task<F, Args...>,
                          "the argument of submit is neither one of the pool's messages nor "
                          "callable with these arguments");
        }
    }
    /// The same for every callable of a range. Moves the callables out of an rvalue range that is
    /// not a view. @returns their futures, in order. If the pool is closed before all are queued,
    /// `task_rejected::accepted` says how many, from the front, were accepted.
    template<detail::batch Range>
    auto submit_batch(Range&& callables) {
        using given = detail::batch_value_t<Range>;
        static_assert(detail::callable_task<given>, "submit_batch takes a range of callables");
        future_group<detail::task_result_t<given>> futures;
        std::vector<detail::future_job> jobs;
        detail::reserve_for(callables, futures, jobs);
        for (auto&& e : callables) {
            auto made = intake_.make_task(
                given(detail::batch_element<Range>(std::forward<decltype(e)>(e))));
            futures.push(std::move(made.first));
            jobs.push_back(std::move(made.second));
        }
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            intake_.enqueue(std::move(jobs[i]), i, jobs.size() - i);
        }
        return futures;
    }

    // --- waiting ---------------------------------------------------------------------------------

    /// Waits until every message submitted before the call has been handled, and then for the
    /// handlers that run at that moment, of later messages, too, and for the forks that its workers
    /// run then: none of them may wait for its return. In a paused pool it returns only after
    /// `resume`.
    ///
    /// Throws `std::logic_error` if messages are queued and the pool was never started. Throws
    /// `std::system_error` (`resource_deadlock_would_occur`) in a handler.
    void drain() {
        check_started("worker_pool::drain");
        engine_.drain();
    }

    /// Waits until no message is queued or in a handler, including those submitted during the wait.
    ///
    /// A handler that calls it handles other messages while it waits, also in a paused pool.
    /// Handlers that wait in the same way count as done. So do handlers that wait for room
    /// beneath it on the same worker. Up to 32 may wait within each other on one worker.
    ///
    /// Throws `std::logic_error` as `drain` does. Throws `std::system_error`
    /// (`resource_deadlock_would_occur`) if the wait could never end.
    void wait() {
        check_started("worker_pool::wait");
        engine_.wait_idle(nullptr);
    }
    /// The same, for at most `limit`. @returns whether the pool became idle.
    template<class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> limit) {
        check_started("worker_pool::wait_for");
        const auto deadline = detail::deadline_after(limit);
        return engine_.wait_idle(deadline ? &*deadline : nullptr);
    }

    // --- the pool's life -------------------------------------------------------------------------

    /// Stops the workers from taking messages until `resume`; the pool still accepts them. On
    /// return no handler runs; called in a handler it returns at once. A handler that waits in
    /// `wait`, or in `submit` for room, still helps: otherwise it would never return. Does nothing
    /// if the pool is being closed.
    void pause() {
        if (!engine_.closed()) {
            engine_.pause();
        }
    }
    /// Ends a pause.
    void resume() noexcept { engine_.resume(); }

    /// Refuses further messages, also from handlers, handles those accepted, and ends the workers.
    /// A paused pool resumes for it. A pool that was never started destroys its messages unhandled
    /// and cancels the futures of its tasks. A second call does nothing; in what these then run it
    /// returns at once. In a handler it throws `std::system_error`
    /// (`resource_deadlock_would_occur`).
    void close() {
        if (engine_.elsewhere()) { // A thread that does not exist here may hold the lock.
            return engine_.close();
        }
        engine_.refuse_worker("close or stop the pool");
        bool ran = false;
        { // Not while messages are destroyed: that is user code.
            const std::lock_guard lock(starting_);
            closing_ = true;
            ran = started();
        }
        ran ? engine_.close() : engine_.discard();
    }

    /// The number of the calling thread among this pool's workers, as a handler gets it; nothing on
    /// any other thread. For tasks, as of a thread pool: below the `threads` of the pool.
    std::optional<unsigned> worker_index() const noexcept { return engine_.caller_index(); }
    /// The number of workers; 0 before `start`.
    unsigned threads() const noexcept { return engine_.running(); }
    /// The most messages that can be queued.
    std::size_t capacity() const noexcept { return source_.capacity(); }

    /// As of a thread pool: names the pool to continuations.
    const void* home() const noexcept { return this; }

    /// Statistics since construction.
    worker_pool_stats stats() const {
        worker_pool_stats s;
        s.workers.reserve(engine_.expected()); // Not under the lock of `read`.
        engine_.read([&](const auto& worker, const detail::worker_figures& did) {
            const auto here = worker.seat.run_here.get();
            const auto called_off = worker.seat.called_off_here.get();
            s.workers.push_back({did.run + did.cancelled + here + called_off, did.parked});
            s.handled += s.workers.back().handled;
            s.tasks += worker.seat.tasks.get() + here + called_off;
            s.cancelled += did.cancelled + called_off;
            s.submitted += here + called_off;
        });
        s.queued = source_.size();
        s.submitted += source_.appended();
        s.refused = intake_.refused();
        s.errors = errors_.count();
        return s;
    }

private:
    friend struct detail::fork_access;

    /// Tasks that may wait within each other on one worker; limits the depth of the stack.
    static constexpr unsigned deepest_help = 32;

    bool started() const noexcept { return engine_.expected() != 0; }
    /// Throws `std::logic_error` if messages are queued and the pool was never started.
    void check_started(const char* operation) const {
        // Not in a fork of the process: a thread that does not exist there may hold the lock.
        if (!engine_.elsewhere() && !started() && !engine_.closed() && !engine_.idle()) {
            fail_state(
                detail::text_of({operation, ": messages wait and the pool was never started"}));
        }
    }

    // The intake accepts a message, the source queues it, the engine handles it.
    const pool_options options_;
    detail::error_tally errors_;
    detail::message_source<Messages...> source_;
    const admission_limits limits_;
    std::mutex starting_;  ///< Held while the workers start, and to close.
    bool closing_ = false; ///< `close` was called. Under the lock.
    typename detail::message_intake<Messages...>::engine engine_;
    detail::message_intake<Messages...> intake_;
};

} // namespace regatta
