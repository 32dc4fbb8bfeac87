// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The options and statistics of a `worker_pool`, and what its handlers may learn of a message.

#include <regatta/base/detail/clock.hpp>
#include <regatta/bus/bus_options.hpp>
#include <regatta/core/error_sink.hpp>
#include <regatta/core/pool_options.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace regatta {

/// The second argument of a `worker_pool` handler that takes one.
struct message_context {
    unsigned worker = 0; ///< The number of the worker that handles the message, from 0.
    /// Messages and tasks that the pool accepted before this one.
    std::uint64_t sequence = 0;
    /// From the message's entry into the queue to the call of the handler. Zero for a message
    /// submitted before the first handler with a context was set.
    std::chrono::nanoseconds waited{0};
};

/// The options of a `worker_pool`.
struct worker_pool_options {
    /// Number of workers. 0: one for each CPU of `cpus`, without it of `pin`, and without either as
    /// many as `available_cpus()` says.
    unsigned threads = 0;
    /// The most messages that can be queued; rounded up to a power of two, at least 2.
    std::size_t capacity = 1024;
    admission_levels admission{};
    /// Worker i is named "name/i"; Linux shows 15 bytes, and cuts a longer name before the '/'.
    std::string name = "worker";
    /// Worker i is pinned to the i-th CPU of the set, modulo their number. Empty: not pinned.
    cpu_set pin{};
    /// Leased CPUs that every worker enters: `.cpus = exclusive_cpus::acquire(2)`. The lease ends
    /// with the last copy of these options, the pool's included. `pin` then chooses among them.
    shared_cpus cpus{};
    /// Scheduling class and priority of the workers.
    scheduling schedule{};
    /// How long an idle worker spins, beyond some microseconds, before it sleeps. Spinning uses its
    /// CPU.
    std::chrono::nanoseconds spin{0};
    /// Receives exceptions of handlers and of tasks of `execute`, on the worker's thread.
    error_sink on_error{};
};

/// The statistics of a `worker_pool`; a task counts as a message. Figures read during work are of
/// slightly different moments; after `drain` or `wait` they are exact.
struct worker_pool_stats {
    struct worker {
        std::uint64_t handled = 0; ///< Messages, including those whose handler threw.
        std::uint64_t parked = 0;  ///< Times that the worker went to sleep.
    };
    std::uint64_t submitted = 0; ///< Messages accepted.
    /// Messages and tasks not accepted: no room, by class, closed, or waits nested too deep.
    std::uint64_t refused = 0;
    std::uint64_t handled = 0;   ///< The sum over the workers.
    std::uint64_t tasks = 0;     ///< Those of `handled` that were tasks.
    std::uint64_t cancelled = 0; ///< Those of `tasks` whose future was cancelled; they never ran.
    std::uint64_t errors = 0;    ///< Handlers and tasks of `execute` that threw.
    std::size_t queued = 0;      ///< Messages accepted and not yet taken by a worker.
    std::vector<worker> workers; ///< One entry per worker; empty before `start`.
};

namespace detail {

REGATTA_POOLS_EXPORT pool_options to_pool_options(const worker_pool_options& o);

#if REGATTA_POOLS_DEFINITIONS

REGATTA_APART REGATTA_POOLS_API pool_options to_pool_options(const worker_pool_options& o) {
    return {.threads = o.threads,
            .name = o.name,
            .pin = o.pin,
            .cpus = o.cpus,
            .schedule = o.schedule,
            .spin = o.spin,
            .on_error = o.on_error};
}

#endif

} // namespace detail
} // namespace regatta
