// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The inside of a worker pool: how messages and tasks get to the workers, and how one waits for
/// these, pauses and ends them.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/error.hpp>
#include <regatta/bus/message_handlers.hpp>
#include <regatta/bus/worker_pool_options.hpp>
#include <regatta/bus/worker_pool_worker.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/pool/block_cache.hpp>
#include <regatta/pool/priority.hpp>
#include <regatta/pool/task_census.hpp>
#include <regatta/pool/thread_team.hpp>
#include <regatta/pool/wait_graph.hpp>
#include <regatta/pool/worker_context.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/mpmc_ring.hpp>
#include <regatta/sync/wake_gate.hpp>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace regatta {

/// The ring of a `worker_pool`, its workers, and those who wait for them.
///
/// Threads: any, for every member that does not say otherwise.
///
/// I1: what was accepted is handled once; `close` returns after that. (In a pool that was never
///     started: destroyed.)
/// I2: a worker that sleeps looked after the last message was accepted, or a notification for that
///     message is on its way to a worker that takes it. In a paused pool only those take messages
///     that wait for the pool: the others sleep elsewhere, so that they use up no notification.
template<class... Messages>
class worker_pool_engine {
    using handlers = message_handlers<Messages...>;
    using message = typename handlers::message;

public:
    using clock = std::chrono::steady_clock;

    explicit worker_pool_engine(worker_pool_options o)
        : options_(std::move(o))
        , ring_(options_.capacity)
        , limits_(options_.admission, ring_.capacity()) {}
    worker_pool_engine(const worker_pool_engine&) = delete;
    worker_pool_engine& operator=(const worker_pool_engine&) = delete;

    const std::string& name() const noexcept { return options_.name; }
    std::size_t capacity() const noexcept { return ring_.capacity(); }
    unsigned threads() const noexcept { return team_.size(); }
    block_cache& blocks() noexcept { return blocks_; }

    /// Hands an exception that nobody waits for to the error sink.
    void report(std::exception_ptr error) noexcept {
        options_.on_error.report(std::move(error), errors_.fetch_add(1, std::memory_order_relaxed));
    }

    // --- starting, pausing, ending ---------------------------------------------------------------

    /// For the owner.
    template<class T, class Handler>
    void set_handler(Handler&& handler) {
        if (started() || ring_.closed()) {
            fail_state("worker_pool::on: handlers are set before start()");
        }
        handlers_.template assign<T>(std::forward<Handler>(handler));
    }

    void start() {
        handlers_.check_complete();
        refuse_worker("worker_pool::start");
        const std::lock_guard lock(lifecycle_);
        if (started() || ring_.closed()) {
            fail_state("worker_pool::start: it was started or closed before");
        }
        const unsigned count = options_.threads != 0 ? options_.threads
                               : options_.cpus       ? options_.cpus.count()
                                                     : available_cpus();
        workers_.clear();
        for (unsigned i = 0; i < count; ++i) {
            workers_.push_back(std::make_unique<worker>(i));
        }
        team_.start(
            count, options_.name, options_.pin, scheduling{},
            [this](unsigned i) noexcept { work(*workers_[i]); }, 0, options_.cpus);
    }

    void pause() {
        // release: partner is the acquire in held(); observe() orders it against what workers do.
        paused_.store(true, std::memory_order_release);
        items_.notify_all(); // Who was about to sleep there, or was woken, goes to resumed_ (I2).
        if (current_worker() != nullptr) {
            return;
        }
        for_each_worker([&](worker& w) {
            const auto seen = w.activity.observe();
            progress_.wait([&] { return w.activity.passed(seen); });
        });
    }
    void resume() noexcept {
        paused_.store(false, std::memory_order_release);
        resumed_.notify_all();
    }

    void close() {
        refuse_worker("worker_pool::close");
        {
            const std::lock_guard lock(lifecycle_);
            ring_.close();
            resume();
            items_.notify_all();
            room_.notify_all();
            team_.join();
        }
        if (!started()) {
            destroy_all();
        }
    }

    // --- submitting ------------------------------------------------------------------------------

    /// Accepts what there is room for now. Its room ends at the priority's level, if one is given.
    template<class T>
    bool try_submit(T&& m) noexcept {
        return count(ring_.try_emplace(std::forward<T>(m)));
    }
    template<class T>
    bool try_submit(T&& m, priority p) noexcept {
        return count(ring_.try_emplace_below(limits_[p], std::forward<T>(m)));
    }
    /// Waits for room if there is none. @returns false only if the pool is closed.
    template<class T>
    bool submit(T&& m) {
        if (ring_.try_emplace(std::move(m))) [[likely]] {
            return count(true);
        }
        return submit_later(std::move(m), ring_.capacity());
    }
    template<class T>
    bool submit(T&& m, priority p) {
        if (limits_[p] == 0) {
            fail_argument("worker_pool::submit: the admission level of this priority is 0, so that "
                          "it would wait for ever");
        }
        if (ring_.try_emplace_below(limits_[p], std::move(m))) [[likely]] {
            return count(true);
        }
        return submit_later(std::move(m), limits_[p]);
    }

    // --- waiting ---------------------------------------------------------------------------------

    void drain() {
        refuse_worker("worker_pool::drain");
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

    /// Waits until nothing waits or runs, or until the deadline. @returns whether that came about.
    bool wait_idle(const clock::time_point* deadline) {
        if (worker* const me = current_worker()) {
            return help_until_idle(*me, deadline);
        }
        const auto done = [this] { return idle(false); };
        if (!started() && !ring_.closed() && !done()) {
            fail_state("worker_pool::wait: messages wait and the pool was never started");
        }
        if (deadline != nullptr) {
            return progress_.wait_until(done, *deadline);
        }
        progress_.wait(done);
        return true;
    }

    worker_pool_stats stats() const {
        worker_pool_stats s;
        for_each_worker([&](worker& w) { w.read(s); });
        s.queued = ring_.size();
        s.submitted = ring_.claimed();
        // relaxed: counters that publish nothing but themselves.
        s.refused = refused_.load(std::memory_order_relaxed);
        s.errors = errors_.load(std::memory_order_relaxed);
        return s;
    }

private:
    using worker = worker_pool_worker;

    // --- working ---------------------------------------------------------------------------------

    void work(worker& me) noexcept {
        worker_context context(this, me.index, &waits_);
        const block_magazine magazine(blocks_);
        backoff pace;
        bool worked = false; // Since it last told those who wait for the pool.
        me.activity.enter();
        for (;;) {
            if (!held()) {
                if (take_and_handle(me)) {
                    me.activity.renew();
                    progress_.notify_all();
                    pace.reset();
                    worked = true;
                    continue;
                }
                if (finished()) {
                    break;
                }
            }
            me.activity.leave();
            progress_.notify_all();
            if (std::exchange(worked, false)) {
                tell_helpers();
            }
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
            handlers_.dispatch(*m, me.index, [&](const task_message& t) noexcept { run(t, me); });
        }
        REGATTA_CATCH_ALL {
            report(std::current_exception());
        }
        me.handled.add();
        return true;
    }
    void run(const task_message& t, worker& me) noexcept { me.count_task(t.job()()); }

    void sleep(worker& me) noexcept {
        if (held()) {
            me.count_park();
            resumed_.wait([this] { return !held(); });
            return;
        }
        const auto ticket = items_.prepare_wait();
        if (held() || ring_.ready() || finished()) {
            items_.cancel_wait();
        } else {
            me.count_park();
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

    bool started() const noexcept { return threads() != 0; }

    /// Destroys what is left in the ring of a closed pool that never had workers.
    void destroy_all() noexcept {
        while (!finished()) {
            if (auto m = ring_.try_take()) {
                if (const auto* const t = std::get_if<task_message>(&*m)) {
                    static_cast<void>(t->job().drop());
                }
                m.reset();
                census_.add_dropped();
            } else {
                std::this_thread::yield(); // Its submitter is still moving it in.
            }
        }
        progress_.notify_all();
    }

    // --- submitting ------------------------------------------------------------------------------

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
        worker* const me = current_worker();
        if (me == nullptr) {
            room_.wait(settled);
        } else if (!settled()) {
            // A handler helps: its own waiting must not keep the ring full.
            const worker::helper h(*me, "worker_pool::submit by a handler into a full ring");
            ++me->blocked;
            do {
                if (!take_and_handle(*me)) {
                    std::this_thread::yield();
                }
            } while (!settled());
            --me->blocked;
        }
        return count(accepted);
    }

    // --- helping and waiting ---------------------------------------------------------------------

    /// A handler that waits for all others, as long as it does. Those that wait for room beneath
    /// it, on the same stack, wait for it, so that it must not wait for them.
    struct waiting_handler {
        waiting_handler(worker_pool_engine& e, worker& w) noexcept
            : engine(e)
            , me(w)
            , beneath(std::exchange(w.blocked, 0)) {
            if (engine.census_.begin_wait(1 + beneath) != 0) {
                engine.items_.notify_all(); // More may be what others wait for.
            }
        }
        waiting_handler(const waiting_handler&) = delete;
        waiting_handler& operator=(const waiting_handler&) = delete;
        ~waiting_handler() {
            engine.census_.end_wait(1 + beneath);
            me.blocked = beneath;
            if (engine.ring_.ready()) { // What woke this one may have been for a worker.
                engine.items_.notify_one();
            }
        }
        worker_pool_engine& engine;
        worker& me;
        const unsigned beneath;
    };

    /// Handles messages until all are done but those whose handlers wait like this one.
    bool help_until_idle(worker& me, const clock::time_point* deadline) {
        const wait_graph::pool_wait level(*worker_context::current(), deadline != nullptr);
        const worker::helper h(me, "worker_pool::wait in a handler or task");
        const waiting_handler waiting(*this, me);
        backoff pace;
        for (;;) {
            const bool late = deadline != nullptr && clock::now() >= *deadline;
            if (!late && take_and_handle(me)) {
                pace.reset();
                continue;
            }
            if (idle(true)) {
                tell_helpers();
                return true;
            }
            if (late) {
                return false;
            }
            if (pace.pause()) {
                continue;
            }
            const auto ticket = items_.prepare_wait();
            if (idle(true) || ring_.ready()) {
                items_.cancel_wait();
            } else if (deadline == nullptr) {
                items_.commit_wait(ticket);
            } else {
                items_.commit_wait_until(ticket, *deadline);
            }
            pace.reset();
        }
    }

    /// A worker found nothing after it had worked: handlers that wait for that look again.
    void tell_helpers() noexcept {
        if (census_.anybody_waits()) {
            items_.notify_all();
        }
    }

    /// Whether all is done, but for handlers that wait for the others if these may be left out.
    bool idle(bool but_for_waiting) const noexcept {
        return census_.idle(
            but_for_waiting,
            [this] {
                std::uint64_t handled = 0;
                for_each_worker([&](const worker& w) { handled += w.handled.get(); });
                return handled;
            },
            [this] { return ring_.claimed(); });
    }

    /// The worker whose thread calls, or null.
    worker* current_worker() const noexcept {
        const worker_context* const context = worker_context::current();
        return context != nullptr && context->pool == this ? workers_[context->index].get()
                                                           : nullptr;
    }

    void refuse_worker(const char* what) const {
        if (current_worker() != nullptr) {
            fail_system(EDEADLK, std::string(what) + " in a handler or task of the same pool");
        }
    }

    template<class Use>
    void for_each_worker(Use&& use) const {
        const unsigned count = threads();
        for (unsigned i = 0; i < count; ++i) {
            use(*workers_[i]);
        }
    }

    worker_pool_options options_;
    block_cache blocks_{this};
    wait_graph waits_;
    handlers handlers_;
    mpmc_ring<message> ring_;
    const admission_limits limits_;

    std::mutex lifecycle_; ///< Held by `start` and `close`; no handler runs under it.
    /// Filled by `start` and fixed from then on; `team_` says how many may be looked at.
    std::vector<std::unique_ptr<worker>> workers_;

    /// Where idle workers sleep, and handlers that wait for the pool; producers read it at every
    /// submit.
    alignas(destructive_alignment) wake_gate items_;
    /// Where producers sleep that wait for room; workers read it at every message.
    alignas(destructive_alignment) wake_gate room_;
    /// Where `drain`, `wait` and `pause` sleep; workers read it at every message.
    wake_gate progress_;
    /// Written by `pause` and `resume`, read by workers before each message.
    std::atomic<bool> paused_{false};
    /// Where workers of a paused pool sleep.
    wake_gate resumed_;
    task_census census_;
    /// Written where something goes wrong, read by `stats`. Relaxed: counters.
    alignas(destructive_alignment) std::atomic<std::uint64_t> refused_{0};
    std::atomic<std::uint64_t> errors_{0};

    thread_team team_; ///< Last: its threads use all of the above.
};

} // namespace regatta
