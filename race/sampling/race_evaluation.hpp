// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// From what was measured to what may be said of it.

#include "sampling/race_result.hpp"

namespace regatta::race {

/// Fills in what follows from the samples and their details: times, ratios, verdicts, the noise
/// floor, who leads, where the time went, what programs took, the schemes' own figures, and the
/// notes on what disturbed the race.
void evaluate_race(race_result& result, const sampling_result& measured);

} // namespace regatta::race
