// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/statistics.hpp"

#include "sampling/random.hpp"

#include <algorithm>

namespace regatta::race {
namespace {

/// As `median`, in the caller's storage.
double median_in_place(std::vector<double>& values) {
    if (values.empty()) {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) {
        return *middle;
    }
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

} // namespace

double median(std::vector<double> values) {
    return median_in_place(values);
}

estimate bootstrap_median(const std::vector<double>& values, std::uint64_t seed) {
    constexpr std::size_t resamples = 2000;
    estimate result;
    result.count = values.size();
    if (values.empty()) {
        return result;
    }
    result.median = median(values);
    random_source random(seed);
    std::vector<double> medians;
    medians.reserve(resamples);
    std::vector<double> drawn(values.size());
    for (std::size_t i = 0; i < resamples; ++i) {
        for (double& value : drawn) {
            value = values[random.below(values.size())];
        }
        medians.push_back(median_in_place(drawn));
    }
    std::sort(medians.begin(), medians.end());
    constexpr std::size_t cut = resamples / 40; // 2.5 % on either side
    result.low = medians[cut];
    result.high = medians[resamples - 1 - cut];
    return result;
}

} // namespace regatta::race
