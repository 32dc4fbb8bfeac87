// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The figures that a pool counts.

#include <regatta/base/detail/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace regatta {

/// The figures of a pool so far. While the pool works they are of slightly different moments. While
/// it is idle they are exact, and submitted = run + cancelled.
struct pool_stats {
    struct worker {
        std::uint64_t run = 0;            ///< Tasks that ran, those included that threw.
        std::uint64_t stolen = 0;         ///< Of these, the ones taken from another worker's queue.
        std::uint64_t parked = 0;         ///< How often the worker went to sleep.
        std::chrono::nanoseconds busy{0}; ///< Time with a task, to about a microsecond.
    };
    std::uint64_t submitted = 0; ///< Tasks accepted.
    std::uint64_t run = 0;       ///< Tasks finished.
    /// Tasks accepted that never ran: cancelled, stopped, discarded or dropped.
    std::uint64_t cancelled = 0;
    /// Tasks not accepted: the pool was full or closed, or waits for room nested too deep.
    std::uint64_t refused = 0;
    std::uint64_t errors = 0;    ///< Errors of tasks of `execute` and of hooks.
    std::uint64_t stolen = 0;    ///< The sum over all workers, past ones included.
    std::uint64_t parked = 0;    ///< Likewise.
    std::size_t queued = 0;      ///< Tasks accepted but not yet begun.
    std::vector<worker> workers; ///< One entry for each present worker.
};

} // namespace regatta
