// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The inside of a worker pool: its intake and its workers put together, and how one starts, ends
/// and waits for these.

#include <regatta/base/error.hpp>
#include <regatta/core/detail/block_cache.hpp>
#include <regatta/core/detail/wait_graph.hpp>
#include <regatta/core/detail/worker_context.hpp>
#include <regatta/core/priority.hpp>
#include <regatta/message/detail/task_message.hpp>
#include <regatta/message/detail/worker_pool_intake.hpp>
#include <regatta/message/detail/worker_pool_worker.hpp>
#include <regatta/message/detail/worker_pool_workers.hpp>
#include <regatta/message/worker_pool_options.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/event_count.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <variant>

namespace regatta::detail {

/// What a `worker_pool` gives its interface to.
///
/// Threads: any, for every member that does not say otherwise.
///
/// I1: what was accepted is handled once; `close` returns after that. (In a pool that was never
///     started: destroyed.)
template<class... Messages>
class worker_pool_engine {
    using workers = worker_pool_workers<Messages...>;
    using worker = worker_pool_worker;

public:
    using clock = std::chrono::steady_clock;

    explicit worker_pool_engine(worker_pool_options o)
        : intake_(o.capacity, o.admission)
        , workers_(this, std::move(o), intake_) {} // The pool's first member has its address.
    worker_pool_engine(const worker_pool_engine&) = delete;
    worker_pool_engine& operator=(const worker_pool_engine&) = delete;

    const std::string& name() const noexcept { return workers_.name(); }
    std::size_t capacity() const noexcept { return intake_.capacity(); }
    unsigned threads() const noexcept { return workers_.count(); }
    block_cache& blocks() noexcept { return workers_.blocks(); }

    /// Hands an exception that nobody waits for to the error sink.
    void report(std::exception_ptr error) noexcept { workers_.report(std::move(error)); }

    // --- starting, pausing, ending ---------------------------------------------------------------

    /// For the owner.
    template<class T, class Handler>
    void set_handler(Handler&& handler) {
        if (started() || intake_.closed()) {
            fail_state("worker_pool::on: handlers are set before start()");
        }
        workers_.handlers().template assign<T>(std::forward<Handler>(handler));
    }

    void start() {
        workers_.handlers().check_complete();
        workers_.refuse_worker("worker_pool::start");
        const std::lock_guard lock(lifecycle_);
        if (started() || intake_.closed()) {
            fail_state("worker_pool::start: it was started or closed before");
        }
        workers_.start();
    }

    void pause() { workers_.pause(); }
    void resume() noexcept { workers_.resume(); }

    void close() {
        workers_.refuse_worker("worker_pool::close");
        {
            const std::lock_guard lock(lifecycle_);
            intake_.close();
            resume();
            workers_.join();
        }
        if (!started()) {
            destroy_all();
        }
    }

    // --- submitting ------------------------------------------------------------------------------

    /// Accepts what there is room for now. Its room ends at the priority's level, if one is given.
    template<class T>
    bool try_submit(T&& m) noexcept {
        return intake_.try_submit(std::forward<T>(m));
    }
    template<class T>
    bool try_submit(T&& m, priority p) noexcept {
        return intake_.try_submit(std::forward<T>(m), p);
    }
    /// Waits for room if there is none. @returns false only if the pool is closed.
    template<class T>
    bool submit(T&& m) {
        return intake_.submit(std::move(m), helping());
    }
    template<class T>
    bool submit(T&& m, priority p) {
        return intake_.submit(std::move(m), p, helping());
    }

    // --- waiting ---------------------------------------------------------------------------------

    void drain() {
        workers_.refuse_worker("worker_pool::drain");
        const std::uint64_t last = intake_.claimed();
        if (!started() && intake_.consumed() != last) {
            fail_state("worker_pool::drain: messages wait and the pool was never started");
        }
        workers_.progress().wait([&] { return intake_.consumed() >= last; });
        workers_.for_each([&](worker& w) {
            // consumed() acquired what each worker did up to its claim, its enter() included.
            const auto seen = w.activity.observe_in_order();
            workers_.progress().wait([&] { return w.activity.passed(seen); });
        });
    }

    /// Waits until nothing waits or runs, or until the deadline. @returns whether that came about.
    bool wait_idle(const clock::time_point* deadline) {
        if (worker* const me = workers_.current()) {
            return help_until_idle(*me, deadline);
        }
        const auto done = [this] { return workers_.idle(false); };
        if (!started() && !intake_.closed() && !done()) {
            fail_state("worker_pool::wait: messages wait and the pool was never started");
        }
        if (deadline != nullptr) {
            return workers_.progress().wait_until(done, *deadline);
        }
        workers_.progress().wait(done);
        return true;
    }

    worker_pool_stats stats() const {
        worker_pool_stats s;
        workers_.read(s);
        intake_.read(s);
        return s;
    }

private:
    bool started() const noexcept { return threads() != 0; }

    /// Destroys what is left in the ring of a closed pool that never had workers.
    void destroy_all() noexcept {
        while (!intake_.finished()) {
            const bool taken = intake_.take([](auto& m) noexcept {
                if (const auto* const t = std::get_if<task_message>(&m)) {
                    static_cast<void>(t->job().drop());
                }
            });
            if (taken) {
                workers_.census().add_dropped();
            } else {
                std::this_thread::yield(); // Its submitter is still moving it in.
            }
        }
        workers_.progress().notify_all();
    }

    // --- handlers that wait ----------------------------------------------------------------------

    /// How a handler waits for room: its own waiting must not keep the ring full. It returns false
    /// to whoever is none.
    auto helping() noexcept {
        return [this](const auto& settled) {
            worker* const me = workers_.current();
            if (me == nullptr) {
                return false;
            }
            if (!settled()) {
                const worker::helper h(*me, "worker_pool::submit by a handler into a full ring");
                ++me->blocked;
                do {
                    if (!workers_.take_and_handle(*me)) {
                        std::this_thread::yield();
                    }
                } while (!settled());
                --me->blocked;
            }
            return true;
        };
    }

    /// A handler that waits for all others, as long as it does. Those that wait for room beneath
    /// it, on the same stack, wait for it, so that it must not wait for them.
    struct waiting_handler {
        waiting_handler(worker_pool_engine& e, worker& w) noexcept
            : engine(e)
            , me(w)
            , beneath(std::exchange(w.blocked, 0)) {
            if (engine.workers_.census().begin_wait(1 + beneath) != 0) {
                engine.intake_.takers().notify_all(); // More may be what others wait for.
            }
        }
        waiting_handler(const waiting_handler&) = delete;
        waiting_handler& operator=(const waiting_handler&) = delete;
        ~waiting_handler() {
            engine.workers_.census().end_wait(1 + beneath);
            me.blocked = beneath;
            if (engine.intake_.ready()) { // What woke this one may have been for a worker.
                engine.intake_.takers().notify_one();
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
        event_count& messages = intake_.takers();
        backoff pace;
        for (;;) {
            const bool late = deadline != nullptr && clock::now() >= *deadline;
            if (!late && workers_.take_and_handle(me)) {
                pace.reset();
                continue;
            }
            if (workers_.idle(true)) {
                workers_.tell_helpers();
                return true;
            }
            if (late) {
                return false;
            }
            if (pace.pause()) {
                continue;
            }
            const auto ticket = messages.prepare_wait();
            if (workers_.idle(true) || intake_.ready()) {
                messages.cancel_wait();
            } else if (deadline == nullptr) {
                messages.commit_wait(ticket);
            } else {
                messages.commit_wait_until(ticket, *deadline);
            }
            pace.reset();
        }
    }

    std::mutex lifecycle_; ///< Held by `start` and `close`; no handler runs under it.
    typename workers::intake intake_;
    workers workers_; ///< Last: its threads use the intake.
};

} // namespace regatta::detail
