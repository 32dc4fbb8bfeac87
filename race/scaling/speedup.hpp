// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How many times as fast, and how far that is known.

#include "sampling/sampler.hpp"

namespace regatta::race {

/// How many times as fast `point` is as one worker, which ran as `base` and as `control` in each
/// round: the inverse of their `paired_comparison`.
///
/// Its interval is meant to hold in another run of the same measurement too. That of the rounds
/// knows nothing of what sets one run apart from the next, so it is widened by what the baseline
/// differs from itself. docs/reference/scaling.md has the figures.
/// @param floor the noise floor's distance.
estimate speedup_between(const series& base, const series& control, const series& point,
                         double floor);

/// The other way round: of a speed-up how many times as long it took, and of a ratio of times how
/// many times as fast it was.
estimate inverse(const estimate& ratio) noexcept;
/// A ratio with an interval that is widened by the noise floor.
estimate widened(const estimate& ratio, double floor) noexcept;

} // namespace regatta::race
