// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a `dynamic_pool` changes its number of threads.

#include <regatta/base/detail/clock.hpp>

namespace regatta {

/// How many threads an autoscaled pool may have, and when it adds and removes them.
struct autoscale_options {
    unsigned min = 1; ///< At least 1.
    unsigned max = 0; ///< 0: four times `available_cpus()`, but not below `min`.
    /// If a task waits longer than this in the queue, the pool adds threads. At least 1 ms.
    std::chrono::nanoseconds target_delay = std::chrono::milliseconds(10);
    /// If some thread was idle at every look for this long, the pool removes one.
    std::chrono::nanoseconds linger = std::chrono::seconds(1);
};

} // namespace regatta
