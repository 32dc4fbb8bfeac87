// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "scaling/speedup.hpp"

#include "sampling/paired_comparison.hpp"

namespace regatta::race {

estimate speedup_between(const series& base, const series& control, const series& point,
                         double floor) {
    return inverse(widened(paired_comparison(point, base, control).ratio(), floor));
}

estimate inverse(const estimate& ratio) noexcept {
    if (ratio.median <= 0) {
        return {};
    }
    return {1 / ratio.median, 1 / ratio.high, 1 / ratio.low, ratio.count};
}

estimate widened(const estimate& ratio, double floor) noexcept {
    return {ratio.median, ratio.low / (1 + floor), ratio.high * (1 + floor), ratio.count};
}

} // namespace regatta::race
