// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Whether a series of times went to another level.

#include "sampling/sampler.hpp"

namespace regatta::race {

/// What the samples from some round on took beside those before it.
struct level_shift {
    double ratio = 1;         ///< Of the medians.
    bool significant = false; ///< By chance this happens in under 1 of 100 steady series.
};

/// Compares the samples from round `split` on with those before it, disturbed ones included: what
/// disturbs is what is sought. Not significant where there are too few.
/// Source: the rank-sum test (Wilcoxon 1945, Mann and Whitney 1947), by its normal approximation
/// with corrections for continuity and ties.
level_shift shift_at(const series& measured, unsigned split);

} // namespace regatta::race
