// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// From the samples of a measurement of scaling to its figures.

#include "scaling/scale_result.hpp"
#include "scaling/scale_samples.hpp"

namespace regatta::race {

/// Fills in what follows from the samples: times, rates, speed-ups, the noise floor, the drift of
/// the baseline, the fit, and what spoils them.
/// @param result with its provenance, and of each point and of the control what was measured.
void evaluate_scale(scale_result& result, const scale_samples& evidence);

/// How fast it was, from how long it took: `amount` by the time in seconds; 0 of nothing.
estimate rate_of(double amount, const estimate& time_ns) noexcept;

/// How many times as long the runs of `late` took as those of `early`: the ratio of the medians,
/// and of the extremes as its interval. A count of 0 where one of them has none.
estimate ratio_between(const series& late, const series& early);

} // namespace regatta::race
