// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "scaling/scaling_fit.hpp"
#include "scaling_samples.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

using namespace regatta::race;

namespace {

using by_rounds = std::vector<std::optional<double>>;

by_rounds all_of(const std::vector<double>& values) {
    return {values.begin(), values.end()};
}

double usl(double p, double sigma, double kappa) {
    return p / (1 + sigma * (p - 1) + kappa * p * (p - 1));
}

/// Fifteen rounds at each number of workers, with so much relative noise.
std::vector<scaling_observation> observations(const std::vector<double>& workers, double sigma,
                                              double kappa, double noise, std::uint64_t seed = 1) {
    std::vector<scaling_observation> all;
    for (const double p : workers) {
        all.push_back({p, p == 1 ? by_rounds(15, 1.0)
                                 : all_of(noisy(15, usl(p, sigma, kappa), noise, ++seed))});
    }
    return all;
}

/// SPEC SDM91 on a Sun SPARCcenter 2000: script throughput by load.
std::vector<scaling_observation> spec_sdm91(double alone) {
    const std::vector<double> load{1, 18, 36, 72, 108, 144, 216};
    const std::vector<double> throughput{64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2};
    std::vector<scaling_observation> all;
    for (std::size_t i = 0; i < load.size(); ++i) {
        all.push_back({load[i], {throughput[i] / alone}});
    }
    return all;
}

} // namespace

TEST(scaling_fit, finds_the_terms_that_made_exact_data) {
    for (const double sigma : {0.0, 0.02, 0.3, 1.0}) {
        for (const double kappa : {0.0, 0.0001, 0.02}) {
            const scaling_fit fit = fit_scaling(observations({1, 2, 4, 8, 16}, sigma, kappa, 0));
            ASSERT_TRUE(fit.usl);
            EXPECT_NEAR(fit.usl->contention.median, sigma, 1e-9);
            EXPECT_NEAR(fit.usl->coherence.median, kappa, 1e-9);
            EXPECT_NEAR(fit.usl->residual, 0, 1e-9);
            EXPECT_EQ(fit.points, 5u);
            if (kappa == 0) {
                EXPECT_NEAR(fit.amdahl->serial_fraction.median, sigma, 1e-9);
                EXPECT_EQ(fit.preferred, scaling_law::amdahl);
            } else {
                EXPECT_EQ(fit.preferred, scaling_law::usl);
            }
        }
    }
}

TEST(scaling_fit, predicts_the_peak) {
    const scaling_fit fit = fit_scaling(observations({1, 2, 4, 8}, 0.04, 0.0024, 0));
    ASSERT_TRUE(fit.usl && fit.usl->peak_workers);
    EXPECT_NEAR(*fit.usl->peak_workers, 20, 1e-6);
    EXPECT_NEAR(*fit.usl->peak_speedup, usl(20, 0.04, 0.0024), 1e-6);
    EXPECT_LT(fit.usl->speedup(19), *fit.usl->peak_speedup);
    EXPECT_LT(fit.usl->speedup(21), *fit.usl->peak_speedup);
}

TEST(scaling_fit, where_nothing_is_lost_there_is_no_peak) {
    const scaling_fit fit = fit_scaling(observations({1, 2, 4}, 0, 0, 0));
    EXPECT_EQ(fit.usl->coherence.median, 0);
    EXPECT_FALSE(fit.usl->peak_workers);
    EXPECT_NEAR(fit.amdahl->speedup(64), 64, 1e-9);
}

// A speed-up above the number of workers would need terms below 0, which mean nothing.
TEST(scaling_fit, keeps_the_terms_in_their_range) {
    const scaling_fit above = fit_scaling({{1, {1}}, {2, {2.5}}, {4, {6}}});
    EXPECT_EQ(above.amdahl->serial_fraction.median, 0);
    EXPECT_EQ(above.usl->contention.median, 0);
    EXPECT_EQ(above.usl->coherence.median, 0);
    const scaling_fit below = fit_scaling({{1, {1}}, {2, {0.5}}, {4, {0.4}}});
    EXPECT_EQ(below.amdahl->serial_fraction.median, 1);
    EXPECT_LE(below.usl->contention.median, 1);
    EXPECT_GE(below.usl->coherence.median, 0);
}

TEST(scaling_fit, pairs_of_workers_never_gain_anything) {
    // Two workers lose more than four: without bounds κ would be below 0.
    const scaling_fit fit =
        fit_scaling({{1, by_rounds(15, 1.0)}, {2, by_rounds(15, 1.7)}, {4, by_rounds(15, 3.6)}});
    EXPECT_EQ(fit.usl->coherence.median, 0);
    EXPECT_GT(fit.usl->contention.median, 0);
    EXPECT_FALSE(fit.usl->peak_workers);
}

// With the speed-ups taken against the capacity that R's package usl estimates (89.995) it
// publishes σ = 0.0277 ± 0.0091, κ = 0.0001044 ± 0.0000199 and a peak of 1884 at a load of 96.5.
TEST(scaling_fit, agrees_with_the_published_fit_of_spec_sdm91) {
    const scaling_fit fit = fit_scaling(spec_sdm91(89.9952));
    EXPECT_NEAR(fit.usl->contention.median, 0.02773, 0.0009);
    EXPECT_NEAR(fit.usl->coherence.median, 0.0001044, 0.000005);
    EXPECT_NEAR(*fit.usl->peak_workers, 96.5, 3);
    EXPECT_NEAR(*fit.usl->peak_speedup * 89.9952, 1884, 10);
}

// Against the throughput measured at a load of 1 an older version of it publishes
// σ = 0.01705 ± 0.00332 and κ = 0.0000789 ± 0.0000249.
TEST(scaling_fit, agrees_with_the_published_fit_from_the_measured_baseline) {
    const scaling_fit fit = fit_scaling(spec_sdm91(64.9));
    EXPECT_NEAR(fit.usl->contention.median, 0.01705, 2 * 0.00332);
    EXPECT_NEAR(fit.usl->coherence.median, 0.0000789, 2 * 0.0000249);
}

TEST(scaling_fit, intervals_hold_the_terms_that_made_noisy_data) {
    int serial = 0;
    int contention = 0;
    int coherence = 0;
    constexpr int trials = 60;
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
        const auto holds = [](const estimate& one, double truth) {
            return one.low <= truth && truth <= one.high ? 1 : 0;
        };
        const auto observed = observations({1, 2, 3, 4, 6, 8}, 0.05, 0.002, 0.02, trial * 100);
        const scaling_fit fit = fit_scaling(observed, trial);
        contention += holds(fit.usl->contention, 0.05);
        coherence += holds(fit.usl->coherence, 0.002);
        const auto amdahl = observations({1, 2, 4}, 0.08, 0, 0.02, trial * 100 + 50);
        serial += holds(fit_scaling(amdahl, trial).amdahl->serial_fraction, 0.08);
    }
    for (const int held : {serial, contention, coherence}) {
        EXPECT_GE(held, trials * 85 / 100);
    }
}

// "Stretched as far as the values of neighbouring rounds resemble each other."
TEST(scaling_fit, intervals_hold_the_terms_where_rounds_resemble_their_neighbours) {
    constexpr int trials = 300;
    normal_source normal(11);
    const auto wandering = [&] { // logarithms, alike by 0.6 from round to round
        std::vector<double> logs{0.02 * normal.next()};
        while (logs.size() < 15) {
            logs.push_back(0.6 * logs.back() + 0.8 * 0.02 * normal.next());
        }
        return logs;
    };
    int held = 0;
    int slow_down = 0; // with more workers, as it seems
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<scaling_observation> observed;
        const std::vector<double> alone = wandering();
        for (const double p : {2.0, 3.0, 4.0, 8.0}) {
            const std::vector<double> together = wandering();
            scaling_observation& one = observed.emplace_back(p, by_rounds{});
            for (std::size_t i = 0; i < alone.size(); ++i) {
                one.speedups.push_back(usl(p, 0.05, 0) * std::exp(alone[i] - together[i]));
            }
        }
        const scaling_fit fit = fit_scaling(observed);
        const estimate& serial = fit.amdahl->serial_fraction;
        held += serial.low <= 0.05 && 0.05 <= serial.high ? 1 : 0;
        slow_down += fit.preferred == scaling_law::usl ? 1 : 0;
    }
    EXPECT_GE(held, trials * 85 / 100);
    EXPECT_LE(slow_down, trials * 6 / 100);
}

TEST(scaling_fit, of_two_counts_is_amdahls_law_alone_and_of_one_none) {
    const scaling_fit two = fit_scaling({{1, {1, 1}}, {2, {1.9, 1.8}}});
    EXPECT_TRUE(two.amdahl);
    EXPECT_FALSE(two.usl);
    EXPECT_EQ(two.preferred, scaling_law::amdahl);
    EXPECT_EQ(two.points, 2u);
    EXPECT_NEAR(two.amdahl->speedup(2), 1.85, 1e-9);
    const scaling_fit one = fit_scaling({{1, {1, 1}}});
    EXPECT_FALSE(one.amdahl);
    EXPECT_EQ(one.preferred, scaling_law::none);
    EXPECT_EQ(fit_scaling({}).points, 0u);
    // A count of which nothing was measured is none.
    EXPECT_FALSE(fit_scaling({{1, {1}}, {2, {}}}).amdahl);
}

TEST(scaling_fit, a_law_that_is_far_off_is_not_preferred) {
    const auto rounds_of = [](double speedup) { return by_rounds(15, speedup); };
    const scaling_fit zigzag = fit_scaling(
        {{1, rounds_of(1)}, {2, rounds_of(1.9)}, {4, rounds_of(1.2)}, {8, rounds_of(5)}});
    EXPECT_GT(zigzag.amdahl->residual, 0.3);
    EXPECT_EQ(zigzag.preferred, scaling_law::none);
    // Slower than one worker, by little and by much.
    for (const double speedup : {0.97, 0.5}) {
        EXPECT_EQ(fit_scaling({{1, rounds_of(1)}, {2, rounds_of(speedup)}}).preferred,
                  scaling_law::none);
    }
    const scaling_fit falls =
        fit_scaling({{1, rounds_of(1)}, {2, rounds_of(0.75)}, {4, rounds_of(0.5)}});
    EXPECT_FALSE(falls.amdahl->describes);
    EXPECT_EQ(falls.preferred, scaling_law::usl);
    // What the noise may do is no reason against a law.
    EXPECT_EQ(fit_scaling({{1, rounds_of(1)}, {2, rounds_of(1.9)}, {4, rounds_of(2.1)}}, 1, 0.4)
                  .amdahl->describes,
              true);
}

// With 2 terms any 3 points lie on the curve.
TEST(scaling_fit, too_few_rounds_tell_no_coherence) {
    const scaling_fit few = fit_scaling({{1, {1, 1}}, {2, {1.9, 1.9}}, {4, {3.4, 3.4}}});
    EXPECT_GT(few.usl->coherence.low, 0);
    EXPECT_EQ(few.preferred, scaling_law::amdahl);
}

TEST(scaling_fit, is_the_same_for_the_same_seed) {
    const auto observed = observations({1, 2, 4, 8}, 0.1, 0.003, 0.05);
    const scaling_fit first = fit_scaling(observed, 7);
    const scaling_fit again = fit_scaling(observed, 7);
    EXPECT_EQ(first.usl->contention.low, again.usl->contention.low);
    EXPECT_EQ(first.usl->coherence.high, again.usl->coherence.high);
    EXPECT_EQ(first.usl->contention.count, 15u);
}

// A count of which rounds were dropped has fewer speed-ups than another.
TEST(scaling_fit, takes_counts_with_fewer_rounds) {
    auto observed = observations({1, 2, 4}, 0.1, 0.01, 0.01);
    observed[1].speedups.resize(4);
    const scaling_fit fit = fit_scaling(observed);
    EXPECT_NEAR(fit.usl->contention.median, 0.1, 0.05);
    EXPECT_EQ(fit.usl->contention.count, 4u);
}

// "A round is drawn for all worker counts at once, since they share its baseline": where that alone
// wanders, all counts wander together, and what sets them apart is known the better.
TEST(scaling_fit, pairs_the_rounds_of_counts_of_which_some_were_dropped) {
    normal_source normal(5);
    std::vector<double> alone; // logarithms
    for (int round = 0; round < 40; ++round) {
        alone.push_back(0.05 * normal.next());
    }
    const auto width_of = [&](std::size_t dropped_first) {
        std::vector<scaling_observation> observed;
        for (const double p : {2.0, 4.0}) {
            by_rounds& mine = observed.emplace_back(p, by_rounds{}).speedups;
            for (std::size_t round = 0; round < alone.size(); ++round) {
                const bool dropped = p == 4 && round < dropped_first;
                mine.push_back(dropped ? std::nullopt
                                       : std::optional(usl(p, 0.1, 0.1) * std::exp(alone[round])));
            }
        }
        const scaling_fit fit = fit_scaling(observed);
        EXPECT_EQ(fit.usl->coherence.count, alone.size() - dropped_first);
        return fit.usl->coherence.high - fit.usl->coherence.low;
    };
    // One more round that was dropped moves the places of all that follow, and no pair.
    EXPECT_NEAR(width_of(1), width_of(0), 0.6 * width_of(0));
}
