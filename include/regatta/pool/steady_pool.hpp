// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A thread pool for many short tasks.

#include <regatta/pool/thread_pool.hpp>

#include <utility>

namespace regatta {

/// One queue per worker, with stealing: a fixed number of threads for high rates of short, even
/// tasks.
///
/// Tasks from outside go into one worker's queue, 32 in a row, then into the shorter of two others.
/// Tasks that a worker submits go into its own queue. A worker without tasks steals from the
/// others' queues, unless stealing is limited or disabled: up to eight tasks at a time, which any
/// other worker may take from it.
///
/// So producers and workers rarely touch the same memory. Tasks begin only roughly in the order of
/// their submission.
///
/// ```cpp
/// regatta::steady_pool pool(4); // or pool{{.threads = 4, .name = "io"}}
/// pool.execute([] { work(); });
/// pool.wait();
/// ```
///
/// Threads, Blocks, Failure: as `thread_pool`. The destructor is `close`.
class steady_pool : public thread_pool {
public:
    REGATTA_APART REGATTA_POOLS_API explicit steady_pool(pool_options options);
    /// A pool of `available_cpus()` workers.
    steady_pool() : steady_pool(0u) {}
    /// A pool of `threads` workers; 0: `available_cpus()` workers.
    REGATTA_APART REGATTA_POOLS_API explicit steady_pool(unsigned threads);

    /// Lets idle workers steal from the others' queues.
    ///
    /// @param neighbours 0: from all. Otherwise worker i steals only from the next `neighbours`
    /// workers, i + 1 and so on, counted round. While a task waits for a paused pool, or a fork for
    /// the pool, workers steal from all; so does a task that waits for room. A worker that is just
    /// looking for a task may still find one by the limit before.
    ///
    /// Cost: while the limit excludes a worker, a submission wakes all workers that sleep. Any
    /// other one might not reach the task.
    REGATTA_POOLS_API void enable_stealing(unsigned neighbours = 0) noexcept;
    /// Without stealing a task waits for the worker in whose queue it is, however long that worker
    /// is busy. A submission wakes that worker alone. Waits are the same exception.
    REGATTA_POOLS_API void disable_stealing() noexcept;
};

#if REGATTA_POOLS_DEFINITIONS

steady_pool::steady_pool(pool_options options)
    : thread_pool(std::move(options), detail::queue_layout::per_worker) {}
steady_pool::steady_pool(unsigned threads) : steady_pool(pool_options{.threads = threads}) {}
void steady_pool::enable_stealing(unsigned neighbours) noexcept {
    if (neighbours == 0 || neighbours >= threads() - 1) {
        engine().steal_from_all();
    } else {
        engine().steal(neighbours);
    }
}
void steady_pool::disable_stealing() noexcept {
    engine().steal(0);
}

#endif

} // namespace regatta
