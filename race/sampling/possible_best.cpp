// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/possible_best.hpp"

#include "sampling/paired_comparison.hpp"
#include "sampling/random.hpp"
#include "sampling/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace regatta::race {
namespace {

constexpr std::size_t resamples = 999;
constexpr double tolerated = 0.025;

/// Rounds that are mirrored together, where there are more of them: it bounds what a resample
/// costs.
constexpr std::size_t most_blocks = 250;

/// The signs of a resample, one a block of rounds.
using block_signs = std::vector<signed char>;

/// By how much a candidate's time exceeds another's and the margin: sums of the signed ranks.
struct excess {
    std::vector<double> sums; ///< Of each block.
    double deviation = 0;

    /// Standardised, with the signs of a resample.
    double sum(const block_signs& signs) const {
        double all = 0;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            all += signs[i] * sums[i];
        }
        return deviation > 0 ? all / deviation : 0;
    }
};

/// The ranks of the values' sizes, each with the sign of its value; 0 has none.
std::vector<double> signed_ranks_of(const std::vector<double>& values) {
    std::vector<double> sizes = values;
    for (double& size : sizes) {
        size = std::abs(size);
    }
    std::vector<double> ranks = ranks_of(sizes);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        ranks[i] = values[i] == 0 ? 0 : std::copysign(ranks[i], values[i]);
    }
    return ranks;
}

/// @param blocks of each round.
excess excess_of(const std::vector<log_time>& candidate, const std::vector<log_time>& other,
                 double limit, const std::map<unsigned, std::size_t>& blocks) {
    std::vector<double> values = log_ratios(candidate, other);
    const double shrunk = signed_ranks(values).shrunk(limit);
    for (double& value : values) {
        value -= shrunk;
    }
    const std::vector<double> ranks = signed_ranks_of(values);
    excess found{std::vector<double>(blocks.rbegin()->second + 1), 0};
    auto rank = ranks.begin();
    auto one = other.begin();
    for (const log_time& mine : candidate) {
        while (one != other.end() && one->round < mine.round) {
            ++one;
        }
        if (one != other.end() && one->round == mine.round) {
            found.sums[blocks.at(mine.round)] += *rank++;
        }
    }
    double squares = 0;
    for (const double sum : found.sums) {
        squares += sum * sum;
    }
    found.deviation = std::sqrt(squares);
    return found;
}

/// Whether one of the excesses is larger than can be by chance.
bool is_beaten(const std::vector<excess>& all, const std::vector<block_signs>& signs_of_resamples) {
    const auto largest = [&](const block_signs& signs) {
        double most = -HUGE_VAL;
        for (const excess& one : all) {
            most = std::max(most, one.sum(signs));
        }
        return most;
    };
    const double found = largest(block_signs(signs_of_resamples.front().size(), 1)) - 1e-9;
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
    std::map<unsigned, std::size_t> blocks;
    for (const series* one : all) {
        times.push_back(log_times(*one));
        for (const log_time& each : times.back()) {
            blocks.emplace(each.round, 0);
        }
    }
    const std::size_t count = std::min(blocks.size(), most_blocks);
    std::size_t place = 0;
    for (auto& [round, block] : blocks) {
        block = place++ * count / blocks.size();
    }
    random_source random(seed);
    std::vector<block_signs> signs(resamples);
    for (block_signs& one : signs) {
        for (std::size_t i = 0; i < count; ++i) {
            one.push_back(random.below(2) == 0 ? 1 : -1);
        }
    }
    std::vector<std::size_t> best;
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<excess> beside;
        for (std::size_t j = 0; j < all.size(); ++j) {
            if (j != i) {
                beside.push_back(excess_of(times[i], times[j], std::log1p(margin), blocks));
            }
        }
        if (!is_beaten(beside, signs)) {
            best.push_back(i);
        }
    }
    return best;
}

} // namespace regatta::race
