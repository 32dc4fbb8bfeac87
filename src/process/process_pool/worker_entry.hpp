// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Whether this program can be started again as a worker.

namespace regatta::detail {

/// Failure: `std::logic_error` where `main` has not called `run_process_worker`, so that a worker
/// of this program would do what its parent does, and start workers of its own without end.
void check_not_a_worker();

} // namespace regatta::detail
