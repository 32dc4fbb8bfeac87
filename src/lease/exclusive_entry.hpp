// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How threads get onto the CPUs of a lease and off again.

#include "lease/exclusive_step.hpp"
#include "lease/lease_state.hpp"

namespace regatta::detail {

/// Moves a thread out, with the mask that it had, as far as that is not the lease's.
void put_thread_out(lease_state& lease, const entered_task& task);

/// Moves a thread in; where groups take whole processes, `thread` is the number of one. Under the
/// lease's mutex. @param alone it gets one CPU for itself, in turn.
step_error put_thread_in(lease_state& lease, int thread, bool alone);

} // namespace regatta::detail
