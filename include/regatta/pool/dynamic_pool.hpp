// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A thread pool whose threads come and go.

#include <regatta/base/error.hpp>
#include <regatta/pool/detail/autoscaler.hpp>
#include <regatta/pool/thread_pool.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace regatta {

/// One unbounded queue, oldest task first, and threads that are added and removed while it works.
///
/// Whichever worker is free begins the task that has waited longest. A worker that is to leave does
/// so after the task that it runs; its record is freed without further calls. Without workers tasks
/// wait; `close` runs them all the same.
///
/// ```cpp
/// regatta::dynamic_pool pool(1);
/// pool.add_threads(3);
/// pool.remove_threads(2);
/// pool.wait_for_threads();
/// ```
///
/// Threads, Blocks, Failure: as `thread_pool`. The destructor is `close`. Throws
/// `std::invalid_argument` for a capacity, which it does not have, and for `steal = false`.
class dynamic_pool : public thread_pool {
public:
    explicit dynamic_pool(pool_options options = {})
        : thread_pool(checked(std::move(options)), detail::queue_layout::shared) {}
    /// A pool of that many workers to begin with; 0: as many as fit the machine.
    explicit dynamic_pool(unsigned threads) : dynamic_pool(pool_options{.threads = threads}) {}
    dynamic_pool(const dynamic_pool&) = delete;
    dynamic_pool& operator=(const dynamic_pool&) = delete;
    ~dynamic_pool() { engine().finish(); } // Here, since its last tasks may use all of it.

    /// Adds so many threads, or none: throws `std::system_error` where they cannot be had, pinned
    /// or scheduled, and `std::logic_error` if the pool is closed. Blocks until they are in place.
    void add_threads(unsigned count) { engine().add_workers(count); }
    /// Has so many threads leave, or all there are. Does not wait for them.
    void remove_threads(unsigned count) { engine().remove_workers(count); }
    /// Adds or removes so many threads that `count` are to stay.
    void resize(unsigned count) { engine().resize(count); }

    /// Threads that there are, those included that are about to leave.
    unsigned running_threads() const noexcept { return engine().running(); }
    /// Threads that are to stay: `running_threads()` gets there by itself.
    unsigned expected_threads() const noexcept { return engine().expected(); }
    /// Waits until every thread that is to leave has left. In a task of the pool, whose own thread
    /// may be among them, it throws `std::system_error` (`resource_deadlock_would_occur`).
    void wait_for_threads() { engine().wait_for_leavers(); }

    /// The throughput meter: tasks that threads have taken since it was made or last reset.
    std::uint64_t tasks_taken() const noexcept {
        const std::lock_guard lock(meter_mutex_);
        return taken() - meter_start_;
    }
    /// The same a second.
    double tasks_per_second() const noexcept {
        const std::lock_guard lock(meter_mutex_);
        const std::chrono::duration<double> time = clock::now() - meter_time_;
        return time.count() > 0 ? static_cast<double>(taken() - meter_start_) / time.count() : 0;
    }
    /// Begins it anew. @returns what it showed: no task is lost between two resets.
    std::uint64_t reset_tasks_taken() noexcept {
        const std::lock_guard lock(meter_mutex_);
        const std::uint64_t now = taken();
        meter_time_ = clock::now();
        return now - std::exchange(meter_start_, now);
    }

    /// Keeps the number of threads between two limits by itself from now on; again: with these
    /// options. Throws `std::invalid_argument` for options that make no sense, and, where the
    /// scaler itself calls the error sink, `std::system_error` (`resource_deadlock_would_occur`)
    /// there. Not in a task.
    void autoscale(autoscale_options options = {}) { scaler_.start(options); }
    /// Leaves the number of threads as it is. Not in a task.
    void stop_autoscale() noexcept { scaler_.stop(); }

private:
    using clock = std::chrono::steady_clock;

    static pool_options checked(pool_options options) {
        if (options.capacity != 0) {
            fail_argument("pool_options::capacity = " + std::to_string(options.capacity) +
                          " is not for dynamic_pool, whose queue has no limit");
        }
        if (!options.steal) {
            fail_argument("pool_options::steal = false is for steady_pool: a dynamic_pool has one "
                          "queue for all");
        }
        return options;
    }

    /// What the meter goes by; under its lock. While tasks are taken the queue may for a moment say
    /// too many, but the meter never runs backwards.
    std::uint64_t taken() const noexcept { return std::max(source().taken(), meter_start_); }

    detail::autoscaler scaler_{options(), source(), engine(), errors()};
    mutable std::mutex meter_mutex_; ///< Guards what follows.
    std::uint64_t meter_start_ = 0;
    clock::time_point meter_time_ = clock::now();
};

} // namespace regatta
