// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a thread pool is made with.

#include <regatta/core/error_sink.hpp>
#include <regatta/core/overflow.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace regatta {

/// What a thread pool is made with. Copies share what `on_error` calls, a sink of `when_full`,
/// and `cpus`.
struct pool_options {
    /// Workers; 0: as many as `cpus` has, or without those as `available_cpus()` says.
    unsigned threads = 0;
    /// Tasks that wait at most, in all queues together; 0: no limit.
    std::size_t capacity = 0;
    /// What becomes of a task for which there is no room.
    overflow_policy when_full{};
    /// Whether an idle worker takes tasks from another's queue. For `steady_pool`.
    bool steal = true;
    /// Worker i is named "name/i"; Linux shows the first 15 bytes.
    std::string name = "pool";
    /// Worker i is pinned to the i-th CPU of the set, from the start again if there are more
    /// workers than CPUs. Empty: not pinned.
    cpu_set pin{};
    /// CPUs of their own, which every worker enters: `.cpus = exclusive_cpus::acquire(2)`. They are
    /// given back with the last copy of these options, the pool's included. `pin` then chooses
    /// among them.
    shared_cpus cpus{};
    /// Scheduling class and priority of the workers.
    scheduling schedule{};
    /// How long a worker that finds nothing stays awake, beyond some microseconds, before it
    /// sleeps; `std::chrono::nanoseconds::max()`: for ever. It uses its CPU meanwhile.
    std::chrono::nanoseconds spin{0};
    /// Receives what tasks of `execute` throw, and what `on_start` and `on_stop` throw.
    error_sink on_error{};
    /// Called on each worker with its number, before its first task and after its last. They may
    /// submit tasks and wait for futures, but not for the pool (`std::system_error`,
    /// `resource_deadlock_would_occur`). They are no tasks, nor is any more what one of them runs
    /// itself because it waits for its future: `wait` does not wait for them, `close` does.
    std::function<void(unsigned)> on_start{};
    std::function<void(unsigned)> on_stop{};
};

/// What becomes of the tasks that wait when a pool is stopped.
enum class stop_mode {
    drain,  ///< They are run.
    discard ///< They are destroyed unrun; their futures are cancelled.
};

} // namespace regatta
