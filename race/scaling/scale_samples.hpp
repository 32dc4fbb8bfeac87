// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a measurement of scaling measures besides the runs of each worker count.

#include "sampling/sampler.hpp"

#include <vector>

namespace regatta::race {

/// The processor's clock during one sample.
struct clock_sample {
    unsigned round = 0;
    double hz = 0;
};

/// What was measured besides the points' own samples.
struct scale_samples {
    series before;                                 ///< One worker before the first round.
    series after;                                  ///< The same after the last.
    std::vector<std::vector<clock_sample>> clocks; ///< Of each point; empty where not known.
};

} // namespace regatta::race
