// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The result of the experiment on pinning and owning as text for people.

#include "isolation/isolation_result.hpp"
#include "report/common/provenance.hpp"
#include "text/text.hpp"

#include <string>

namespace regatta::race {

/// The whole report: what ran where, warnings, the two tables, what was dropped, how the CPUs were
/// owned, and the summary.
std::string to_text(const isolation_result& result, const provenance& from,
                    const text_style& style);

/// A row for each mode that was measured. Where the width does not hold all columns they go in
/// this order: migrations, interval, run delay, involuntary switches, difference, verdict, median.
std::string modes_text(const isolation_result& result, const text_style& style);

/// A row for each round: the wall time of each mode, and the share of it that the workers had a
/// CPU; contaminated samples are marked. Of a long experiment the last rounds.
std::string rounds_text(const isolation_result& result, const text_style& style);

} // namespace regatta::race
