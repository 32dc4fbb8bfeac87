// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/random.hpp"
#include "sampling/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace race = regatta::race;

TEST(race_median, of_odd_even_and_nothing) {
    EXPECT_EQ(race::median({3, 1, 2}), 2);
    EXPECT_EQ(race::median({4, 1, 3, 2}), 2.5);
    EXPECT_EQ(race::median({7}), 7);
    EXPECT_EQ(race::median({}), 0);
}

TEST(race_median_of_rounds, is_stretched_where_neighbours_resemble_each_other) {
    std::vector<double> values{5, 1, 4, 2, 8, 3, 9, 7, 6};
    const auto steady = race::median_by_ranks(values);
    std::ranges::sort(values);
    const auto drifting = race::median_of_rounds(values);
    EXPECT_EQ(drifting.median, steady.median);
    EXPECT_GT(drifting.high - drifting.median, 3 * (steady.high - steady.median));
    EXPECT_GT(drifting.low, 0); // of times none is 0
    EXPECT_LT(drifting.low, 1);
    EXPECT_EQ(race::median_of_rounds({0, 0, 0, 1, 1, 1, 2, 3, 4}).low, 0);
    EXPECT_EQ(race::median_of_rounds({2, 2, 2, 2, 2}).high, 2);
    EXPECT_EQ(race::median_of_rounds({}).count, 0u);
}

/// The interval must contain the true median about as often as it says. The ranks of 15 values
/// hold it in 96.5 of 100 cases, and the stretch widens that a little.
TEST(race_median_of_rounds, covers_the_true_median) {
    race::random_source random(42);
    int covered = 0;
    for (int trial = 0; trial < 400; ++trial) {
        std::vector<double> values;
        for (int i = 0; i < 15; ++i) {
            values.push_back(static_cast<double>(random.below(1'000'000)) / 1e6);
        }
        const auto interval = race::median_of_rounds(values);
        covered += interval.low <= 0.5 && 0.5 <= interval.high ? 1 : 0;
    }
    EXPECT_GE(covered, 380);
    EXPECT_LE(covered, 396);
}

// "That holds the true median in at least 95 of 100 cases, whatever the distribution."
TEST(race_median_by_ranks, covers_the_true_median_of_any_distribution) {
    race::random_source random(43);
    for (const std::size_t count :
         {std::size_t{6}, std::size_t{7}, std::size_t{15}, std::size_t{30}, std::size_t{101}}) {
        int even = 0;
        int skewed = 0;
        constexpr int trials = 1000;
        for (int trial = 0; trial < trials; ++trial) {
            std::vector<double> values;
            std::vector<double> tailed; // half of it within 0…1, the rest far beyond
            for (std::size_t i = 0; i < count; ++i) {
                const double value = (static_cast<double>(random.below(1'000'000)) + 0.5) / 1e6;
                values.push_back(value);
                tailed.push_back(1 / (1 - value) - 1);
            }
            const auto one = race::median_by_ranks(values);
            even += one.low <= 0.5 && 0.5 <= one.high ? 1 : 0;
            const auto other = race::median_by_ranks(tailed);
            skewed += other.low <= 1 && 1 <= other.high ? 1 : 0;
        }
        EXPECT_GE(even, trials * 94 / 100) << count;
        EXPECT_LE(even, trials * 995 / 1000) << count;
        EXPECT_EQ(even, skewed) << count; // ranks do not change
    }
}

TEST(race_median_by_ranks, takes_the_ranks_of_the_tables) {
    // Of 6 to 8 values the extremes, of 9 to 11 the second, of 15 the fourth, of 20 the sixth.
    const std::vector<std::pair<int, int>> table{
        {1, 1},  {5, 1},  {6, 1},   {8, 1},      {9, 2},      {11, 2},     {12, 3},     {15, 4},
        {17, 5}, {20, 6}, {30, 10}, {1000, 469}, {1001, 469}, {1075, 505}, {5000, 2430}};
    for (const auto& [count, rank] : table) {
        std::vector<double> values(static_cast<std::size_t>(count));
        std::iota(values.begin(), values.end(), 1.0);
        std::reverse(values.begin(), values.end());
        const auto found = race::median_by_ranks(values);
        EXPECT_EQ(found.low, rank) << count;
        EXPECT_EQ(found.high, count + 1 - rank) << count;
        EXPECT_EQ(found.median, (count + 1) / 2.0);
        EXPECT_EQ(found.count, values.size());
    }
    EXPECT_EQ(race::median_by_ranks({}).count, 0u);
}

TEST(race_rank_autocorrelation, is_small_of_independent_values_and_large_of_a_drift) {
    race::random_source random(7);
    double sum = 0;
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<double> values;
        for (int i = 0; i < 30; ++i) {
            values.push_back(static_cast<double>(random.below(1'000'000)));
        }
        sum += race::rank_autocorrelation(values);
    }
    EXPECT_LT(sum / 200, 0.15); // not 0, since below 0 counts as that
    std::vector<double> drift(30);
    std::iota(drift.begin(), drift.end(), 0.0);
    EXPECT_GT(race::rank_autocorrelation(drift), 0.85);
    drift.back() = 1e9; // one far away is a rank like any other
    EXPECT_GT(race::rank_autocorrelation(drift), 0.85);
    EXPECT_EQ(race::rank_autocorrelation({1, 9, 1, 9, 1, 9, 1, 9}), 0);
    EXPECT_EQ(race::rank_autocorrelation({5, 5, 5}), 0);
    EXPECT_EQ(race::rank_autocorrelation({}), 0);
}

// "corrected for what so few values underrate it by": by (1 + 3 r) / n.
TEST(race_rank_autocorrelation, is_corrected_for_the_number_of_values) {
    // Ranks less their mean: -1.5, -0.5, 0.5, 1.5. Their neighbours' correlation is 1.25 / 5.
    EXPECT_DOUBLE_EQ(race::rank_autocorrelation({1, 2, 3, 4}), 0.25 + (1 + 3 * 0.25) / 4);
}

TEST(race_random, is_the_same_everywhere) {
    race::random_source random(1);
    std::vector<std::size_t> drawn;
    for (int i = 0; i < 5; ++i) {
        drawn.push_back(random.below(100));
    }
    race::random_source again(1);
    for (const std::size_t value : drawn) {
        EXPECT_LT(value, 100u);
        EXPECT_EQ(again.below(100), value);
    }
}

TEST(race_random, shuffles_to_every_order_alike) {
    race::random_source random(5);
    std::vector<int> counts(6, 0);
    for (int i = 0; i < 6000; ++i) {
        std::vector<int> values{0, 1, 2};
        random.shuffle(values);
        ++counts[static_cast<std::size_t>(values[0] * 2 + (values[1] > values[2] ? 1 : 0))];
    }
    for (const int count : counts) {
        EXPECT_NEAR(count, 1000, 150);
    }
}
