// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/signed_ranks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

namespace regatta::race {
namespace {

std::size_t pairs_of(std::size_t count) noexcept {
    return count * (count + 1) / 2;
}

/// The distribution of Wilcoxon's rank sum: of the ranks 1…count each is in the sum or not, with
/// one half. Exact for few values, normal for many.
class rank_sum {
public:
    explicit rank_sum(std::size_t count) : count_(count) {
        constexpr std::size_t most_exact = 50;
        if (count > most_exact) {
            return;
        }
        chances_.assign(pairs_of(count) + 1, 0);
        chances_.front() = std::exp2(-static_cast<double>(count));
        for (std::size_t rank = 1; rank <= count; ++rank) {
            for (std::size_t sum = pairs_of(rank); sum >= rank; --sum) {
                chances_[sum] += chances_[sum - rank];
            }
        }
        std::partial_sum(chances_.begin(), chances_.end(), chances_.begin());
    }

    /// The chance of a sum of that or less.
    double at_most(std::size_t sum) const {
        if (!chances_.empty()) {
            return std::min(1.0, chances_[std::min(sum, chances_.size() - 1)]);
        }
        const auto n = static_cast<double>(count_);
        const double deviation = std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
        const double away = (static_cast<double>(sum) + 0.5 - n * (n + 1) / 4) / deviation;
        return std::erfc(-away / std::sqrt(2.0)) / 2;
    }

    /// The critical value for that error at both ends together, and 0 where there is none.
    std::size_t critical(double error) const {
        std::size_t fits = 0;
        std::size_t fails = pairs_of(count_) / 2 + 1;
        while (fits + 1 < fails) {
            const std::size_t middle = std::midpoint(fits, fails);
            (at_most(middle) <= error / 2 ? fits : fails) = middle;
        }
        return fits;
    }

private:
    std::size_t count_;
    std::vector<double> chances_{}; ///< Of each sum or less; empty where normal.
};

/// Whole numbers in the order of the values, and back: the same function.
std::int64_t ordered_bits(std::int64_t bits) noexcept {
    return bits ^ ((bits >> 63) & std::numeric_limits<std::int64_t>::max());
}

} // namespace

signed_ranks::signed_ranks(std::vector<double> values) {
    if (values.empty()) {
        return;
    }
    stretch_ = neighbour_stretch(values);
    sorted_ = std::move(values);
    std::ranges::sort(sorted_);
    const std::size_t pairs = pairs_of(sorted_.size());
    centre_ = pair_mean(pairs / 2);
    if (pairs % 2 == 0) {
        centre_ = std::midpoint(pair_mean(pairs / 2 - 1), centre_);
    }
}

estimate signed_ranks::interval(double error) const {
    if (sorted_.empty()) {
        return {};
    }
    const std::size_t cut = rank_sum(count()).critical(error);
    const double low = pair_mean(cut);
    const double high = pair_mean(pairs_of(count()) - 1 - cut);
    return {centre_, centre_ - (centre_ - low) * stretch_, centre_ + (high - centre_) * stretch_,
            count()};
}

double signed_ranks::doubt_above(double limit) const {
    return sorted_.empty() ? 1 : rank_sum(count()).at_most((twice_below(shrunk(limit)) + 1) / 2);
}

double signed_ranks::doubt_below(double limit) const {
    const std::size_t twice_above = 2 * pairs_of(count()) - twice_below(shrunk(limit));
    return sorted_.empty() ? 1 : rank_sum(count()).at_most((twice_above + 1) / 2);
}

std::size_t signed_ranks::pairs_up_to(double limit) const noexcept {
    std::size_t found = 0;
    std::size_t end = sorted_.size();
    for (std::size_t first = 0; first < end; ++first) {
        // The larger the one, the smaller the other has to be.
        while (end > first && std::midpoint(sorted_[first], sorted_[end - 1]) > limit) {
            --end;
        }
        found += end - first;
    }
    return found;
}

double signed_ranks::pair_mean(std::size_t place) const noexcept {
    // Bisection over all values that a double can have finds the very mean, in 64 steps at most.
    std::int64_t low = ordered_bits(std::bit_cast<std::int64_t>(sorted_.front()));
    std::int64_t high = ordered_bits(std::bit_cast<std::int64_t>(sorted_.back()));
    while (low < high) {
        const std::int64_t middle = std::midpoint(low, high);
        if (pairs_up_to(std::bit_cast<double>(ordered_bits(middle))) > place) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return std::bit_cast<double>(ordered_bits(low));
}

std::size_t signed_ranks::twice_below(double limit) const noexcept {
    return pairs_up_to(limit) +
           pairs_up_to(std::nextafter(limit, -std::numeric_limits<double>::infinity()));
}

} // namespace regatta::race
