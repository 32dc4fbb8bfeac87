// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How many times as fast, and how far that is known.

#include "sampling/sampler.hpp"

#include <cstdint>

namespace regatta::race {

/// How many times as fast `point` is as `base`: the median over the rounds of base's time by its
/// own.
///
/// Its interval is meant to hold in another run of the same measurement too, which a plain
/// bootstrap over 15 rounds does in 6 to 9 of 10 runs, because rounds that follow one another
/// resemble one another and a run differs from the next. So it is made of three parts: the ranks'
/// interval of the median; stretched as far as rounds resemble their neighbours; widened by what
/// the baseline differs from itself. docs/reference/scaling.md has the figures.
/// @param floor the noise floor's distance.
/// @param seed of the rough interval where all of one's samples are disturbed; such a speed-up has
/// a count of 0.
estimate speedup_between(const series& base, const series& point, double floor,
                         std::uint64_t seed = 1);

} // namespace regatta::race
