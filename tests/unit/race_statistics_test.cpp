// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/random.hpp"
#include "sampling/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace race = regatta::race;

TEST(race_median, of_odd_even_and_nothing) {
    EXPECT_EQ(race::median({3, 1, 2}), 2);
    EXPECT_EQ(race::median({4, 1, 3, 2}), 2.5);
    EXPECT_EQ(race::median({7}), 7);
    EXPECT_EQ(race::median({}), 0);
}

TEST(race_bootstrap, is_deterministic_and_depends_on_the_seed) {
    const std::vector<double> values{5, 1, 4, 2, 8, 3, 9, 7, 6};
    const auto first = race::bootstrap_median(values, 1);
    const auto again = race::bootstrap_median(values, 1);
    EXPECT_EQ(first.low, again.low);
    EXPECT_EQ(first.high, again.high);
    EXPECT_EQ(first.count, values.size());
    EXPECT_LE(first.low, first.median);
    EXPECT_GE(first.high, first.median);
}

TEST(race_bootstrap, of_equal_values_is_that_value_and_of_nothing_is_nothing) {
    const auto same = race::bootstrap_median({2, 2, 2, 2, 2}, 1);
    EXPECT_EQ(same.low, 2);
    EXPECT_EQ(same.high, 2);
    EXPECT_EQ(race::bootstrap_median({}, 1).count, 0u);
}

/// The interval must contain the true median about as often as it says. For 15 values it is known
/// to cover it in 93…97 % of cases.
TEST(race_bootstrap, covers_the_true_median) {
    race::random_source random(42);
    int covered = 0;
    for (int trial = 0; trial < 400; ++trial) {
        std::vector<double> values;
        for (int i = 0; i < 15; ++i) {
            values.push_back(static_cast<double>(random.below(1'000'000)) / 1e6);
        }
        const auto interval = race::bootstrap_median(values, 7);
        covered += interval.low <= 0.5 && 0.5 <= interval.high ? 1 : 0;
    }
    EXPECT_GE(covered, 360);
    EXPECT_LE(covered, 396);
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
