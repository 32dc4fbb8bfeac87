// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A thread pool for tasks of uneven length.

#include <regatta/base/error.hpp>
#include <regatta/pool/thread_pool.hpp>

#include <utility>

namespace regatta {

/// One queue for tasks from outside, oldest first, and one queue per worker for the tasks that it
/// submits. A fixed number of threads for tasks of uneven length.
///
/// Any free worker runs the oldest task from outside, so a long task delays only its own worker. A
/// worker takes from its own queue first. The others steal from it when they find nothing else.
///
/// ```cpp
/// regatta::balanced_pool pool;
/// auto answer = pool.submit([] { return 6 * 7; });
/// use(answer.get());
/// ```
///
/// Threads, Blocks, Failure: as `thread_pool`; also `std::invalid_argument` for `steal = false`,
/// which is for `steady_pool`. The destructor is `close`.
class balanced_pool : public thread_pool {
public:
    REGATTA_APART REGATTA_POOLS_API explicit balanced_pool(pool_options options);
    /// A pool of `available_cpus()` workers.
    balanced_pool() : balanced_pool(0u) {}
    /// A pool of `threads` workers; 0: `available_cpus()` workers.
    REGATTA_APART REGATTA_POOLS_API explicit balanced_pool(unsigned threads);

private:
    REGATTA_POOLS_API static pool_options checked(pool_options options);
};

#if REGATTA_POOLS_DEFINITIONS

balanced_pool::balanced_pool(pool_options options)
    : thread_pool(checked(std::move(options)), detail::queue_layout::both) {}
balanced_pool::balanced_pool(unsigned threads) : balanced_pool(pool_options{.threads = threads}) {}

pool_options balanced_pool::checked(pool_options options) {
    if (!options.steal) {
        fail_argument("pool_options::steal = false is for steady_pool: every task of a "
                      "balanced_pool can be taken by any worker");
    }
    return options;
}

#endif

} // namespace regatta
