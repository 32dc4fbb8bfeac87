// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/random.hpp"
#include "sampling/verdict.hpp"
#include "scaling_samples.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace race = regatta::race;

namespace {

/// A machine with the noise of real ones: it drifts, a tail of samples takes far longer, and a
/// neighbour slows down whole stretches.
class noisy_machine {
public:
    explicit noisy_machine(std::uint64_t seed) : random_(seed) {}

    race::outcome run(double ns) {
        drift_ *= 1 + (uniform() - 0.5) * 0.02;
        stretch_ = stretch_ > 0 ? stretch_ - 1 : (uniform() < 0.02 ? 10 : 0);
        double factor = 1 + 0.02 * (uniform() + uniform() + uniform() - 1.5);
        if (uniform() < 0.15) {
            factor *= 1 + 0.1 / std::sqrt(uniform() + 1e-4); // heavy tail
        }
        return {ns * drift_ * factor * (stretch_ > 0 ? 1.3 : 1), {}};
    }

private:
    double uniform() { return static_cast<double>(random_.below(1'000'000)) / 1e6; }

    race::random_source random_;
    double drift_ = 1;
    int stretch_ = 0;
};

/// A race of b against a, with a's control; b takes `factor` times as long.
race::verdict race_once(std::uint64_t seed, double factor, unsigned rounds = 15) {
    noisy_machine machine(seed);
    std::vector<race::contender> contenders{
        {"a", [&] { return machine.run(1e6); }},
        {"b", [&] { return machine.run(1e6 * factor); }},
    };
    race::add_control(contenders, "a");
    const auto result = race::measure(contenders, {.rounds = rounds, .seed = seed});
    return race::judge(race::paired_comparison(result.of("b"), result.of("a"),
                                               result.of(race::control_name("a"))),
                       race::usual_margin)
        .word;
}

} // namespace

TEST(race_verdict, one_scheme_under_two_names_has_no_winner) {
    for (const unsigned rounds : {6u, 15u, 40u}) {
        int called = 0;
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
            const race::verdict v = race_once(seed, 1, rounds);
            called += v == race::verdict::faster || v == race::verdict::slower ? 1 : 0;
        }
        EXPECT_LT(called, 5) << "in races of " << rounds << " rounds";
    }
}

TEST(race_verdict, a_real_difference_is_seen) {
    int faster = 0;
    int slower = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        faster += race_once(seed, 0.8) == race::verdict::faster ? 1 : 0;
        slower += race_once(seed, 1.25) == race::verdict::slower ? 1 : 0;
    }
    EXPECT_GT(faster, 80);
    EXPECT_GT(slower, 80);
}

TEST(race_verdict, holds_the_whole_interval_against_the_margin) {
    EXPECT_EQ(race::judge({0.7, 0.65, 0.79, 15}, 0.25), race::verdict::faster);
    EXPECT_EQ(race::judge({0.7, 0.65, 0.81, 15}, 0.25), race::verdict::unclear);
    EXPECT_EQ(race::judge({1.5, 1.26, 1.7, 15}, 0.25), race::verdict::slower);
    EXPECT_EQ(race::judge({1.5, 1.24, 1.7, 15}, 0.25), race::verdict::unclear);
    EXPECT_EQ(race::judge({1, 0.5, 2, 15}, 0.25), race::verdict::unclear);
    EXPECT_EQ(race::judge({1, 0.81, 1.24, 15}, 0.25), race::verdict::equal);
    EXPECT_EQ(race::judge({3, 3, 3, 5}, 0.25), race::verdict::undecided);
}

TEST(race_verdict, equal_is_shown_and_not_assumed) {
    const auto judged = [](double noise, std::size_t rounds) {
        const race::series base = race::series_of(race::noisy(rounds, 100, noise, 1));
        const race::series other = race::series_of(race::noisy(rounds, 100, noise, 2));
        return race::judge(race::paired_comparison(other, base), 0.01);
    };
    EXPECT_EQ(judged(0.002, 15).word, race::verdict::equal);
    EXPECT_EQ(judged(0.002, 15).more_rounds, 0u);
    EXPECT_EQ(judged(0.05, 15).word, race::verdict::unclear);
    EXPECT_GT(judged(0.05, 15).more_rounds, 100u);
    EXPECT_EQ(judged(0.05, 15).more_rounds % 10, 0u) << "rounds up to two figures";
    EXPECT_EQ(judged(0.5, 15).more_rounds, 1000u);
    EXPECT_EQ(judged(0.002, 5).word, race::verdict::undecided);
    EXPECT_EQ(judged(0.002, 5).more_rounds, 1u);
}

// "However many contenders there are": what is shown of one alone is chance among many.
TEST(race_verdict, the_number_of_contenders_is_part_of_it) {
    const race::series base = race::series_of(race::noisy(15, 100, 0.01, 1));
    const auto beside = [&](double level, std::uint64_t seed) {
        return race::paired_comparison(race::series_of(race::noisy(15, level, 0.01, seed)), base);
    };
    std::vector<race::paired_comparison> all{beside(102.2, 3)};
    ASSERT_EQ(race::judge(all.front(), 0.01).word, race::verdict::slower);
    for (std::uint64_t seed = 10; seed < 60; ++seed) {
        all.push_back(beside(100, seed));
    }
    EXPECT_EQ(race::judge(all, 0.01).front().word, race::verdict::unclear);
    // Those that certainly differ do not count among those that may be chance.
    for (std::size_t i = 1; i < all.size(); ++i) {
        all[i] = beside(150, 10 + i);
    }
    EXPECT_EQ(race::judge(all, 0.01).front().word, race::verdict::slower);
    EXPECT_EQ(race::judge(all, 0.01).back().word, race::verdict::slower);
    EXPECT_TRUE(race::judge(std::vector<race::paired_comparison>{}, 0.01).empty());
}

TEST(race_verdict, the_floor_is_the_end_of_the_control_farthest_from_one) {
    race::sampling_result result;
    race::series base{"a", {}, {}};
    race::series control{race::control_name("a"), {}, {}};
    for (unsigned round = 0; round < 8; ++round) {
        base.samples.push_back({round, 100, {}});
        control.samples.push_back({round, 80, {}});
    }
    result.all = {base, control};
    EXPECT_NEAR(race::floor_of(result, "a").distance, 0.25, 1e-12); // 1 / 0.8
}

TEST(race_verdict, names_and_controls) {
    EXPECT_EQ(race::to_string(race::verdict::equal), "equal");
    EXPECT_EQ(race::to_string(race::verdict::unclear), "unclear");
    std::vector<race::contender> contenders{{"a", [] { return race::outcome{1, {}}; }}};
    race::add_control(contenders, "a");
    EXPECT_EQ(contenders.back().name, "a (again)");
    EXPECT_THROW(race::add_control(contenders, "z"), std::out_of_range);
}
