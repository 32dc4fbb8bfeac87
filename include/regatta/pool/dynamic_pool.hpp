// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A thread pool whose number of threads changes.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/base/error.hpp>
#include <regatta/pool/detail/autoscaler.hpp>
#include <regatta/pool/thread_pool.hpp>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace regatta {

/// One unbounded queue, oldest task first, and threads that are added and removed while it works.
///
/// Any free worker runs the oldest task. A worker that is to leave first ends its current task;
/// then its record is freed without further calls. Without workers tasks stay queued, and `close`
/// still runs them.
///
/// ```cpp
/// regatta::dynamic_pool pool(1);
/// pool.add_threads(3);
/// pool.remove_threads(2);
/// pool.wait_for_threads();
/// ```
///
/// Threads, Blocks, Failure: as `thread_pool`; also `std::invalid_argument` for a capacity, which
/// the pool does not have, and for `steal = false`. The destructor is `close`.
class dynamic_pool : public thread_pool {
public:
    REGATTA_APART REGATTA_POOLS_API explicit dynamic_pool(pool_options options);
    /// A pool that starts with `available_cpus()` workers.
    dynamic_pool() : dynamic_pool(0u) {}
    /// A pool that starts with `threads` workers; 0: `available_cpus()` workers.
    REGATTA_APART REGATTA_POOLS_API explicit dynamic_pool(unsigned threads);
    dynamic_pool(const dynamic_pool&) = delete;
    dynamic_pool& operator=(const dynamic_pool&) = delete;
    REGATTA_APART REGATTA_POOLS_API ~dynamic_pool();

    /// Adds `count` threads, or none if it throws.
    /// Blocks: until they are pinned, scheduled and on their CPUs, if that is asked for.
    /// Failure: `std::system_error` if the threads cannot be started, pinned or scheduled;
    /// `std::logic_error` if the pool is closed.
    REGATTA_POOLS_API void add_threads(unsigned count);
    /// Makes `count` threads leave, or all if there are fewer. Does not wait for them.
    REGATTA_POOLS_API void remove_threads(unsigned count);
    /// Adds or removes threads until `count` are to stay.
    REGATTA_POOLS_API void resize(unsigned count);

    /// Threads that there are, including those that are about to leave; of a closed pool those that
    /// it had.
    REGATTA_POOLS_API unsigned running_threads() const noexcept;
    /// Threads that are to stay; `running_threads()` gets there by itself.
    REGATTA_POOLS_API unsigned expected_threads() const noexcept;
    /// Waits until every thread that is to leave has left. Throws `std::system_error`
    /// (`resource_deadlock_would_occur`) in a task of the pool, whose own thread may be to leave.
    REGATTA_POOLS_API void wait_for_threads();

    /// The throughput meter: tasks taken since the pool was made or the meter was last reset.
    REGATTA_POOLS_API std::uint64_t tasks_taken() const noexcept;
    /// The same per second.
    REGATTA_POOLS_API double tasks_per_second() const noexcept;
    /// Resets the meter. @returns its last value: no task is lost between two resets.
    REGATTA_POOLS_API std::uint64_t reset_tasks_taken() noexcept;

    /// Keeps the number of threads between two limits from now on. A further call replaces the
    /// options. Not in a task.
    /// Failure: `std::invalid_argument` for invalid options; as `add_threads` if there are fewer
    /// threads than `min`; `std::system_error` if the thread of the scaler cannot be started, and
    /// (`resource_deadlock_would_occur`) in an error sink that the scaler itself calls.
    REGATTA_POOLS_API void autoscale(autoscale_options options = {});
    /// Stops autoscaling; the number of threads stays as it is. Not in a task.
    REGATTA_POOLS_API void stop_autoscale() noexcept;

private:
    using clock = std::chrono::steady_clock;

    REGATTA_POOLS_API static pool_options checked(pool_options options);

    /// Tasks taken, for the meter; under its lock. While tasks are being taken the queue may
    /// briefly report too many, but the meter never runs backwards.
    REGATTA_POOLS_API std::uint64_t taken() const noexcept;

    detail::autoscaler scaler_{options(), source(), engine(), errors()};
    mutable std::mutex meter_mutex_; ///< Guards the members below.
    std::uint64_t meter_start_ = 0;
    clock::time_point meter_time_ = clock::now();
};

#if REGATTA_POOLS_DEFINITIONS

dynamic_pool::dynamic_pool(pool_options options)
    : thread_pool(checked(std::move(options)), detail::queue_layout::shared) {}
dynamic_pool::dynamic_pool(unsigned threads) : dynamic_pool(pool_options{.threads = threads}) {}
dynamic_pool::~dynamic_pool() {
    engine().finish(); // Here: the last tasks may use all of the pool.
}

void dynamic_pool::add_threads(unsigned count) {
    engine().add_workers(count);
}
void dynamic_pool::remove_threads(unsigned count) {
    engine().remove_workers(count);
}
void dynamic_pool::resize(unsigned count) {
    engine().resize(count);
}
unsigned dynamic_pool::running_threads() const noexcept {
    return engine().running();
}
unsigned dynamic_pool::expected_threads() const noexcept {
    return engine().expected();
}
void dynamic_pool::wait_for_threads() {
    engine().wait_for_leavers();
}
std::uint64_t dynamic_pool::tasks_taken() const noexcept {
    if (engine().elsewhere()) { // A thread that does not exist here may hold the lock.
        return 0;
    }
    const std::lock_guard lock(meter_mutex_);
    return taken() - meter_start_;
}
double dynamic_pool::tasks_per_second() const noexcept {
    if (engine().elsewhere()) {
        return 0;
    }
    const std::lock_guard lock(meter_mutex_);
    const std::chrono::duration<double> time = clock::now() - meter_time_;
    return time.count() > 0 ? static_cast<double>(taken() - meter_start_) / time.count() : 0;
}
std::uint64_t dynamic_pool::reset_tasks_taken() noexcept {
    if (engine().elsewhere()) {
        return 0;
    }
    const std::lock_guard lock(meter_mutex_);
    const std::uint64_t now = taken();
    meter_time_ = clock::now();
    return now - std::exchange(meter_start_, now);
}
void dynamic_pool::autoscale(autoscale_options options) {
    scaler_.start(options);
}
void dynamic_pool::stop_autoscale() noexcept {
    scaler_.stop();
}
pool_options dynamic_pool::checked(pool_options options) {
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
std::uint64_t dynamic_pool::taken() const noexcept {
    return std::max(source().taken(), meter_start_);
}

#endif

} // namespace regatta
