// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The parts of the bench process_pool.

#include "bench.hpp"

namespace process_bench {

/// Rows of a product beside Python's ProcessPoolExecutor.
void measure_python(regatta::bench::bench_run& run);

} // namespace process_bench
