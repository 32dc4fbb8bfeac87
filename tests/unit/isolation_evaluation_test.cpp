// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "isolation/isolation_evaluation.hpp"
#include "isolation_results.hpp"
#include "scaling_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

using namespace regatta::race;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(isolation_cause, a_third_of_the_difference_counts) {
    EXPECT_EQ(cause_of(100, 0), cause::displaced);
    EXPECT_EQ(cause_of(0, 100), cause::slower);
    EXPECT_EQ(cause_of(50, 50), cause::both);
    EXPECT_EQ(cause_of(70, 30), cause::displaced);
    EXPECT_EQ(cause_of(60, 40), cause::both);
    EXPECT_EQ(cause_of(30, 70), cause::slower);
    EXPECT_EQ(cause_of(100, -20), cause::displaced);
    EXPECT_EQ(cause_of(0, 0), cause::none);
    EXPECT_EQ(cause_of(-5, -5), cause::none);
}

TEST(isolation_evaluation, pinned_beside_hostile_noise_is_displaced) {
    const auto result = fakes::under_hostile_noise().finish();
    const mode_result& pinned = result.of(isolation_mode::pinned);
    EXPECT_NEAR(pinned.slowdown.median, 2.99, 0.03);
    EXPECT_LT(pinned.slowdown.low, pinned.slowdown.high);
    EXPECT_NEAR(pinned.cpu_share.median, 0.334, 0.005);
    EXPECT_NEAR(pinned.work_cost.median, 1, 0.02);
    EXPECT_NEAR(pinned.displaced.median, 380e6, 6e6);
    EXPECT_NEAR(pinned.slower.median, 0, 2e6);
    EXPECT_EQ(pinned.involuntary_switches.median, 48);
    ASSERT_TRUE(pinned.run_delay);
    EXPECT_NEAR(pinned.run_delay->median, 380e6, 6e6);
    EXPECT_EQ(pinned.word, verdict::slower);
    EXPECT_EQ(pinned.why, cause::displaced);
}

TEST(isolation_evaluation, owned_cpus_are_as_good_as_alone) {
    const auto result = fakes::under_hostile_noise().finish();
    const mode_result& owned = result.of(isolation_mode::exclusive);
    EXPECT_LE(owned.slowdown.median, 1.05);
    EXPECT_GE(owned.cpu_share.median, 0.95);
    EXPECT_EQ(owned.word, verdict::equal);
    EXPECT_EQ(owned.why, cause::none);
    EXPECT_EQ(result.of(isolation_mode::alone).word, verdict::baseline);
    EXPECT_EQ(result.of(isolation_mode::alone).why, cause::none);
    EXPECT_EQ(result.of(isolation_mode::alone).slowdown.median, 1);
}

// "In 95 of 100 races none is called that is not there, however many contenders there are."
TEST(isolation_evaluation, of_three_modes_at_the_margin_one_is_seldom_called_slower) {
    constexpr int experiments = 1000;
    normal_source normal(4);
    int called = 0;
    for (int i = 0; i < experiments; ++i) {
        auto maker = fakes::under_hostile_noise();
        const auto redraw = [&](series& one, double level) {
            for (sample& each : one.samples) {
                each.ns = level * std::exp(0.1 * normal.next());
            }
        };
        for (mode_result& mode : maker.result.modes) {
            redraw(mode.measured, mode.mode == isolation_mode::alone ? 1e8 : 1.01e8);
        }
        redraw(maker.result.control, 1e8);
        const auto result = maker.finish();
        called += std::ranges::any_of(result.modes,
                                      [](const mode_result& mode) { return differs(mode.word); });
    }
    EXPECT_LE(called, experiments * 5 / 100);
}

TEST(isolation_evaluation, who_keeps_the_cpu_and_takes_longer_is_slower) {
    const auto result = fakes::of_the_article().finish();
    for (const auto mode :
         {isolation_mode::unpinned, isolation_mode::pinned, isolation_mode::exclusive}) {
        EXPECT_EQ(result.of(mode).why, cause::slower) << to_string(mode);
        EXPECT_GT(result.of(mode).cpu_share.median, 0.9);
    }
    EXPECT_NEAR(result.of(isolation_mode::unpinned).work_cost.median, 1.75, 0.02);
    EXPECT_NEAR(result.of(isolation_mode::exclusive).work_cost.median, 1.19, 0.02);
    // The differences are those of one worker, not the sums of five.
    EXPECT_NEAR(result.of(isolation_mode::pinned).slower.median, 3760e6, 60e6);
}

TEST(isolation_evaluation, contaminated_samples_do_not_count) {
    auto maker = fakes::under_hostile_noise();
    mode_result& owned = maker.result.of(isolation_mode::exclusive);
    for (const std::size_t i : {2u, 5u, 9u}) {
        owned.measured.samples[i].load.contaminated = true;
        owned.measured.samples[i].ns = 900e6;
        owned.runs[i].worker_wall_ns = 900e6;
    }
    const auto result = maker.finish();
    EXPECT_EQ(result.of(isolation_mode::exclusive).slowdown.count, 12u);
    EXPECT_LE(result.of(isolation_mode::exclusive).slowdown.high, 1.05);
    EXPECT_NEAR(result.contaminated, 3.0 / 75, 1e-9);
    EXPECT_THAT(result.notes, IsEmpty());
}

TEST(isolation_evaluation, a_mode_without_a_clean_sample_is_used_but_gets_no_verdict) {
    auto maker = fakes::under_hostile_noise();
    for (sample& one : maker.result.of(isolation_mode::pinned).measured.samples) {
        one.load.contaminated = true;
    }
    const auto result = maker.finish();
    const mode_result& pinned = result.of(isolation_mode::pinned);
    EXPECT_NEAR(pinned.slowdown.median, 2.99, 0.03);
    EXPECT_EQ(pinned.word, verdict::undecided);
    EXPECT_EQ(pinned.why, cause::displaced);
    EXPECT_THAT(result.notes, ElementsAre(HasSubstr("every sample of pinned was disturbed")));
}

TEST(isolation_evaluation, a_mode_that_cannot_be_had_does_not_keep_the_others_back) {
    fakes::isolation_maker maker;
    maker.add(isolation_mode::alone, 191, 191)
        .add(isolation_mode::pinned, 571, 191)
        .refuse(isolation_mode::exclusive, "no root");
    const auto result = maker.finish();
    EXPECT_EQ(result.of(isolation_mode::pinned).why, cause::displaced);
    EXPECT_EQ(result.of(isolation_mode::exclusive).slowdown.count, 0u);
    EXPECT_FALSE(result.of(isolation_mode::exclusive).ran());
    EXPECT_FALSE(result.of(isolation_mode::unpinned).ran());
}

TEST(isolation_evaluation, without_alone_nothing_is_compared) {
    fakes::isolation_maker maker;
    maker.add(isolation_mode::pinned, 571, 191);
    const auto result = maker.finish();
    EXPECT_NEAR(result.of(isolation_mode::pinned).cpu_share.median, 0.334, 0.005);
    EXPECT_EQ(result.of(isolation_mode::pinned).slowdown.count, 0u);
    EXPECT_EQ(result.of(isolation_mode::pinned).why, cause::none);
}

TEST(isolation_evaluation, a_kernel_without_run_delays_leaves_them_out) {
    auto maker = fakes::under_hostile_noise();
    maker.result.of(isolation_mode::pinned).runs[3].run_delay_ns.reset();
    EXPECT_FALSE(maker.finish().of(isolation_mode::pinned).run_delay);
}

namespace {

/// Beside the load that is there: during each sample of a mode others used so many CPUs.
fakes::isolation_maker beside_others(double alone, double pinned, double exclusive) {
    fakes::isolation_maker maker;
    maker.result.noise = {noise_kind::none, 0};
    maker.add(isolation_mode::alone, 100, 100)
        .add(isolation_mode::pinned, 200, 100)
        .add(isolation_mode::exclusive, 100, 100);
    const auto load = [&](isolation_mode mode, double cpus) {
        for (sample& one : maker.result.of(mode).measured.samples) {
            one.load.others_ns = static_cast<std::int64_t>(cpus * one.ns);
        }
    };
    load(isolation_mode::alone, alone);
    load(isolation_mode::pinned, pinned);
    load(isolation_mode::exclusive, exclusive);
    return maker;
}

} // namespace

TEST(isolation_evaluation, loads_that_differ_by_more_than_a_fifth_are_named_with_their_modes) {
    const auto result = beside_others(1.5, 1.0, 1.1).finish();
    EXPECT_NEAR(result.of(isolation_mode::alone).others.median, 1.5, 0.001);
    EXPECT_THAT(result.notes,
                ElementsAre(AllOf(HasSubstr("1.50 CPUs during alone and 1.00 CPUs during pinned"),
                                  HasSubstr("more than 20 %"))));
}

TEST(isolation_evaluation, loads_within_a_fifth_or_next_to_nothing_are_alike) {
    EXPECT_THAT(beside_others(1.19, 1.0, 1.1).finish().notes, IsEmpty());
    EXPECT_THAT(beside_others(0.04, 0.001, 0).finish().notes, IsEmpty());
}

TEST(isolation_evaluation, user_and_system_time_are_those_of_all_workers) {
    fakes::isolation_maker maker;
    maker.result.workers = 4;
    maker.add(isolation_mode::alone, 100, 80);
    const auto result = maker.finish();
    const mode_result& alone = result.of(isolation_mode::alone);
    EXPECT_NEAR(alone.user.median, 4 * 60e6, 4e6);
    EXPECT_NEAR(alone.system.median, 4 * 20e6, 2e6);
    EXPECT_TRUE(alone.migrations);
}

TEST(isolation_evaluation, what_is_not_known_of_a_program_is_left_out) {
    auto maker = fakes::under_hostile_noise();
    for (team_figures& run : maker.result.of(isolation_mode::pinned).runs) {
        run.migrations.reset();
    }
    const auto result = maker.finish();
    EXPECT_FALSE(result.of(isolation_mode::pinned).migrations);
    EXPECT_TRUE(result.of(isolation_mode::alone).migrations);
}

// "One that uses more CPUs alone than `--workers` gives it is noted"
TEST(isolation_evaluation, a_program_that_uses_more_cpus_than_it_is_given_is_noted) {
    for (const double cpu_ms : {100.0, 194.0}) {
        SCOPED_TRACE(cpu_ms);
        fakes::isolation_maker maker;
        maker.result.program = {"mine"};
        maker.add(isolation_mode::alone, 100, cpu_ms).add(isolation_mode::pinned, 600, cpu_ms);
        const auto result = maker.finish();
        if (cpu_ms > 100) {
            EXPECT_THAT(result.notes, ElementsAre(AllOf(HasSubstr("used 1.94 CPUs alone"),
                                                        HasSubstr("--workers"))));
        } else {
            EXPECT_THAT(result.notes, IsEmpty());
        }
    }
}
