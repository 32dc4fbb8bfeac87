// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Which attempt at which task a function of a process pool is.

#include <cstddef>
#include <cstdint>

namespace regatta {

/// What a function of a process pool gets as its first argument, if it asks for it.
///
/// {job, index} is the same for each attempt at a task: an idempotency key for effects outside of
/// the pool's memory, which an attempt that was killed may have had already.
struct process_task {
    std::uint64_t job = 0; ///< Differs between the jobs of a pool.
    std::size_t index = 0; ///< Of the task in its job, from 0.
    unsigned attempt = 0;  ///< From 1.
    unsigned worker = 0;   ///< The number of the worker, from 0.
};

} // namespace regatta
