// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/random.hpp"
#include "sampling/signed_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace race = regatta::race;

namespace {

std::vector<double> even(std::size_t count, race::random_source& random) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(static_cast<double>(random.below(1'000'000)) / 1e6 - 0.5);
    }
    return values;
}

std::vector<double> means_of_pairs(const std::vector<double>& values) {
    std::vector<double> means;
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = i; j < values.size(); ++j) {
            means.push_back((values[i] + values[j]) / 2);
        }
    }
    std::ranges::sort(means);
    return means;
}

/// Values from 1 on that do not resemble their neighbours, so that nothing is stretched.
std::vector<double> growing(std::size_t count) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = i % 2 == 0 ? i / 2 : count - 1 - i / 2;
        values.push_back(std::exp(0.1 * static_cast<double>(place)));
    }
    return values;
}

} // namespace

TEST(race_signed_ranks, the_centre_is_the_median_of_the_means_of_all_pairs) {
    race::random_source random(3);
    for (std::size_t count = 1; count <= 40; ++count) {
        const auto values = even(count, random);
        EXPECT_DOUBLE_EQ(race::signed_ranks(values).centre(), race::median(means_of_pairs(values)))
            << count;
    }
    EXPECT_EQ(race::signed_ranks({4, 2}).centre(), 3);
    EXPECT_EQ(race::signed_ranks({-1, 0, 0, 0, 7}).centre(), 0);
    EXPECT_EQ(race::signed_ranks().centre(), 0);
    EXPECT_EQ(race::signed_ranks().interval().count, 0u);
}

TEST(race_signed_ranks, the_interval_takes_the_ranks_of_wilcoxons_tables) {
    // Critical values: so many means of pairs are cut off at either end. Of 5 values there is none.
    const std::vector<std::pair<std::size_t, std::size_t>> table{
        {5, 0}, {6, 0}, {7, 2}, {8, 3}, {9, 5}, {10, 8}, {15, 25}, {20, 52}, {25, 89}, {50, 434}};
    for (const auto& [count, cut] : table) {
        const auto values = growing(count);
        const auto means = means_of_pairs(values);
        const race::signed_ranks ranks(values);
        ASSERT_EQ(ranks.stretch(), 1) << count;
        EXPECT_EQ(ranks.interval().low, means[cut]) << count;
        EXPECT_EQ(ranks.interval().high, means[means.size() - 1 - cut]) << count;
        EXPECT_EQ(ranks.interval().count, count);
    }
}

TEST(race_signed_ranks, many_values_go_by_the_normal_distribution_without_a_step) {
    // In multiples of the standard deviation, what is cut off changes little from 50 to 51 values.
    const auto away = [](std::size_t count) {
        const auto values = growing(count);
        const auto means = means_of_pairs(values);
        const auto low = std::ranges::find(means, race::signed_ranks(values).interval().low);
        const auto n = static_cast<double>(count);
        return (n * (n + 1) / 4 - static_cast<double>(low - means.begin())) /
               std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
    };
    EXPECT_NEAR(away(50), 1.96, 0.02);
    EXPECT_NEAR(away(51), 1.96, 0.02);
    EXPECT_NEAR(away(200), 1.96, 0.01);
}

TEST(race_signed_ranks, an_end_of_the_interval_is_where_the_doubt_is_half_of_the_error) {
    race::random_source random(5);
    for (const std::size_t count : {6, 7, 15, 30, 60}) {
        for (int trial = 0; trial < 20; ++trial) {
            const race::signed_ranks ranks(even(count, random));
            const race::estimate found = ranks.interval(0.05);
            const double little = (found.high - found.low) * 1e-6;
            EXPECT_LE(ranks.doubt_above(found.low - little), 0.025) << count;
            EXPECT_GT(ranks.doubt_above(found.low + little), 0.025) << count;
            EXPECT_LE(ranks.doubt_below(found.high + little), 0.025) << count;
            EXPECT_GT(ranks.doubt_below(found.high - little), 0.025) << count;
        }
    }
}

TEST(race_signed_ranks, equal_values_are_known_and_none_are_not) {
    const race::signed_ranks same(std::vector<double>(15, 2.0));
    EXPECT_EQ(same.interval().low, 2);
    EXPECT_EQ(same.interval().high, 2);
    EXPECT_LT(same.doubt_above(1.9), 1e-4);
    EXPECT_LT(same.doubt_below(2.1), 1e-4);
    EXPECT_GT(same.doubt_above(2), 0.4);
    EXPECT_GT(same.doubt_below(2), 0.4);
    EXPECT_EQ(race::signed_ranks().doubt_above(0), 1);
    EXPECT_EQ(race::signed_ranks().doubt_below(0), 1);
}

TEST(race_signed_ranks, one_far_away_moves_little) {
    std::vector<double> values{1, 3, 2, 5, 4, 7, 6, 9, 8, 2, 5, 4, 6, 3, 5};
    const race::estimate before = race::signed_ranks(values).interval();
    values[7] = 1e9;
    const race::estimate after = race::signed_ranks(values).interval();
    EXPECT_NEAR(after.median, before.median, 0.51);
    EXPECT_LE(after.high, before.high + 2);
}

TEST(race_signed_ranks, a_drift_stretches_the_interval) {
    std::vector<double> shuffled{3, 9, 1, 12, 6, 14, 2, 10, 5, 15, 7, 11, 4, 13, 8};
    const race::signed_ranks steady(shuffled);
    std::ranges::sort(shuffled);
    const race::signed_ranks drifting(shuffled);
    EXPECT_EQ(drifting.centre(), steady.centre());
    EXPECT_GT(drifting.stretch(), 3);
    EXPECT_GT(drifting.interval().high, steady.interval().high);
    EXPECT_GT(drifting.doubt_above(4), steady.doubt_above(4));
}
