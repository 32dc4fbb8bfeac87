// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a process pool counts.

#include <chrono>
#include <cstdint>

namespace regatta {

/// What a process pool has done so far. While it is idle the figures are exact.
struct process_pool_stats {
    std::uint64_t submitted = 0;      ///< Tasks accepted.
    std::uint64_t run = 0;            ///< Of them, tasks that returned or threw.
    std::uint64_t cancelled = 0;      ///< Cancelled before an attempt began.
    std::uint64_t errors = 0;         ///< Tasks that threw.
    std::uint64_t poisoned = 0;       ///< Tasks given up after their last attempt.
    std::uint64_t reruns = 0;         ///< Attempts that were lost with a worker and made again.
    std::uint64_t deaths = 0;         ///< Workers that ended and were not told to.
    std::uint64_t deadline_kills = 0; ///< Of them, killed because a task took too long.
    std::uint64_t memory_kills = 0;   ///< Of them, killed by the kernel for memory.
    std::uint64_t spawned = 0;        ///< Workers started, the first ones included.
    std::uint64_t copied = 0;         ///< Of them, copies of the zygote.
    /// From the notice of a death to the readiness of the next worker in its place.
    std::chrono::nanoseconds mean_respawn{0};
    std::chrono::nanoseconds longest_respawn{0};
    /// How often a worker or a wait spun before it slept. None spins unless each worker and one
    /// thread more have a CPU.
    std::uint64_t vain_spins = 0;
    unsigned workers = 0; ///< Workers that are ready now.
};

} // namespace regatta
