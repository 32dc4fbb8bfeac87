// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a pool counts.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace regatta {

/// What a pool has done so far. While it is at work the figures are of slightly different moments;
/// while it is idle they are exact, and submitted = run + cancelled.
struct pool_stats {
    struct worker {
        std::uint64_t run = 0;            ///< Tasks, also those that threw.
        std::uint64_t stolen = 0;         ///< Of them, taken from another worker's queue.
        std::uint64_t parked = 0;         ///< Times that it went to sleep.
        std::chrono::nanoseconds busy{0}; ///< Not looking for a task; to a microsecond or so.
    };
    std::uint64_t submitted = 0; ///< Tasks accepted.
    std::uint64_t run = 0;       ///< Tasks finished.
    /// Accepted and never run: cancelled, stopped, discarded, dropped.
    std::uint64_t cancelled = 0;
    /// Not accepted: the pool was full or closed, or who waited for room waited too deep.
    std::uint64_t refused = 0;
    std::uint64_t errors = 0;    ///< What the error sink was given: tasks of `execute`, hooks.
    std::uint64_t stolen = 0;    ///< The sum over all workers there have been.
    std::uint64_t parked = 0;    ///< Likewise.
    std::size_t queued = 0;      ///< Tasks accepted and not yet begun.
    std::vector<worker> workers; ///< One entry for each worker that there is now.
};

} // namespace regatta
