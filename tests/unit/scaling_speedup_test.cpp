// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/level_shift.hpp"
#include "sampling/verdict.hpp"
#include "scaling/speedup.hpp"
#include "scaling_samples.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using namespace regatta::race;

namespace {

/// A machine whose clock wanders, so that all runs of a round are as slow, and on which a second
/// worker gains now more and now less: by `drift`, slowly within a run, and by `apart`, from one
/// run of the program to the next. All in multiples of the noise of one time.
struct wandering_machine {
    double drift = 0;
    double apart = 0;

    struct run {
        series base, control, two;
    };

    run measure(std::size_t rounds, normal_source& random) const {
        constexpr double noise = 0.01;
        constexpr double alike = 0.8; // neighbouring rounds
        std::vector<double> base, control, two;
        const double shift = apart * random.next();
        double wander = random.next();
        double clock = 0;
        for (std::size_t i = 0; i < rounds; ++i) {
            wander = alike * wander + std::sqrt(1 - alike * alike) * random.next();
            clock += random.next();
            const auto time = [&](double level, double more) {
                return level * std::exp(noise * (clock + more + random.next()));
            };
            base.push_back(time(2, 0));
            control.push_back(time(2, 0));
            two.push_back(time(1, std::sqrt(2.0) * (drift * wander + shift)));
        }
        return {series_of(base), series_of(control), series_of(two)};
    }

    /// In how many of 100 runs the interval holds the true speed-up.
    int coverage(std::size_t rounds) const {
        normal_source random(11);
        constexpr int trials = 200;
        int held = 0;
        for (int trial = 0; trial < trials; ++trial) {
            const run one = measure(rounds, random);
            const double floor = floor_between(one.control, one.base).distance;
            const estimate found = speedup_between(one.base, one.control, one.two, floor);
            held += found.low <= 2 && 2 <= found.high ? 1 : 0;
        }
        return held * 100 / trials;
    }
};

} // namespace

TEST(scaling_speedup, is_the_centre_of_the_rounds_ratios) {
    const series base = series_of({100, 200, 100, 100, 100, 100, 100});
    const series point = series_of({50, 100, 50, 25, 50, 50, 50});
    const estimate found = speedup_between(base, base, point, 0.0);
    EXPECT_DOUBLE_EQ(found.median, 2);
    EXPECT_EQ(found.count, 7u);
    EXPECT_DOUBLE_EQ(found.low, 2);
    // Of seven values the two farthest means of pairs are cut off, of which one is 4.
    EXPECT_GE(found.high, 2 * std::sqrt(2.0));
    EXPECT_LE(found.high, 4);
}

TEST(scaling_speedup, is_known_no_better_than_the_baseline_from_itself) {
    const series base = series_of(std::vector<double>(15, 100.0));
    const series point = series_of(std::vector<double>(15, 50.0));
    const estimate found = speedup_between(base, base, point, 0.03);
    EXPECT_NEAR(found.low, 2 / 1.03, 1e-12);
    EXPECT_NEAR(found.high, 2 * 1.03, 1e-12);
}

TEST(scaling_speedup, leaves_out_disturbed_rounds_and_rests_on_nothing_where_all_are) {
    const series base = series_of(std::vector<double>(10, 100.0));
    series point = series_of({50, 50, 50, 50, 50, 50, 90, 90, 90, 90});
    EXPECT_DOUBLE_EQ(speedup_between(base, base, disturbed_in(point, 6, 10), 0).high, 2);
    EXPECT_EQ(speedup_between(base, base, disturbed_in(point, 6, 10), 0).count, 6u);
    const estimate rough = speedup_between(base, base, disturbed_in(point, 0, 10), 0);
    EXPECT_EQ(rough.count, 0u);
    EXPECT_GT(rough.median, 0);
    EXPECT_EQ(speedup_between(base, base, series_of({}), 0).count, 0u);
}

// The interval says 95 of 100; a machine worse than expected may cost some.
TEST(scaling_speedup, its_interval_holds_the_truth_on_steady_and_on_drifting_machines) {
    EXPECT_GE((wandering_machine{0, 0}.coverage(15)), 95);
    EXPECT_GE((wandering_machine{0.5, 0}.coverage(15)), 95);
    EXPECT_GE((wandering_machine{0, 0.6}.coverage(15)), 93);
    EXPECT_GE((wandering_machine{1, 0.3}.coverage(15)), 93);
    EXPECT_GE((wandering_machine{0.5, 0.3}.coverage(7)), 95);
}

TEST(scaling_level_shift, is_found_where_it_is) {
    for (std::size_t round = 5; round <= 10; ++round) {
        std::vector<double> times = noisy(15, 100, 0.01, round);
        for (std::size_t i = round; i < times.size(); ++i) {
            times[i] *= 1.3;
        }
        const level_shift found = find_shift(series_of(times));
        EXPECT_TRUE(found.significant) << round;
        EXPECT_EQ(found.round, round);
        EXPECT_NEAR(found.ratio, 1.3, 0.03);
    }
}

// What disturbed may also end.
TEST(scaling_level_shift, to_faster_is_one_too) {
    std::vector<double> times = noisy(15, 100, 0.01, 4);
    for (std::size_t i = 0; i < 8; ++i) {
        times[i] *= 1.3;
    }
    EXPECT_TRUE(find_shift(series_of(times)).significant);
    EXPECT_LT(find_shift(series_of(times)).ratio, 0.8);
    series later = series_of(times);
    for (sample& one : later.samples) {
        one.round += 3;
    }
    EXPECT_EQ(find_shift(later).round, 8u + 3);
}

TEST(scaling_level_shift, steady_series_seldom_show_one) {
    for (const std::size_t rounds : {std::size_t{12}, std::size_t{15}, std::size_t{40}}) {
        int alarms = 0;
        constexpr int trials = 1000;
        for (std::uint64_t trial = 0; trial < trials; ++trial) {
            alarms += find_shift(series_of(noisy(rounds, 100, 0.05, trial))).significant ? 1 : 0;
        }
        EXPECT_LE(alarms, trials * 3 / 100) << rounds;
    }
}

TEST(scaling_level_shift, of_few_or_equal_samples_is_none) {
    EXPECT_FALSE(find_shift(series_of({})).significant);
    EXPECT_FALSE(find_shift(series_of({1, 1, 1, 1, 1, 9, 9, 9, 9, 9})).significant);
    EXPECT_FALSE(find_shift(series_of(std::vector<double>(15, 7.0))).significant);
    EXPECT_EQ(find_shift(series_of(std::vector<double>(15, 7.0))).ratio, 1);
}

TEST(race_head, is_found_where_the_first_values_are_at_another_level) {
    for (const std::size_t rounds : {15, 30, 100}) {
        std::vector<double> times = noisy(static_cast<unsigned>(rounds), 100, 0.01, 3);
        for (std::size_t i = 0; i < 5; ++i) {
            times[i] *= 1.2;
        }
        // The place is an estimate: the value behind the head may be high by chance.
        EXPECT_GE(unsteady_head(times), 5u) << rounds;
        EXPECT_LE(unsteady_head(times), 6u) << rounds;
    }
    EXPECT_EQ(unsteady_head({9, 9, 9, 1, 2, 3, 4, 5}), 0u); // too few to tell
}

TEST(race_head, steady_values_seldom_show_one) {
    for (const unsigned rounds : {12U, 15U, 20U, 30U, 60U, 100U}) {
        int alarms = 0;
        for (unsigned trial = 0; trial < 2000; ++trial) {
            alarms += unsteady_head(noisy(rounds, 100, 0.05, trial)) != 0 ? 1 : 0;
        }
        EXPECT_LE(alarms, 20) << rounds;
    }
}

TEST(race_head, what_all_have_in_common_is_not_cut) {
    std::vector<series> all;
    for (unsigned i = 0; i < 6; ++i) {
        std::vector<double> times = noisy(20, 100, 0.01, i);
        for (std::size_t round = 0; round < 6; ++round) {
            times[round] *= 1.5; // the machine wakes up
        }
        all.push_back(series_of(times));
    }
    for (std::size_t round = 0; round < 5; ++round) {
        all[1].samples[round].ns *= 1.3; // and this one by itself, too
    }
    cut_heads(all);
    EXPECT_EQ(all[0].cut(), 0u);
    EXPECT_EQ(all[1].cut(), 5u);
    EXPECT_EQ(all[2].cut(), 0u);
    EXPECT_EQ(all[1].usable().size(), 15u);
}

// "Samples of earlier rounds do not count": nor in a comparison.
TEST(race_head, what_is_cut_is_in_no_ratio) {
    std::vector<series> all;
    for (unsigned i = 0; i < 6; ++i) {
        all.push_back(series_of(noisy(15, 100, 0.002, i)));
    }
    for (std::size_t round = 0; round < 5; ++round) {
        all[1].samples[round].ns *= 1.5;
    }
    cut_heads(all);
    ASSERT_EQ(all[1].cut(), 5u);
    const auto ratio = paired_ratio(all[1], all[0]);
    EXPECT_EQ(ratio.count, 10u);
    EXPECT_NEAR(ratio.median, 1, 0.01);
    EXPECT_LT(ratio.high, 1.05);
}

// What was disturbed says nothing, and a round in which it was counts all the same.
TEST(race_head, is_of_clean_samples_and_ends_with_a_round) {
    std::vector<series> all;
    for (unsigned i = 0; i < 6; ++i) {
        all.push_back(series_of(noisy(20, 100, 0.002, i)));
    }
    for (std::size_t round = 0; round < 8; ++round) {
        all[1].samples[round].ns *= 1.5;
        all[2].samples[round].ns *= 1.5;
        all[1].samples[round].load.contaminated = true;
        all[2].samples[round].load.contaminated = round < 2;
    }
    cut_heads(all);
    EXPECT_EQ(all[1].settled, 0u);
    EXPECT_EQ(all[2].settled, 8u);
}

TEST(race_head, of_one_contender_alone_is_not_told_from_the_machines) {
    std::vector<double> times = noisy(20, 100, 0.01, 3);
    for (std::size_t i = 0; i < 5; ++i) {
        times[i] *= 1.5;
    }
    std::vector<series> alone{series_of(times)};
    cut_heads(alone);
    EXPECT_EQ(alone[0].settled, 0u);
}

// "The time beside the median of the others": of two, each is held against the other alone.
TEST(race_head, of_two_contenders_is_that_of_both) {
    std::vector<series> both{series_of(noisy(20, 100, 0.002, 1)),
                             series_of(noisy(20, 100, 0.002, 2))};
    for (std::size_t round = 0; round < 5; ++round) {
        both[0].samples[round].ns *= 1.3;
    }
    cut_heads(both);
    EXPECT_EQ(both[0].settled, 5u);
    EXPECT_EQ(both[1].settled, 5u);
}
