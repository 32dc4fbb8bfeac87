// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The options of a process pool, as all of its workers get them.

#include <regatta/process/process_pool.hpp>

namespace regatta::detail {

/// The options with numbers and paths in place of what stands for them. Environment, program and
/// directory are those of this moment: workers are started at any later one, when this process may
/// have another directory, and another of its threads change the environment.
/// Failure: `std::invalid_argument`; `std::logic_error` where `main` does not call
/// `run_process_worker`.
process_pool_options checked_options(process_pool_options options);

} // namespace regatta::detail
