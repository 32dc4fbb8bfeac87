// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace regatta::race {

double median(std::vector<double> values) {
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

namespace {

/// How many sorted values to leave out at each end, so that the others hold the true median in 95
/// of 100 cases: of the values below it each is there with a chance of one half.
std::size_t cut_at_each_end(std::size_t count) {
    if (count > 1000) { // 2^-count leaves the range of a double soon; the normal law is close
        const auto n = static_cast<double>(count);
        return static_cast<std::size_t>(n / 2 - 0.98 * std::sqrt(n) - 1);
    }
    std::size_t cut = 0;
    double chance = std::exp2(-static_cast<double>(count));
    double sum = chance; // that at most `cut` of the values lie below the true median
    for (std::size_t next = 1; next < count / 2; ++next) {
        chance *= static_cast<double>(count - next + 1) / static_cast<double>(next);
        sum += chance;
        if (sum > 0.025) {
            break;
        }
        cut = next;
    }
    return cut;
}

} // namespace

estimate median_by_ranks(std::vector<double> values) {
    const std::size_t count = values.size();
    if (count == 0) {
        return {};
    }
    std::sort(values.begin(), values.end());
    const std::size_t cut = cut_at_each_end(count);
    return {median(values), values[cut], values[count - 1 - cut], count};
}

std::vector<double> ranks_of(const std::vector<double>& values) {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> ranks;
    ranks.reserve(values.size());
    for (const double value : values) {
        const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
        ranks.push_back(
            static_cast<double>((first - sorted.begin()) + (last - sorted.begin()) + 1) / 2);
    }
    return ranks;
}

double rank_autocorrelation(const std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    std::vector<double> ranks = ranks_of(values);
    const double mean = (count + 1) / 2;
    double together = 0;
    double alone = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        ranks[i] -= mean;
        alone += ranks[i] * ranks[i];
        together += i == 0 ? 0 : ranks[i] * ranks[i - 1];
    }
    if (alone <= 0) {
        return 0;
    }
    const double found = together / alone;
    return std::clamp(found + (1 + 3 * found) / count, 0.0, 0.9);
}

double neighbour_stretch(const std::vector<double>& values) {
    const double alike = rank_autocorrelation(values);
    return std::sqrt((1 + alike) / (1 - alike));
}

estimate median_of_rounds(const std::vector<double>& values) {
    estimate found = median_by_ranks(values);
    const double stretch = neighbour_stretch(values);
    if (found.low > 0) { // by ratios: no time is 0 or less
        found.low = found.median * std::pow(found.low / found.median, stretch);
        found.high = found.median * std::pow(found.high / found.median, stretch);
        return found;
    }
    const double least = std::min(found.low, 0.0);
    found.low = std::max(least, found.median - (found.median - found.low) * stretch);
    found.high = found.median + (found.high - found.median) * stretch;
    return found;
}

} // namespace regatta::race
