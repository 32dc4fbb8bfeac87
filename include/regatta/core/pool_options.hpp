// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The options of a thread pool.

#include <regatta/base/detail/clock.hpp>
#include <regatta/core/error_sink.hpp>
#include <regatta/core/overflow.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace regatta {

/// The options of a thread pool. Copies share the callable of `on_error`, the sink of `when_full`,
/// and `cpus`.
struct pool_options {
    /// The number of workers. 0: as many as `cpus` has, or as `available_cpus()` says without
    /// those.
    unsigned threads = 0;
    /// The limit of waiting tasks, in all queues together; 0: no limit.
    std::size_t capacity = 0;
    /// What happens to a task when the pool is full.
    overflow_policy when_full{};
    /// Whether idle workers take tasks from other workers' queues. For `steady_pool`.
    bool steal = true;
    /// Worker i is named "name/i"; Linux shows the first 15 bytes.
    std::string name = "pool";
    /// Worker i is pinned to the i-th CPU of the set, modulo their number. Empty: not pinned.
    cpu_set pin{};
    /// Exclusive CPUs, which every worker enters: `.cpus = exclusive_cpus::acquire(2)`. They are
    /// released with the last copy of these options, the pool's included. `pin` then chooses among
    /// them.
    shared_cpus cpus{};
    /// The scheduling policy and priority of the workers.
    scheduling schedule{};
    /// How long a worker that finds nothing spins, beyond some microseconds, before it sleeps. It
    /// uses its CPU for that time. `std::chrono::nanoseconds::max()`: it never sleeps.
    std::chrono::nanoseconds spin{0};
    /// Receives the exceptions of tasks of `execute`, and of `on_start` and `on_stop`.
    error_sink on_error{};
    /// Called on each worker with its index, before its first task and after its last. They may
    /// submit tasks and wait for futures, but not for the pool (`std::system_error`,
    /// `resource_deadlock_would_occur`). Hooks are not tasks: `close` waits for them, `wait` does
    /// not. The same holds for a task that a hook runs itself because it waits for its future.
    std::function<void(unsigned)> on_start{};
    std::function<void(unsigned)> on_stop{};
};

/// What happens to the waiting tasks when a pool is stopped.
enum class stop_mode {
    drain,  ///< They run.
    discard ///< They are destroyed unrun; their futures are cancelled.
};

} // namespace regatta
