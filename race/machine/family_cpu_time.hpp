// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// CPU time of this process and of all that it started.

#include <cstdint>

namespace regatta::race {

/// CPU time of this process, of its children that were waited for, and of all descendants that live
/// at this moment; exact for threads that are running. A difference of two is the time that all of
/// them used in between, but for what a descendant that ended was waited for by another descendant.
///
/// Threads: one. Failure: none; on a kernel without CONFIG_PROC_CHILDREN living descendants are not
/// found. Cost: some 20 µs, and 10 µs a thread or process.
std::int64_t family_cpu_ns();

} // namespace regatta::race
