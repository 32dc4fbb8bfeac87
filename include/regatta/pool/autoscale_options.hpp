// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a `dynamic_pool` changes its number of threads by itself.

#include <chrono>

namespace regatta {

/// How many threads an autoscaled pool may have, and when it gets more.
struct autoscale_options {
    unsigned min = 1; ///< At least 1.
    unsigned max = 0; ///< 0: four times `available_cpus()`, but not below `min`.
    /// A task that waits longer in the queue brings further threads. At least 1 ms.
    std::chrono::nanoseconds target_delay = std::chrono::milliseconds(10);
    /// So long must a thread have had nothing to do at each look before one is removed.
    std::chrono::nanoseconds linger = std::chrono::seconds(1);
};

} // namespace regatta
