// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The result of a measurement of scaling as tables.

#include "scaling/scale_result.hpp"
#include "text/text.hpp"

#include <string>

namespace regatta::race {

/// A row for each number of workers. Where the width does not hold all columns they go in this
/// order: clock, items a second beside another unit, bar, interval, 95th percentile, median
/// latency, share of the peak, efficiency, throughput. Workers and speed-up always stay. Where a
/// rate was offered there are more percentiles instead of the speed-up and what belongs to it.
std::string scale_table_text(const scale_result& result, const text_style& style);

/// The figures that sysbench prints of its event `cpu`: events, events a second, and the latency of
/// an event in milliseconds: least, mean, most and 95th percentile. Empty of other workloads.
std::string sysbench_text(const scale_result& result, const text_style& style);

} // namespace regatta::race
