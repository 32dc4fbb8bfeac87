// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Speed-ups above what can be, and the causes that are told of them.

#include "scaling_made_up.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace regatta::race;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using kind = scale_warning_kind;

// Four workers 4.61 times as fast as one: measured while the clock was low.
TEST_F(made_up_scale, super_linear_by_the_clock) {
    for (clock_sample& one : evidence.clocks[0]) {
        one.hz = 2.2e9;
    }
    add(2, 2.0 * 1.15, 2.53e9);
    add(4, 4.61, 2.6e9);
    evaluate();
    EXPECT_THAT(warning(kind::super_linear, 4), HasSubstr("4.61"));
    EXPECT_THAT(warning(kind::super_linear, 4), HasSubstr("2.60 GHz with 4 workers and 2.20 GHz"));
    EXPECT_THAT(warning(kind::super_linear, 4), HasSubstr("leaves a speed-up of 3.90"));
    EXPECT_NE(warning(kind::super_linear, 2), "");
    EXPECT_THAT(warning(kind::clock_changed, 4), HasSubstr("would be 3.90, not 4.61"));
}

TEST_F(made_up_scale, a_clock_within_its_precision_is_no_cause_of_a_super_linear_speedup) {
    add(4, 4.61, 3.03e9);
    evaluate();
    EXPECT_THAT(warning(kind::super_linear, 4), Not(HasSubstr("the clock was")));
}

// Items that sleep, as requests that wait for an answer: 16 of them wait at once on four CPUs.
TEST_F(made_up_scale, super_linear_by_items_that_wait) {
    for (sample& one : result.points.front().measured.samples) {
        one.details = run_details{{.items_ns = 1e6, .preempted_ns = 49e6}, {}, {}};
    }
    add(16, 15.5);
    evaluate();
    EXPECT_TRUE(result.items_wait);
    EXPECT_DOUBLE_EQ(result.points.front().item_cpu_share.value_or(0), 0.02);
    EXPECT_FALSE(result.points.back().item_cpu_share);
    EXPECT_THAT(warning(kind::super_linear, 16),
                HasSubstr("its items had a CPU for 2 % of their time: they wait for something"));
    EXPECT_THAT(warning(kind::oversubscribed, 16), HasSubstr("those run whose items do not wait"));
    for (sample& one : result.points.front().measured.samples) { // As much as others may take.
        one.details = run_details{{.items_ns = 20e6, .preempted_ns = 1e6}, {}, {}};
    }
    result.warnings.clear();
    evaluate();
    EXPECT_THAT(warning(kind::super_linear, 16), Not(HasSubstr("they wait for something")));
    EXPECT_THAT(warning(kind::oversubscribed, 16), HasSubstr("they wait for one another"));
}

// Where nobody can see others, half a CPU may be all that they left it.
TEST_F(made_up_scale, half_a_cpu_is_no_waiting_where_others_cannot_be_seen) {
    const auto waits = [&](bool measurable) {
        for (sample& one : result.points.front().measured.samples) {
            one.details = run_details{{.items_ns = 25e6, .preempted_ns = 25e6}, {}, {}};
            one.load.measurable = measurable;
        }
        evaluate();
        return result.items_wait;
    };
    EXPECT_TRUE(waits(true));
    EXPECT_FALSE(waits(false));
}

// The speed-ups are paired within the rounds, so what was before and after them explains none.
TEST_F(made_up_scale, a_slow_run_before_the_rounds_is_no_cause_of_a_super_linear_speedup) {
    add(4, 4.61);
    evidence.before = series_of(noisy(3, 1.3 * alone_ns, noise, 5));
    evaluate();
    EXPECT_THAT(warning(kind::super_linear, 4), HasSubstr("nor a slow part of the rounds"));
    EXPECT_THAT(warning(kind::baseline_drifted, 1), HasSubstr("0.77"));
}

namespace {

/// 15 rounds, of which the first 10 take so many times as long.
series slow_at_first(series all, double times) {
    for (unsigned i = 0; i < 10; ++i) {
        all.samples[i].ns *= times;
    }
    return all;
}

} // namespace

TEST_F(made_up_scale, super_linear_by_slow_rounds) {
    add(4, 4.1); // Possible within the tolerance of a cause.
    result.points.front().measured = slow_at_first(result.points.front().measured, 1.3);
    result.control = slow_at_first(result.control, 1.3);
    evaluate();
    EXPECT_THAT(warning(kind::super_linear, 4),
                HasSubstr("from round 11 on 1 worker took 0.77 times as long as before"));
}

TEST_F(made_up_scale, rounds_that_were_a_little_slow_are_no_cause_of_a_large_speedup) {
    add(4, 4.61);
    result.points.front().measured = slow_at_first(result.points.front().measured, 1.06);
    evaluate();
    EXPECT_THAT(warning(kind::super_linear, 4), Not(HasSubstr("as long as before")));
}

// Runs that others disturbed are dropped, so they explain nothing, unless there are no others.
TEST_F(made_up_scale, disturbed_runs_that_do_not_count_are_no_cause_of_a_super_linear_speedup) {
    add(4, 4.61);
    result.points.front().measured = disturbed_in(result.points.front().measured, 0, 5);
    evaluate();
    EXPECT_THAT(warning(kind::super_linear, 4), Not(HasSubstr("others slowed down")));
    result.points.front().measured = disturbed_in(result.points.front().measured, 0, rounds);
    result.warnings.clear();
    evaluate();
    EXPECT_THAT(warning(kind::super_linear, 4), HasSubstr("others slowed down 1 worker in all"));
}

TEST_F(made_up_scale, super_linear_by_the_caches) {
    scale_point& four = add(4, 5);
    four.latency.clear();
    for (int i = 0; i < 1500; ++i) {
        four.latency.record(780'000);
    }
    evaluate();
    EXPECT_THAT(warning(kind::super_linear, 4),
                AllOf(HasSubstr("fits its own caches"), HasSubstr(", at the same clock: ")));
    for (clock_sample& one : evidence.clocks[1]) {
        one.hz = 2.8e9;
    }
    result.warnings.clear();
    evaluate();
    EXPECT_THAT(warning(kind::super_linear, 4),
                AllOf(HasSubstr("fits its own caches"), Not(HasSubstr("at the same clock"))));
    evidence.clocks[1].clear();
    result.warnings.clear();
    evaluate();
    EXPECT_THAT(warning(kind::super_linear, 4),
                AllOf(HasSubstr("fits its own caches"), Not(HasSubstr("at the same clock"))));
}

TEST_F(made_up_scale, super_linear_beyond_the_cpus_and_without_a_cause) {
    add(8, 4.8);
    evaluate();
    EXPECT_THAT(warning(kind::super_linear, 8), HasSubstr("is more than 4"));
    EXPECT_THAT(warning(kind::super_linear, 8), HasSubstr("do not trust"));
}

// Short runs end before the quota holds them back.
TEST_F(made_up_scale, super_linear_beyond_a_quota) {
    add(8, 4.6);
    result.quota_limits = true;
    evaluate();
    EXPECT_THAT(
        warning(kind::super_linear, 8),
        AllOf(HasSubstr("a quota grants the time of at most 4 CPUs"), Not(HasSubstr("trust"))));
}

// No period of a quota is longer than a second.
TEST_F(made_up_scale, a_quota_is_no_cause_of_a_speedup_of_long_runs) {
    add(8, 4.6);
    result.quota_limits = true;
    for (series* one : {&result.points[0].measured, &result.points[1].measured, &result.control,
                        &evidence.before, &evidence.after}) {
        for (sample& each : one->samples) {
            each.ns *= 50;
        }
    }
    evaluate();
    EXPECT_THAT(warning(kind::super_linear, 8),
                AllOf(Not(HasSubstr("a quota grants")), HasSubstr("do not trust")));
}

TEST_F(made_up_scale, within_the_noise_nothing_is_super_linear) {
    add(2, 2.003);
    add(4, 4);
    evaluate();
    EXPECT_EQ(warning(kind::super_linear, 2), "");
    EXPECT_EQ(warning(kind::super_linear, 4), "");
}

// An unknown noise floor is not in the interval.
TEST_F(made_up_scale, without_a_noise_floor_super_linear_takes_five_percent) {
    add(2, 2.03);
    add(4, 4.3);
    evaluate();
    EXPECT_NE(warning(kind::super_linear, 2), "");
    result.control = disturbed_in(result.control, 0, rounds);
    result.warnings.clear();
    evaluate();
    EXPECT_EQ(warning(kind::super_linear, 2), "");
    EXPECT_NE(warning(kind::super_linear, 4), "");
}

TEST_F(made_up_scale, too_few_rounds_have_no_interval_to_tell) {
    add(4, 4.61);
    keep_rounds(2);
    evaluate();
    EXPECT_THAT(warning(kind::super_linear, 4), StartsWith("a speed-up of 4."));
    EXPECT_THAT(warning(kind::super_linear, 4), Not(HasSubstr(" (")));
}
