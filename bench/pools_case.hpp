// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the bench of the thread pools has every pool do.

#include "sampling/sampler.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace regatta::bench {

/// One sample of one pool: `tasks` tasks by `workers` workers. Yields nanoseconds a task, or what
/// the row says.
using pool_sample = race::outcome (*)(unsigned workers, std::size_t tasks);

/// A pool, and how it does what the bench asks. Null: it has no form for that.
struct pool_case {
    std::string name;
    double share = 1; ///< How many of the tasks it gets: less for the slow.

    pool_sample execute = nullptr;  ///< Empty tasks from one outside thread.
    pool_sample batches = nullptr;  ///< The same, ten at a time.
    pool_sample capture = nullptr;  ///< Tasks that hold 64 bytes.
    pool_sample within = nullptr;   ///< Empty tasks, submitted by a task.
    pool_sample futures = nullptr;  ///< Tasks with a result; all are submitted, then all are got.
    pool_sample allocate = nullptr; ///< Each fills a fresh vector of 100 ints.
    pool_sample uneven = nullptr;   ///< Heavy-tailed lengths.
    /// Median time from a submission to the begin of the task, each after 2 ms of idleness, with
    /// the workers on another CPU.
    pool_sample wake = nullptr;
    /// Likewise of the call that submits.
    pool_sample submit_call = nullptr;
    /// The same two with the workers on the CPU of the thread that submits.
    pool_sample switch_to = nullptr;
    pool_sample switch_call = nullptr;
    /// A pool is made, runs one task and is closed: the median time of all three.
    pool_sample life = nullptr;
    /// CPU time of an idle pool by wall time. Yields the share in place of the time.
    pool_sample idle = nullptr;
    /// Calls of the heap a task of 64 bytes, once the same number of tasks has been run before.
    pool_sample heap_calls = nullptr;
};

/// A thread pool of this library each.
std::vector<pool_case> regatta_pools();
/// A wake-up with one spinning worker of `balanced_pool`, as `pool_case::wake`.
race::outcome regatta_spinning_wake(unsigned workers, std::size_t tasks);
pool_case tbb_task_group();
pool_case tbb_enqueue();
pool_case asio_pool();
pool_case eigen_pool();
pool_case mutex_pool();
pool_case std_async_threads();
/// A thread that sleeps on a futex: what waking costs without any pool.
pool_case bare_futex();

/// Calls of operator new, on all threads, while `f` runs.
std::size_t heap_calls_during(const std::function<void()>& f);

} // namespace regatta::bench
