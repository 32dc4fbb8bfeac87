// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Which of several may be the fastest.

#include "sampling/sampler.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace regatta::race {

/// Those that no other is shown to beat by more than the margin: in 97.5 of 100 races the fastest
/// is among them, and of several that are equal one is named alone in less than 5 of 100.
///
/// Each is held against all others at once. The largest of its standardised rank sums is compared
/// with those of 999 resamples, in each of which every round is kept or mirrored as a whole, for
/// all others alike: what they share, such as the candidate's own scatter, then counts once. More
/// than 250 rounds are mirrored in as many blocks.
/// Source: J. Romano and M. Wolf, "Exact and approximate stepdown methods for multiple hypothesis
/// testing", 2005, with signs that are flipped jointly.
/// @param all with 6 usable samples or more each.
/// @param margin as a share, from 0 on.
/// @returns their places, in rising order.
std::vector<std::size_t> possible_best(const std::vector<const series*>& all, double margin,
                                       std::uint64_t seed);

} // namespace regatta::race
