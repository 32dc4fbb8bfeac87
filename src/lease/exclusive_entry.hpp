// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Moving threads onto the CPUs of a lease and off again.

#include "lease/exclusive_step.hpp"
#include "lease/lease_state.hpp"

namespace regatta::detail {

/// Moves a thread out and restores its mask, except for CPUs that the lease still holds.
void put_thread_out(lease_state& lease, const entered_task& task);

/// Moves a thread in. If groups take whole processes, `thread` is the number of a process.
///
/// Threads: under the lease's mutex.
/// @param alone whether it gets one CPU, in turn, instead of all.
step_error put_thread_in(lease_state& lease, int thread, bool alone);

} // namespace regatta::detail
