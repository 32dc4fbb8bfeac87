// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The table of a race for people.

#include "report/common/provenance.hpp"
#include "sampling/race_result.hpp"
#include "text/text.hpp"

#include <string>

namespace regatta::race {

/// A header and a row for each scheme that was measured, the fastest first.
///
/// Where the width does not hold all columns they are dropped in this order: interval, efficiency,
/// bar, memory, CPU time, speed-up, ratio, verdict. Name and median always stay.
std::string table_text(const race_result& result, const text_style& style);

} // namespace regatta::race
