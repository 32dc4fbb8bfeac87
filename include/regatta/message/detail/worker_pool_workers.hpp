// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workers of a worker pool: how they take messages, handle them, sleep and pause.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/block_cache.hpp>
#include <regatta/core/detail/task_census.hpp>
#include <regatta/core/detail/thread_team.hpp>
#include <regatta/core/detail/wait_graph.hpp>
#include <regatta/core/detail/worker_context.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/message/detail/message_handlers.hpp>
#include <regatta/message/detail/task_message.hpp>
#include <regatta/message/detail/worker_pool_intake.hpp>
#include <regatta/message/detail/worker_pool_worker.hpp>
#include <regatta/message/worker_pool_options.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/event_count.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace regatta::detail {

/// The part of a `worker_pool` in which the workers live. It knows nothing of those who wait for
/// them, but where these sleep.
///
/// Threads: any, for every member that does not say otherwise.
///
/// I1: a message that was taken is handled once.
/// I2: a worker that sleeps looked after the last message was accepted, or a notification for that
///     message is on its way to a worker that takes it. In a paused pool only those take messages
///     that wait for the pool: the others sleep elsewhere, so that they use up no notification.
template<class... Messages>
class worker_pool_workers {
public:
    using handler_set = message_handlers<Messages...>;
    using intake = worker_pool_intake<typename handler_set::message>;
    using worker = worker_pool_worker;

    /// No worker yet.
    /// @param pool the address of the `worker_pool`, by which a future knows whose workers may run
    /// its task.
    /// @param in what they take messages from; outlives this.
    worker_pool_workers(const void* pool, worker_pool_options o, intake& in)
        : pool_(pool)
        , options_(std::move(o))
        , intake_(in) {}
    worker_pool_workers(const worker_pool_workers&) = delete;
    worker_pool_workers& operator=(const worker_pool_workers&) = delete;

    const std::string& name() const noexcept { return options_.name; }
    block_cache& blocks() noexcept { return blocks_; }
    /// Threads: the owner's, before `start`.
    handler_set& handlers() noexcept { return handlers_; }

    /// Hands an exception that nobody waits for to the error sink.
    void report(std::exception_ptr error) noexcept {
        options_.on_error.report(std::move(error), errors_.fetch_add(1, std::memory_order_relaxed));
    }

    // --- starting, pausing, ending ---------------------------------------------------------------

    /// Starts as many as the options say, or none: throws `std::system_error` then. Threads: one at
    /// a time, as `join`.
    void start() {
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
    /// Waits until each has ended, which they do once the intake is closed and empty.
    void join() noexcept { team_.join(); }
    /// How many there are; 0 before `start`.
    unsigned count() const noexcept { return team_.size(); }

    /// Lets them take no further message until `resume`. Returns once none handles one any more;
    /// within a handler at once.
    void pause() {
        // release: partner is the acquire in held(); observe() orders it against what workers do.
        paused_.store(true, std::memory_order_release);
        // Who was about to sleep there, or was woken, goes to resumed_ (I2).
        intake_.takers().notify_all();
        if (current() != nullptr) {
            return;
        }
        for_each([&](worker& w) {
            const auto seen = w.activity.observe();
            progress_.wait([&] { return w.activity.passed(seen); });
        });
    }
    void resume() noexcept {
        paused_.store(false, std::memory_order_release);
        resumed_.notify_all();
    }

    // --- who they are ----------------------------------------------------------------------------

    /// The worker whose thread calls, or null.
    worker* current() const noexcept {
        const worker_context* const context = worker_context::current();
        return context != nullptr && context->pool == pool_ ? workers_[context->index].get()
                                                            : nullptr;
    }
    /// Throws `std::system_error` (`resource_deadlock_would_occur`) if a worker calls.
    void refuse_worker(const char* what) const {
        if (current() != nullptr) {
            fail_system(EDEADLK, std::string(what) + " in a handler or task of the same pool");
        }
    }
    template<class Use>
    void for_each(Use&& use) const {
        const unsigned n = count();
        for (unsigned i = 0; i < n; ++i) {
            use(*workers_[i]);
        }
    }

    // --- working ---------------------------------------------------------------------------------

    /// Takes one message, if there is one, and handles it. Threads: that worker's.
    bool take_and_handle(worker& me) noexcept {
        return intake_.take([&](auto& m) noexcept {
            REGATTA_TRY {
                handlers_.dispatch(m, me.index,
                                   [&](const task_message& t) noexcept { run(t, me); });
            }
            REGATTA_CATCH_ALL {
                report(std::current_exception());
            }
            me.handled.add();
        });
    }

    /// Whether all is done, but for handlers that wait for the others if these may be left out.
    bool idle(bool but_for_waiting) const noexcept {
        return census_.idle(
            but_for_waiting,
            [this] {
                std::uint64_t handled = 0;
                for_each([&](const worker& w) { handled += w.handled.get(); });
                return handled;
            },
            [this] { return intake_.claimed(); });
    }
    /// Who waits for the others, and what was destroyed unhandled.
    task_census& census() noexcept { return census_; }
    /// Where those sleep that wait for the workers.
    event_count& progress() noexcept { return progress_; }
    /// A worker found nothing after it had worked: handlers that wait for that look again.
    void tell_helpers() noexcept {
        if (census_.anybody_waits()) {
            intake_.takers().notify_all();
        }
    }

    /// Adds their figures.
    void read(worker_pool_stats& s) const {
        for_each([&](const worker& w) { w.read(s); });
        // relaxed: a counter that publishes nothing but itself.
        s.errors = errors_.load(std::memory_order_relaxed);
    }

private:
    void work(worker& me) noexcept {
        worker_context context(pool_, me.index, &waits_);
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
                if (intake_.finished()) {
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
        intake_.takers().notify_all(); // the others are finished, too
    }

    void run(const task_message& t, worker& me) noexcept { me.count_task(t.job()()); }

    void sleep(worker& me) noexcept {
        if (held()) {
            me.count_park();
            resumed_.wait([this] { return !held(); });
            return;
        }
        event_count& messages = intake_.takers();
        const auto ticket = messages.prepare_wait();
        if (held() || intake_.ready() || intake_.finished()) {
            messages.cancel_wait();
        } else {
            me.count_park();
            messages.commit_wait(ticket);
        }
    }

    /// Whether the workers leave messages alone. `close` needs them, paused or not.
    bool held() const noexcept {
        // acquire: partner is the release in resume().
        return paused_.load(std::memory_order_acquire) && !intake_.closed();
    }

    const void* const pool_;
    worker_pool_options options_;
    block_cache blocks_{pool_};
    wait_graph waits_;
    handler_set handlers_;
    intake& intake_;

    /// Filled by `start` and fixed from then on; `team_` says how many may be looked at.
    std::vector<std::unique_ptr<worker>> workers_;

    /// Where `drain`, `wait` and `pause` sleep; workers read it at every message.
    alignas(destructive_alignment) event_count progress_;
    /// Written by `pause` and `resume`, read by workers before each message.
    std::atomic<bool> paused_{false};
    /// Where workers of a paused pool sleep.
    event_count resumed_;
    task_census census_;
    /// Written where something goes wrong, read by `stats`. Relaxed: a counter.
    alignas(destructive_alignment) std::atomic<std::uint64_t> errors_{0};

    thread_team team_; ///< Last: its threads use all of the above.
};

} // namespace regatta::detail
