// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a `worker_pool` is made with and what it counts.

#include <regatta/bus/admission.hpp>
#include <regatta/core/error_sink.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace regatta {

/// What a `worker_pool` is made with.
struct worker_pool_options {
    /// Workers; 0: as many as `cpus` has, or without those as `available_cpus()` says.
    unsigned threads = 0;
    /// Messages that wait at most; rounded up to a power of two, at least 2.
    std::size_t capacity = 1024;
    admission_levels admission{};
    /// Worker i is named "name/i"; Linux shows the first 15 bytes.
    std::string name = "worker";
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
    /// sleeps. It uses its CPU meanwhile.
    std::chrono::nanoseconds spin{0};
    /// Receives what handlers and tasks of `execute` throw, on the worker's thread.
    error_sink on_error{};
};

/// What a worker pool has done so far; a task counts as a message. While it is at work the figures
/// are of slightly different moments; after `drain` or `wait` they are exact.
struct worker_pool_stats {
    struct worker {
        std::uint64_t handled = 0; ///< Messages, also those whose handler threw.
        std::uint64_t parked = 0;  ///< Times that the worker went to sleep.
    };
    std::uint64_t submitted = 0; ///< Messages accepted.
    std::uint64_t refused = 0;   ///< Messages not accepted: no room, by class, or closed.
    std::uint64_t handled = 0;   ///< The sum over the workers.
    std::uint64_t tasks = 0;     ///< How many of these were tasks.
    std::uint64_t cancelled = 0; ///< How many of these tasks never ran: their future was cancelled.
    std::uint64_t errors = 0;    ///< Handlers and tasks of `execute` that threw.
    std::size_t queued = 0;      ///< Messages accepted and not yet taken by a worker.
    std::vector<worker> workers; ///< One entry a worker; empty before `start`.
};

} // namespace regatta
