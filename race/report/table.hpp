// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The result of a race as text for people.

#include "report/provenance.hpp"
#include "report/text.hpp"
#include "sampling/race_result.hpp"

#include <string>

namespace regatta::race {

/// The whole report: what ran where, warnings, the table, who was skipped or failed and why, and
/// the three closing lines.
///
/// Where the width does not hold all columns they are dropped in this order: interval, efficiency,
/// bar, memory, CPU time, speed-up, ratio, verdict. Name and median always stay.
std::string to_text(const race_result& result, const provenance& from, const text_style& style);

/// The table alone: a header and a row for each scheme that was measured, the fastest first.
std::string table_text(const race_result& result, const text_style& style);

} // namespace regatta::race
