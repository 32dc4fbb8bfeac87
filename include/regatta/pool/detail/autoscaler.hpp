// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Adds threads to a pool when tasks wait too long, and removes idle threads.

#include <regatta/base/detail/clock.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/error_tally.hpp>
#include <regatta/core/detail/placed_thread.hpp>
#include <regatta/core/detail/worker_context.hpp>
#include <regatta/core/detail/worker_engine.hpp>
#include <regatta/core/pool_options.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/pool/detail/queue_source.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>

namespace regatta::detail {

/// Keeps the number of a pool's threads between two limits, on a thread of its own.
///
/// It looks at the queue four times per target delay. It compares how many tasks had been appended
/// at earlier looks with how many have been taken since. This shows whether the oldest task has
/// waited too long; tasks carry no time stamp.
///
/// If a task has waited too long, it adds a quarter more threads, at least one. If some thread was
/// idle at every look of the linger time, it removes one. It sleeps while the pool is idle and has
/// its minimum of threads.
///
/// Threads: any; its own thread must not destroy it.
/// Blocks: `start`, `stop` and the destructor, until the previous thread has ended.
/// Failure: `start` throws `std::invalid_argument`. If a thread cannot be started later, the pool's
/// error sink receives the error and the pool keeps its present threads.
class autoscaler {
public:
    using engine = worker_engine<queue_source>;

    /// All arguments outlive it.
    autoscaler(const pool_options& options, queue_source& source, engine& workers,
               error_tally& errors) noexcept
        : pool_(options)
        , source_(source)
        , engine_(workers)
        , errors_(errors) {}
    autoscaler(const autoscaler&) = delete;
    autoscaler& operator=(const autoscaler&) = delete;
    ~autoscaler() { end(); }

    /// Starts scaling, or starts it again with new options. Throws `std::system_error`
    /// (`resource_deadlock_would_occur`) in an error sink that the scaler itself calls.
    REGATTA_POOLS_API void start(autoscale_options options);
    /// Stops scaling. In an error sink that the scaler itself calls it returns at once, and the
    /// scaler looks no more.
    REGATTA_POOLS_API void stop() noexcept;

private:
    using clock = std::chrono::steady_clock;
    /// Looks per target delay.
    static constexpr unsigned looks = 4;

    REGATTA_POOLS_API static autoscale_options checked(autoscale_options options);

    /// Ends the thread, if there is one.
    REGATTA_POOLS_API void end() noexcept;
    REGATTA_POOLS_API bool stopped() const noexcept;
    /// Whether the pool is idle and has its minimum of threads.
    REGATTA_POOLS_API bool at_rest() const noexcept;

    REGATTA_POOLS_API void run() noexcept;

    REGATTA_POOLS_API void look(std::array<std::uint64_t, looks>& came, clock::time_point& busy_at);

    const pool_options& pool_;
    queue_source& source_;
    engine& engine_;
    error_tally& errors_;
    autoscale_options options_;
    std::atomic<bool> stop_{true}; ///< Written by `start`, `stop`, `end`; read by its thread.
    event_count pace_;             ///< Where its thread sleeps between two looks.
    std::mutex mutex_;             ///< Held by `start` and `stop`.
    placed_thread thread_;         ///< Last: it uses all of the above.
};

#if REGATTA_POOLS_DEFINITIONS

void autoscaler::start(autoscale_options options) {
    options = checked(options);
    engine_.refuse_fork("autoscale the pool");
    if (worker_context::is_worker_of(this)) {
        fail_system(EDEADLK, "autoscale the pool '" + pool_.name +
                                 "' again in an error sink that its scaler calls");
    }
    const std::lock_guard lock(mutex_);
    end();
    options_ = options;
    stop_.store(false, std::memory_order_relaxed); // relaxed: its thread does not exist yet.
    engine_.resize(std::clamp(engine_.expected(), options_.min, options_.max));
    thread_.start({pool_.name + "-scaler"}, [this]() noexcept {
        const worker_context own(this, 0); // So that start() and stop() recognise it.
        run();
    });
}
void autoscaler::stop() noexcept {
    if (worker_context::is_worker_of(this)) {
        stop_.store(true, std::memory_order_relaxed); // relaxed: only this thread reads it.
        return;
    }
    if (engine_.elsewhere()) { // Its thread does not exist here.
        return;
    }
    const std::lock_guard lock(mutex_);
    end();
}
autoscale_options autoscaler::checked(autoscale_options options) {
    if (options.max == 0) {
        options.max = std::max(options.min, 4 * available_cpus());
    }
    if (options.min == 0 || options.min > options.max) {
        fail_argument("autoscale: threads must satisfy 1 <= min <= max, got min " +
                      std::to_string(options.min) + ", max " + std::to_string(options.max));
    }
    if (options.target_delay < std::chrono::milliseconds(1)) {
        fail_argument("autoscale: target_delay must be at least 1 ms");
    }
    if (options.linger < options.target_delay) {
        fail_argument("autoscale: linger must not be shorter than target_delay");
    }
    return options;
}
void autoscaler::end() noexcept {
    // release: partner is the acquire in stopped().
    stop_.store(true, std::memory_order_release);
    engine_.rested().notify_all();
    pace_.notify_all();
    thread_.join();
}
bool autoscaler::stopped() const noexcept {
    // acquire: partner is the release in end().
    return stop_.load(std::memory_order_acquire) || engine_.closed();
}
bool autoscaler::at_rest() const noexcept {
    return engine_.expected() == options_.min && source_.queues().size() == 0 &&
           engine_.resting() == engine_.expected();
}
void autoscaler::run() noexcept {
    const auto pause = options_.target_delay / looks;
    std::array<std::uint64_t, looks> came; // Tasks appended at the last looks, oldest first.
    came.fill(0);
    clock::time_point busy_at = clock::now(); // When all threads were last busy.
    while (!stopped()) {
        if (at_rest()) {
            engine_.rested().wait([this] { return stopped() || !at_rest(); });
            came.fill(0);
            busy_at = clock::now();
        }
        pace_.wait_until([this] { return stopped(); }, clock::now() + pause);
        if (stopped()) {
            return;
        }
        REGATTA_TRY {
            look(came, busy_at);
        }
        REGATTA_CATCH_ALL {
            if (!engine_.closed()) {
                errors_.report(std::current_exception());
            }
        }
    }
}
void autoscaler::look(std::array<std::uint64_t, looks>& came, clock::time_point& busy_at) {
    if (engine_.paused()) { // No worker takes a task now.
        came.fill(0);
        busy_at = clock::now();
        return;
    }
    const bool late = source_.taken() < came.front();
    std::rotate(came.begin(), came.begin() + 1, came.end());
    came.back() = source_.appended();
    const unsigned threads = engine_.expected();
    const auto now = clock::now();
    if (engine_.resting() == 0) {
        busy_at = now;
    }
    if (threads < options_.min) { // Another thread has removed some.
        engine_.add_workers(options_.min - threads);
        busy_at = now;
    } else if (late && threads < options_.max) {
        engine_.add_workers(std::min(options_.max - threads, std::max(1u, threads / 4)));
        busy_at = now;
    } else if (now - busy_at >= options_.linger && threads > options_.min) {
        engine_.remove_workers(1);
        busy_at = now;
    }
}

#endif

} // namespace regatta::detail
