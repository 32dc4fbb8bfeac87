// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "scaling/level_shift.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace regatta::race {

level_shift shift_at(const series& measured, unsigned split) {
    std::vector<double> early, late;
    for (const sample& one : measured.samples) {
        (one.round < split ? early : late).push_back(one.ns);
    }
    level_shift found;
    if (early.size() < 6 || late.size() < 4) { // with fewer no order of them is rare enough
        return found;
    }
    // How often a late one is longer than an early one; equal ones count half.
    double longer = 0;
    for (const double after : late) {
        for (const double before : early) {
            longer += after > before ? 1 : after == before ? 0.5 : 0;
        }
    }
    std::vector<double> all = early;
    all.insert(all.end(), late.begin(), late.end());
    std::ranges::sort(all);
    double ties = 0;
    for (auto begin = all.begin(); begin != all.end();) {
        const auto end = std::upper_bound(begin, all.end(), *begin);
        const auto equal = static_cast<double>(end - begin);
        ties += equal * equal * equal - equal;
        begin = end;
    }
    const auto m = static_cast<double>(early.size());
    const auto n = static_cast<double>(late.size());
    const double variance = m * n / 12 * (m + n + 1 - ties / ((m + n) * (m + n - 1)));
    const double distance = std::max(0.0, std::abs(longer - m * n / 2) - 0.5);
    constexpr double one_of_hundred = 2.576;
    found.ratio = median(std::move(late)) / median(std::move(early));
    found.significant = variance > 0 && distance > one_of_hundred * std::sqrt(variance);
    return found;
}

} // namespace regatta::race
