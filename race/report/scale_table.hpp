// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The result of a measurement of scaling as tables.

#include "report/text.hpp"
#include "scaling/scale_result.hpp"

#include <string>

namespace regatta::race {

/// A row for each number of workers. Where the width does not hold all columns they go in this
/// order: clock, share of the peak, bar, interval, 95th percentile, median latency, items a second
/// beside another unit, efficiency, throughput. Workers and speed-up always stay.
std::string scale_table_text(const scale_result& result, const text_style& style);

/// The figures that sysbench prints of its event `cpu`: events, events a second, and the latency of
/// an event in milliseconds: least, mean, most and 95th percentile. Empty of other workloads.
std::string sysbench_text(const scale_result& result, const text_style& style);

} // namespace regatta::race
