// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A thread pool for tasks of uneven length.

#include <regatta/base/error.hpp>
#include <regatta/pool/thread_pool.hpp>

#include <utility>

namespace regatta {

/// One queue, oldest task first, and a queue a worker for the tasks that workers submit: a fixed
/// number of threads for tasks of uneven length.
///
/// Whichever worker is free begins the task from outside that has waited longest, so that a long
/// task delays only its own worker. Tasks that a worker submits go into its own queue. It takes
/// from there first; the others steal from there when they find nothing else.
///
/// ```cpp
/// regatta::balanced_pool pool;
/// auto answer = pool.submit([] { return 6 * 7; });
/// use(answer.get());
/// ```
///
/// Threads, Blocks, Failure: as `thread_pool`. The destructor is `close`. Throws
/// `std::invalid_argument` for `steal = false`: see `steady_pool`.
class balanced_pool : public thread_pool {
public:
    explicit balanced_pool(pool_options options = {})
        : thread_pool(checked(std::move(options)), detail::queue_layout::both) {}
    /// A pool of that many workers; 0: as many as fit the machine.
    explicit balanced_pool(unsigned threads) : balanced_pool(pool_options{.threads = threads}) {}

private:
    static pool_options checked(pool_options options) {
        if (!options.steal) {
            fail_argument("pool_options::steal = false is for steady_pool: every task of a "
                          "balanced_pool can be taken by any worker");
        }
        return options;
    }
};

} // namespace regatta
