// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// From what was measured to what may be said of it.

#include "sampling/race_result.hpp"
#include "schemes/scheme.hpp"

#include <vector>

namespace regatta::race {

/// Fills in what follows from the samples: times, ratios, verdicts, the noise floor, who leads,
/// where the time went, and the notes on what disturbed the race.
/// @param splits of each scheme of `result`, one for each of its samples (further ones, of runs
/// that were forgotten, are ignored).
void evaluate(race_result& result, const sampling_result& measured,
              const std::vector<std::vector<time_split>>& splits);

/// Fills in what a program took, if that is what the entrant is.
/// @param usages one for each of its samples (further ones are ignored).
void sum_up(scheme_result& one, const std::vector<program_usage>& usages);
/// Fills in what a scheme measured of its runs, if it did.
/// @param figures those of each of its samples (further ones are ignored).
void sum_up(scheme_result& one, const std::vector<std::vector<run_figure>>& figures);

} // namespace regatta::race
