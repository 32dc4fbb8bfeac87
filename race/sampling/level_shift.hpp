// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Whether a series of times went to another level.

#include "sampling/sampler.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// What the samples from some round on took beside those before it.
struct level_shift {
    unsigned round = 0;       ///< The first of the later ones.
    double ratio = 1;         ///< Of their median to that of the earlier ones.
    bool significant = false; ///< By chance seldom: in 1 of 100 steady series of 15 samples.
};

/// The place in the middle third of the series where the times before it and those after it differ
/// most. Disturbed samples count: what disturbs is what is sought. Not significant where there are
/// fewer than 12.
/// Source: A. Pettitt, "A non-parametric approach to the change-point problem", 1979, with the
/// rank-sum test's normal approximation at each place.
level_shift find_shift(const series& measured);

/// The rounds of the faster of the two levels.
series faster_rounds(series all, const level_shift& shift);

/// "from round 8 on serial took 1.30 times as long as before: something slowed it down"
std::string shift_text(std::string_view who, const level_shift& shift);

/// How many of the first values are at another level than the rest: 4 to a third of them. 0 where
/// there are fewer than 12 values, and by chance seldom otherwise: in at most 1 of 100 steady
/// series. The same test as that of `find_shift`, at other places.
std::size_t unsteady_head(const std::vector<double>& values);

/// Finds the contenders that had not settled in their first rounds, and sets `series::settled`, so
/// that these rounds do not count of them. What counts is the time beside the median of the others
/// in the same round: a machine that slows down all of them alike does no harm to ratios.
void cut_heads(std::vector<series>& all);

} // namespace regatta::race
