// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "scaling/speedup.hpp"

#include <algorithm>
#include <cmath>

namespace regatta::race {

estimate speedup_between(const series& base, const series& point, double floor,
                         std::uint64_t seed) {
    const std::vector<double> ratios = paired_ratios(base, point);
    if (ratios.empty() || base.disturbed() || point.disturbed()) {
        return paired_ratio(base, point, seed);
    }
    estimate speedup = median_by_ranks(ratios);
    // Values of which each resembles the last are worth (1 − r) / (1 + r) as many independent ones.
    const double alike = rank_autocorrelation(ratios);
    const double stretch = std::sqrt((1 + alike) / (1 - alike));
    const double low = speedup.median - (speedup.median - speedup.low) * stretch;
    const double high = speedup.median + (speedup.high - speedup.median) * stretch;
    speedup.low = std::max(0.0, low) / (1 + floor);
    speedup.high = high * (1 + floor);
    return speedup;
}

} // namespace regatta::race
