// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A thread pool for many short tasks.

#include <regatta/pool/thread_pool.hpp>

#include <utility>

namespace regatta {

/// A fixed number of threads for high rates of short, even tasks.
///
/// Each worker has a queue. Tasks from outside go into one worker's queue, some in a row, then into
/// the shorter of two others; tasks that a worker submits go into its own. A worker without tasks
/// takes from the others', one at a time, unless that is switched off. So producers and workers
/// rarely touch the same memory, and tasks begin about in the order in which they came, no more.
///
/// ```cpp
/// regatta::steady_pool pool{{.threads = 4, .name = "io"}};
/// pool.execute([] { work(); });
/// pool.wait();
/// ```
///
/// Threads, Blocks, Failure: as `thread_pool`. The destructor is `close`.
class steady_pool : public thread_pool {
public:
    explicit steady_pool(pool_options options = {})
        : thread_pool(std::move(options), detail::queue_layout::per_worker) {}

    /// Lets idle workers take tasks from the others' queues, or not. Where they do not, a task
    /// waits for the worker that it was given to, however long that one is busy.
    void enable_stealing() noexcept { engine().steal(true); }
    void disable_stealing() noexcept { engine().steal(false); }
};

} // namespace regatta
