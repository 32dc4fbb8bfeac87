// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "scaling/level_shift.hpp"

#include <algorithm>
#include <cmath>

namespace regatta::race {
namespace {

/// Standard deviations that are exceeded somewhere in the middle third of 1 in 100 steady series of
/// 15 samples and 4 in 100 of 100, as simulated.
constexpr double critical_distance = 2.75;
constexpr std::size_t least_samples = 12;

/// By how many standard deviations the rank sum of the times from `split` on is away from what it
/// is on average.
double rank_distance(const std::vector<double>& times, std::size_t split) {
    double longer = 0; // pairs of which the later is longer; equal ones count half
    for (std::size_t late = split; late < times.size(); ++late) {
        for (std::size_t early = 0; early < split; ++early) {
            longer += times[late] > times[early] ? 1 : times[late] == times[early] ? 0.5 : 0;
        }
    }
    const auto before = static_cast<double>(split);
    const auto after = static_cast<double>(times.size() - split);
    const double deviation = std::sqrt(before * after * (before + after + 1) / 12);
    return std::max(0.0, std::abs(longer - before * after / 2) - 0.5) / deviation;
}

} // namespace

level_shift find_shift(const series& measured) {
    std::vector<double> times;
    for (const sample& one : measured.samples) {
        times.push_back(one.ns);
    }
    level_shift found;
    if (times.size() < least_samples) {
        return found;
    }
    double most = 0;
    std::size_t split = 0;
    for (std::size_t at = times.size() / 3; at <= times.size() - times.size() / 3; ++at) {
        if (const double distance = rank_distance(times, at); distance > most) {
            most = distance;
            split = at;
        }
    }
    if (most > 0) {
        const auto middle = times.begin() + static_cast<std::ptrdiff_t>(split);
        found.round = measured.samples[split].round;
        found.ratio = median({middle, times.end()}) / median({times.begin(), middle});
        found.significant = most > critical_distance;
    }
    return found;
}

} // namespace regatta::race
