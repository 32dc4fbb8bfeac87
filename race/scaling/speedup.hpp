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
estimate speedup_between(const series& base, const series& point, std::uint64_t seed = 1);

} // namespace regatta::race
