// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A thread pool for many short tasks.

#include <regatta/pool/thread_pool.hpp>

#include <utility>

namespace regatta {

/// A queue a worker, with stealing: a fixed number of threads for high rates of short, even tasks.
///
/// Tasks from outside go into one worker's queue, 32 in a row, then into the shorter of two others;
/// tasks that a worker submits go into its own. A worker without tasks steals from the others'
/// queues, one task at a time, unless that is switched off. So producers and workers rarely touch
/// the same memory, and tasks begin only about in the order in which they came.
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
    explicit steady_pool(pool_options options = {})
        : thread_pool(std::move(options), detail::queue_layout::per_worker) {}
    /// A pool of that many workers; 0: as many as fit the machine.
    explicit steady_pool(unsigned threads) : steady_pool(pool_options{.threads = threads}) {}

    /// Lets idle workers take tasks from the others' queues, or not. Where they do not, a task
    /// waits for the worker that it was given to, however long that one is busy.
    void enable_stealing() noexcept { engine().steal(true); }
    void disable_stealing() noexcept { engine().steal(false); }
};

} // namespace regatta
