// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/possible_best.hpp"

#include "sampling/paired_comparison.hpp"
#include "sampling/random.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace regatta::race {
namespace {

constexpr std::size_t resamples = 999;
constexpr double tolerated = 0.025;

/// By how much a candidate's time exceeds another's and the margin, as signed ranks of the rounds.
struct excess {
    std::vector<std::size_t> rounds; ///< Places in the signs of a resample.
    std::vector<double> ranks;       ///< With the sign of the excess.
    double deviation = 0;

    /// Standardised, with the signs of a resample.
    double sum(const std::vector<signed char>& signs) const {
        double all = 0;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            all += signs[rounds[i]] * ranks[i];
        }
        return deviation > 0 ? all / deviation : 0;
    }
};

/// Equal values share a rank; 0 has none.
std::vector<double> ranks_of(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::abs(values[i]); });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first;
        while (end < order.size() &&
               std::abs(values[order[end]]) == std::abs(values[order[first]])) {
            ++end;
        }
        const double rank = static_cast<double>(first + 1 + end) / 2;
        for (; first < end; ++first) {
            const double value = values[order[first]];
            ranks[order[first]] = value > 0 ? rank : value < 0 ? -rank : 0;
        }
    }
    return ranks;
}

excess excess_of(const std::vector<log_time>& candidate, const std::vector<log_time>& other,
                 double limit, const std::map<unsigned, std::size_t>& places) {
    excess found;
    std::vector<double> values = log_ratios(candidate, other);
    const double shrunk = signed_ranks(values).shrunk(limit);
    for (double& value : values) {
        value -= shrunk;
    }
    found.ranks = ranks_of(values);
    double squares = 0;
    for (const double rank : found.ranks) {
        squares += rank * rank;
    }
    found.deviation = std::sqrt(squares);
    auto one = other.begin();
    for (const log_time& mine : candidate) {
        while (one != other.end() && one->round < mine.round) {
            ++one;
        }
        if (one != other.end() && one->round == mine.round) {
            found.rounds.push_back(places.at(mine.round));
        }
    }
    return found;
}

/// Whether one of the excesses is larger than can be by chance.
bool is_beaten(const std::vector<excess>& all,
               const std::vector<std::vector<signed char>>& signs_of_resamples) {
    const auto largest = [&](const std::vector<signed char>& signs) {
        double most = -HUGE_VAL;
        for (const excess& one : all) {
            most = std::max(most, one.sum(signs));
        }
        return most;
    };
    const double found =
        largest(std::vector<signed char>(signs_of_resamples.front().size(), 1)) - 1e-9;
    std::size_t as_large = 1;
    for (const auto& signs : signs_of_resamples) {
        as_large += largest(signs) >= found ? 1 : 0;
        if (static_cast<double>(as_large) > tolerated * (resamples + 1)) {
            return false;
        }
    }
    return true;
}

} // namespace

std::vector<std::size_t> possible_best(const std::vector<const series*>& all, double margin,
                                       std::uint64_t seed) {
    std::vector<std::vector<log_time>> times;
    std::map<unsigned, std::size_t> places;
    for (const series* one : all) {
        times.push_back(log_times(*one));
        for (const log_time& each : times.back()) {
            places.emplace(each.round, places.size());
        }
    }
    random_source random(seed);
    std::vector<std::vector<signed char>> signs(resamples);
    for (auto& one : signs) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            one.push_back(random.below(2) == 0 ? 1 : -1);
        }
    }
    std::vector<std::size_t> best;
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<excess> beside;
        for (std::size_t j = 0; j < all.size(); ++j) {
            if (j != i) {
                beside.push_back(excess_of(times[i], times[j], std::log1p(margin), places));
            }
        }
        if (!is_beaten(beside, signs)) {
            best.push_back(i);
        }
    }
    return best;
}

} // namespace regatta::race
