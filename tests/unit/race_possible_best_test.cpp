// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/possible_best.hpp"
#include "scaling_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

using namespace regatta::race;
using testing::ElementsAre;

namespace {

/// Series of these levels whose times scatter by 1 %.
class field {
public:
    explicit field(const std::vector<double>& levels, std::uint64_t seed = 1) {
        for (const double level : levels) {
            all_.push_back(series_of(noisy(15, level, 0.01, seed * 100 + all_.size())));
        }
    }

    series& operator[](std::size_t i) { return all_[i]; }
    std::vector<std::size_t> best(double margin = 0.01, std::uint64_t seed = 1) const {
        std::vector<const series*> all;
        for (const series& one : all_) {
            all.push_back(&one);
        }
        return possible_best(all, margin, seed);
    }

private:
    std::vector<series> all_;
};

} // namespace

TEST(race_possible_best, one_that_is_ahead_is_alone) {
    EXPECT_THAT(field({120, 100, 110, 150}).best(), ElementsAre(1u));
}

TEST(race_possible_best, those_within_the_margin_of_the_fastest_remain) {
    EXPECT_THAT(field({100, 130, 100.5, 140}).best(), ElementsAre(0u, 2u));
    EXPECT_THAT(field({100, 110, 120, 140}).best(0.15), ElementsAre(0u, 1u));
}

TEST(race_possible_best, one_alone_is_the_best_and_none_has_none) {
    EXPECT_THAT(field({100}).best(), ElementsAre(0u));
    EXPECT_TRUE(possible_best({}, 0.01, 1).empty());
}

TEST(race_possible_best, times_that_do_not_scatter_are_told_apart) {
    field exact({1, 1, 1});
    exact[0] = series_of(std::vector<double>(15, 100.0));
    exact[1] = series_of(std::vector<double>(15, 100.0));
    exact[2] = series_of(std::vector<double>(15, 102.0));
    EXPECT_THAT(exact.best(), ElementsAre(0u, 1u));
}

// "What they share, such as the candidate's own scatter": a round that was slow for all says
// nothing of any.
TEST(race_possible_best, a_slow_round_slows_all_alike) {
    field all({100, 105, 110});
    for (std::size_t i = 0; i < 3; ++i) {
        for (sample& one : all[i].samples) {
            one.ns *= one.round % 3 == 0 ? 2 : 1;
        }
    }
    EXPECT_THAT(all.best(), ElementsAre(0u));
}

TEST(race_possible_best, rounds_that_one_of_two_lacks_do_not_count) {
    field all({100, 110});
    all[0] = disturbed_in(all[0], 0, 5);
    all[1] = disturbed_in(all[1], 10, 12);
    EXPECT_THAT(all.best(), ElementsAre(0u));
}

TEST(race_possible_best, many_rounds_are_taken_in_blocks) {
    std::vector<series> all;
    for (const double level : {100.0, 100.1, 101.3}) {
        all.push_back(series_of(noisy(1200, level, 0.01, 1 + all.size())));
    }
    EXPECT_THAT(possible_best({&all[0], &all[1], &all[2]}, 0.01, 1), ElementsAre(0u, 1u));
}

TEST(race_possible_best, the_same_seed_gives_the_same) {
    for (std::uint64_t seed = 1; seed < 10; ++seed) {
        const field all({100, 101.5, 102, 102.5, 103}, seed);
        EXPECT_EQ(all.best(0, seed), all.best(0, seed));
    }
}
