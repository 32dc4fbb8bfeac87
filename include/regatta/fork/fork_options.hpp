// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The options of parallel loops.

#include <cstddef>
#include <stop_token>

namespace regatta {

/// The options of a parallel loop or reduction. None is needed.
struct fork_options {
    /// The fewest iterations that are given to another thread. 0: the loop finds out by itself.
    std::size_t grain = 0;
    /// The most threads that work for the loop at once, the caller included. 0: as many as the
    /// pool has. Loops within it have limits of their own.
    unsigned workers = 0;
    /// Ends the loop early: iterations that have not begun are skipped. A reduction then throws
    /// `task_cancelled`.
    std::stop_token stop{};
    /// For reductions: the same bits for any number of workers, also of sums of floating-point
    /// numbers.
    bool deterministic = false;
};

} // namespace regatta
