// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A pool of workers that handle messages of a closed set of types.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/error.hpp>
#include <regatta/base/inline_task.hpp>
#include <regatta/bus/message_set.hpp>
#include <regatta/bus/worker_pool_options.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/pool/priority.hpp>
#include <regatta/pool/thread_team.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/mpmc_ring.hpp>
#include <regatta/sync/quiescence.hpp>
#include <regatta/sync/wake_gate.hpp>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace regatta {

/// A pool of threads that take messages from one bounded ring and handle them by their type.
///
/// ```cpp
/// struct row { int index; };
/// regatta::worker_pool<row> pool{{.threads = 4, .name = "rows"}};
/// pool.on<row>([&](row& r) { compute(r.index); });
/// pool.start();
/// for (int i = 0; i < 512; ++i) pool.submit(row{i});
/// pool.drain();                           // every row has been computed
/// ```
///
/// A message changes hands once: the producer puts it into the ring and whichever worker is free
/// takes it from there. There is no dispatcher thread in between and no queue per worker in which
/// it could wait behind a long one.
///
/// Threads: every member from any thread, handlers included, except construction, destruction and
/// `on`, which belong to the owner; what a handler may not call says so. Blocks: `submit` while the
/// ring is full; `pause`, `drain` and `close` until handlers have ended. An idle pool sleeps.
/// Order: messages are taken in the order of their submission and handled in parallel. What came
/// before a `submit` happens before its handler; what a handler did happens before the return of a
/// `drain`, `pause` or `close` that waited for it.
/// Failure: misuse throws `std::logic_error` or `std::invalid_argument`. What a handler throws goes
/// to `worker_pool_options::on_error` and is counted; the worker goes on. A handler that would wait
/// for itself gets `std::system_error` (`resource_deadlock_would_occur`).
/// Cost: a message is one compare-and-swap in, one out, and no allocation; a submit makes a system
/// call only if a worker sleeps.
template<class... Messages>
class worker_pool {
    using set = message_set<Messages...>;
    using message = typename set::any;

public:
    using options = worker_pool_options;
    using statistics = worker_pool_stats;

    /// Throws `std::invalid_argument` for bad admission levels, `std::bad_alloc` without memory. No
    /// thread starts yet.
    explicit worker_pool(worker_pool_options o = {})
        : options_(std::move(o))
        , ring_(options_.capacity)
        , limits_(options_.admission, ring_.capacity()) {}
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;
    /// As `close`. If the pool was never started its messages are destroyed unhandled.
    ~worker_pool() { close(); }

    /// Sets the handler of messages of type `T`: callable as `void(T&)` or `void(T&, unsigned)`,
    /// the second being the number of the worker, from 0. It may run on several workers at once.
    /// Throws `std::logic_error` once the pool has started.
    template<class T, class Handler>
    requires(set::template contains<T>) worker_pool& on(Handler&& handler) {
        constexpr bool numbered = std::is_invocable_v<std::decay_t<Handler>&, T&, unsigned>;
        static_assert(numbered || std::is_invocable_v<std::decay_t<Handler>&, T&>,
                      "the handler must be callable with a reference to the message, or with that "
                      "and the number of the worker");
        if (started() || ring_.closed()) {
            fail_state("worker_pool::on: handlers are set before start()");
        }
        if constexpr (numbered) {
            std::get<handler_of<T>>(handlers_).call = std::forward<Handler>(handler);
        } else {
            std::get<handler_of<T>>(handlers_).call =
                [call = std::decay_t<Handler>(std::forward<Handler>(handler))](
                    T& m, unsigned) mutable { call(m); };
        }
        return *this;
    }

    /// Starts the workers.
    ///
    /// Throws `std::logic_error` if a message type has no handler or the pool was started or closed
    /// before, and `std::system_error` if a thread cannot be had or not be pinned; then none runs.
    void start() {
        check_handlers();
        refuse_handler("worker_pool::start");
        const std::lock_guard lock(lifecycle_);
        if (started() || ring_.closed()) {
            fail_state("worker_pool::start: it was started or closed before");
        }
        const unsigned count = options_.threads != 0 ? options_.threads : available_cpus();
        workers_.clear();
        for (unsigned i = 0; i < count; ++i) {
            workers_.push_back(std::make_unique<worker>(i));
        }
        team_.start(count, options_.name, options_.pin,
                    [this](unsigned i) noexcept { work(*workers_[i]); });
    }

    /// Submits a message if there is room now.
    /// @returns whether it was accepted: then it will be handled; else it stays as it is with the
    /// caller.
    template<class T>
    requires(set::template contains<T>) bool try_submit(T&& m) noexcept {
        return count(ring_.try_emplace(std::move(m)));
    }
    template<class T>
    requires(set::template contains<T>) bool try_submit(const T& m) { return try_submit(T(m)); }
    /// The same, if fewer messages wait than the priority's admission level.
    template<class T>
    requires(set::template contains<T>) bool try_submit(T&& m, priority p) noexcept {
        return count(ring_.try_emplace_below(limits_[p], std::move(m)));
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
    requires(set::template contains<T>) bool submit(T m) {
        if (ring_.try_emplace(std::move(m))) [[likely]] {
            return count(true);
        }
        return submit_later(std::move(m), ring_.capacity());
    }
    /// The same with a priority: there is room below its admission level.
    /// Throws `std::invalid_argument` if that level is 0: it would wait for ever.
    template<class T>
    requires(set::template contains<T>) bool submit(T m, priority p) {
        if (limits_[p] == 0) {
            fail_argument("worker_pool::submit: the admission level of this priority is 0, so that "
                          "it would wait for ever");
        }
        if (ring_.try_emplace_below(limits_[p], std::move(m))) [[likely]] {
            return count(true);
        }
        return submit_later(std::move(m), limits_[p]);
    }

    /// Lets the workers take no further message until `resume`; messages are still accepted. On
    /// return no handler runs any more; within a handler it returns at once. A handler that waits
    /// for room in `submit` still helps, or it would wait for ever. `pause` does nothing to a pool
    /// that is being closed.
    void pause() {
        // release: partner is the acquire in work(); observe() orders it against what workers do.
        paused_.store(true, std::memory_order_release);
        if (current_worker() != nullptr) {
            return;
        }
        for_each_worker([&](worker& w) {
            const auto seen = w.activity.observe();
            progress_.wait([&] { return w.activity.passed(seen); });
        });
    }

    /// Lets the workers go on.
    void resume() noexcept {
        paused_.store(false, std::memory_order_release);
        items_.notify_all();
    }

    /// Waits until every message that was submitted before has been handled; while the pool is
    /// paused that is not before `resume`.
    ///
    /// Throws `std::logic_error` if messages wait and the pool was never started, and
    /// `std::system_error` (`resource_deadlock_would_occur`) in a handler.
    void drain() {
        refuse_handler("worker_pool::drain");
        const std::uint64_t last = ring_.claimed();
        if (!started() && ring_.consumed() != last) {
            fail_state("worker_pool::drain: messages wait and the pool was never started");
        }
        progress_.wait([&] { return ring_.consumed() >= last; });
        for_each_worker([&](worker& w) {
            // consumed() acquired what each worker did up to its claim, its enter() included.
            const auto seen = w.activity.observe_in_order();
            progress_.wait([&] { return w.activity.passed(seen); });
        });
    }

    /// Refuses further messages, handles those that were accepted, ends the workers. A paused pool
    /// goes on for it. Again: does nothing. In a handler it throws `std::system_error`
    /// (`resource_deadlock_would_occur`).
    void close() {
        refuse_handler("worker_pool::close");
        const std::lock_guard lock(lifecycle_);
        ring_.close();
        resume();
        room_.notify_all();
        team_.join();
    }

    /// How many workers there are; 0 before `start`.
    unsigned threads() const noexcept { return team_.size(); }
    /// Messages that wait at most.
    std::size_t capacity() const noexcept { return ring_.capacity(); }

    /// What the pool has done so far.
    worker_pool_stats stats() const {
        worker_pool_stats s;
        // relaxed: counters that publish nothing but themselves.
        for_each_worker([&](worker& w) {
            s.workers.push_back({w.handled.load(std::memory_order_relaxed),
                                 w.parked.load(std::memory_order_relaxed)});
            s.handled += s.workers.back().handled;
        });
        s.queued = ring_.size();
        s.submitted = ring_.claimed();
        s.refused = refused_.load(std::memory_order_relaxed);
        s.errors = errors_.load(std::memory_order_relaxed);
        return s;
    }

private:
    template<class T>
    struct handler_of {
        inline_task<void(T&, unsigned)> call;
    };

    struct alignas(destructive_alignment) worker {
        explicit worker(unsigned i) noexcept : index(i) {}

        quiescence activity; ///< At work from before it looks for a message to after its handler.
        const unsigned index;
        /// Counted by the worker, read by `stats`. Relaxed: counters.
        std::atomic<std::uint64_t> handled{0};
        std::atomic<std::uint64_t> parked{0};
        unsigned helping = 0; ///< The worker's own: its handlers that wait for room and help.
    };
    /// Handlers that may wait for room within each other: where messages make more messages than
    /// the ring holds this has no end of its own, and the stack has one.
    static constexpr unsigned deepest_help = 32;

    // --- starting and ending ---------------------------------------------------------------------

    bool started() const noexcept { return threads() != 0; }

    void check_handlers() const {
        const bool given[] = {static_cast<bool>(std::get<handler_of<Messages>>(handlers_).call)...};
        for (std::size_t i = 0; i < sizeof...(Messages); ++i) {
            if (!given[i]) {
                fail_state("worker_pool::start: message type number " + std::to_string(i) +
                           " of the pool's list has no handler; set it with on<T>()");
            }
        }
    }

    // --- working ---------------------------------------------------------------------------------

    void work(worker& me) noexcept {
        backoff pace;
        me.activity.enter();
        for (;;) {
            if (!held()) {
                if (take_and_handle(me)) {
                    me.activity.renew();
                    progress_.notify_all();
                    pace.reset();
                    continue;
                }
                if (finished()) {
                    break;
                }
            }
            me.activity.leave();
            progress_.notify_all();
            if (!pace.pause()) {
                sleep(me);
                pace.reset();
            }
            me.activity.enter();
        }
        me.activity.leave();
        progress_.notify_all();
        items_.notify_all(); // the others are finished, too
    }

    /// Takes one message, if there is one, and handles it.
    bool take_and_handle(worker& me) noexcept {
        auto m = ring_.try_take();
        if (!m) {
            return false;
        }
        // A producer that waits for room sleeps until the ring is half empty: waking it for each
        // free cell would cost two context switches a message.
        if (room_.has_sleepers() && ring_.size() <= ring_.capacity() / 2) {
            room_.notify_all();
        }
        REGATTA_TRY {
            dispatch(*m, me.index);
        }
        REGATTA_CATCH_ALL {
            const auto before = errors_.fetch_add(1, std::memory_order_relaxed);
            options_.on_error.report(std::current_exception(), before);
        }
        add_one(me.handled);
        return true;
    }

    void dispatch(message& m, unsigned index) {
        const auto call = [&]<class T>(T& value) {
            std::get<handler_of<T>>(handlers_).call(value, index);
        };
        if constexpr (sizeof...(Messages) == 1) {
            call(*std::get_if<0>(&m));
        } else {
            std::visit(call, m);
        }
    }

    void sleep(worker& me) noexcept {
        const auto ticket = items_.prepare_wait();
        if ((!held() && ring_.ready()) || finished()) {
            items_.cancel_wait();
        } else {
            add_one(me.parked);
            items_.commit_wait(ticket);
        }
    }

    /// Whether the workers leave messages alone. `close` needs them, paused or not.
    bool held() const noexcept {
        // acquire: partner is the release in resume().
        return paused_.load(std::memory_order_acquire) && !ring_.closed();
    }

    /// Whether no message is left and none will come.
    bool finished() const noexcept { return ring_.closed() && ring_.consumed() == ring_.claimed(); }

    // --- submitting and waiting ------------------------------------------------------------------

    /// Wakes a worker for a message that was accepted, or counts one that was not.
    bool count(bool accepted) noexcept {
        if (accepted) {
            items_.notify_one();
        } else {
            refused_.fetch_add(1, std::memory_order_relaxed);
        }
        return accepted;
    }

    /// Submits what found no room at first. By value, so that the caller's message stays in
    /// registers.
    template<class T>
    REGATTA_RARE bool submit_later(T m, std::size_t limit) {
        bool accepted = false;
        const auto settled = [&] {
            accepted = accepted || ring_.try_emplace_below(limit, std::move(m));
            return accepted || ring_.closed();
        };
        if (worker* const me = current_worker()) {
            // A handler helps: its own waiting must not keep the ring full.
            while (!settled()) {
                if (me->helping == deepest_help) {
                    fail_system(EDEADLK, "worker_pool::submit by a handler into a full ring: " +
                                             std::to_string(deepest_help) +
                                             " handlers wait for room within each other");
                }
                ++me->helping;
                const bool helped = take_and_handle(*me);
                --me->helping;
                if (!helped) {
                    std::this_thread::yield();
                }
            }
        } else {
            room_.wait(settled);
        }
        return count(accepted);
    }

    /// The worker whose thread calls, or null.
    worker* current_worker() const noexcept {
        const auto index = team_.current();
        return index ? workers_[*index].get() : nullptr;
    }

    void refuse_handler(const char* what) const {
        if (current_worker() != nullptr) {
            fail_system(EDEADLK, std::string(what) + " in a handler of the same pool");
        }
    }

    template<class Use>
    void for_each_worker(Use&& use) const {
        const unsigned count = threads();
        for (unsigned i = 0; i < count; ++i) {
            use(*workers_[i]);
        }
    }

    /// Adds to a counter that only the calling worker writes.
    static void add_one(std::atomic<std::uint64_t>& counter) noexcept {
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    worker_pool_options options_;
    std::tuple<handler_of<Messages>...> handlers_;
    mpmc_ring<message> ring_;
    const admission_limits limits_;

    std::mutex lifecycle_; ///< Held by `start` and `close`; no handler runs under it.
    /// Filled by `start` and fixed from then on; `team_` says how many may be looked at.
    std::vector<std::unique_ptr<worker>> workers_;

    /// Where idle workers sleep; producers read it at every submit.
    alignas(destructive_alignment) wake_gate items_;
    /// Where producers sleep that wait for room; workers read it at every message.
    alignas(destructive_alignment) wake_gate room_;
    /// Where `drain` and `pause` sleep; workers read it at every message.
    wake_gate progress_;
    /// Written by `pause` and `resume`, read by workers before each message.
    std::atomic<bool> paused_{false};
    /// Written where something goes wrong, read by `stats`. Relaxed: counters.
    alignas(destructive_alignment) std::atomic<std::uint64_t> refused_{0};
    std::atomic<std::uint64_t> errors_{0};

    thread_team team_; ///< Last: its threads use all of the above.
};

} // namespace regatta
