// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The table of a race whose items were offered at a rate.

#include "sampling/race_result.hpp"
#include "text/text.hpp"

#include <string>

namespace regatta::race {

/// A row for each scheme that ran, the lowest ratio first: percentiles of the items' latency, the
/// verdict, and a histogram. Empty where nobody ran.
std::string latency_table_text(const race_result& result, const text_style& style);

} // namespace regatta::race
