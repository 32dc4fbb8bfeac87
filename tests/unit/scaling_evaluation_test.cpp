// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "scaling_made_up.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

using namespace regatta::race;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using kind = scale_warning_kind;

TEST_F(made_up_scale, tells_rates_speedups_and_efficiency) {
    add(2, 1.9);
    add(4, 3.6);
    evaluate();
    EXPECT_TRUE(result.warnings.empty()) << result.warnings.front().text;
    const scale_point& one = result.points[0];
    EXPECT_NEAR(one.events_per_second.median, 1000, 5);
    EXPECT_LT(one.events_per_second.low, one.events_per_second.median);
    EXPECT_GT(one.events_per_second.high, one.events_per_second.median);
    EXPECT_EQ(one.speedup.median, 1);
    EXPECT_EQ(one.word, verdict::baseline);
    const scale_point& four = *result.find(4);
    EXPECT_NEAR(four.speedup.median, 3.6, 0.03);
    EXPECT_LT(four.speedup.low, 3.6);
    EXPECT_GT(four.speedup.high, 3.6);
    EXPECT_NEAR(four.efficiency.median, 0.9, 0.01);
    EXPECT_EQ(four.word, verdict::faster);
    EXPECT_EQ(*four.clock_hz, 3e9);
    EXPECT_NEAR(result.baseline_drift.median, 1, 0.01);
    ASSERT_TRUE(result.fit.usl);
    EXPECT_EQ(result.fit.points, 3u);
    EXPECT_FALSE(result.disturbed());
}

// Times that drift have a wide interval; that of the rate still holds the rate.
TEST_F(made_up_scale, a_drift_leaves_the_rate_within_its_interval) {
    std::vector<double> times;
    for (unsigned round = 1; round <= rounds; ++round) {
        times.push_back(alone_ns * round);
    }
    add(2, 1.9).measured = series_of(times);
    evaluate();
    const estimate& rate = result.points[1].events_per_second;
    EXPECT_GT(result.points[1].time.low, 0);
    EXPECT_LT(rate.low, rate.median);
    EXPECT_GT(rate.high, rate.median);
}

TEST_F(made_up_scale, throughput_is_in_the_units_of_the_work) {
    result.units_a_run = 25; // GFLOP
    evaluate();
    EXPECT_NEAR(result.points[0].throughput.median, 250, 2);
}

TEST_F(made_up_scale, more_workers_than_cpus_are_no_part_of_the_fit) {
    add(2, 1.9);
    add(8, 3.5);
    evaluate();
    EXPECT_EQ(result.fit.points, 2u);
    EXPECT_THAT(warning(kind::oversubscribed, 8), HasSubstr("share 4 CPUs"));
    EXPECT_EQ(warning(kind::oversubscribed, 2), "");
}

// The schema's "share": 0 to 1. `regatta advise` refuses a file with more.
TEST_F(made_up_scale, others_have_no_more_than_all_of_the_time) {
    add(2, 1.9);
    for (sample& one : result.points[0].measured.samples) {
        one.load.available_ns = 1000;
        one.load.others_ns = one.load.stolen_ns = 1004;
    }
    evaluate();
    EXPECT_EQ(result.foreign, 1);
    EXPECT_EQ(result.stolen, 1);
}

TEST_F(made_up_scale, others_that_the_meter_saw_make_it_disturbed) {
    add(2, 1.9);
    result.points[0].measured = disturbed_in(result.points[0].measured, 8, rounds);
    result.points[1].measured = disturbed_in(result.points[1].measured, 8, rounds);
    result.control = disturbed_in(result.control, 8, rounds);
    evaluate();
    EXPECT_TRUE(result.disturbed());
    EXPECT_NEAR(result.contaminated, 7.0 / 15, 1e-9);
    EXPECT_NEAR(result.foreign, 7 * 500.0 / (7 * 1000), 1e-9);
    EXPECT_EQ(result.stolen, 0);
    EXPECT_THAT(warning(kind::disturbed),
                AllOf(HasSubstr("47 % of the runs"), HasSubstr("those runs do not count")));
    EXPECT_EQ(result.find(2)->speedup.count, 8u); // the others do not count
}

TEST_F(made_up_scale, runs_that_are_used_nevertheless_are_not_said_to_be_dropped) {
    EXPECT_EQ(last_of_all_disturbed(), "every run with 1 worker was disturbed by others; "
                                       "they were used nevertheless: do not trust these "
                                       "figures");
    EXPECT_THAT(warning(kind::disturbed),
                AllOf(HasSubstr("100 % of the runs"), Not(HasSubstr("do not count")),
                      HasSubstr("quiet the machine")));
}

TEST_F(made_up_scale, several_counts_without_a_clean_run_are_named) {
    add(2, 1.9);
    EXPECT_THAT(last_of_all_disturbed(), HasSubstr("every run with 1, 2 workers was"));
}

TEST_F(made_up_scale, a_few_disturbed_runs_are_dropped_without_a_word) {
    add(2, 1.9);
    result.points[1].measured = disturbed_in(result.points[1].measured, 3, 5);
    evaluate();
    EXPECT_FALSE(result.disturbed());
    EXPECT_EQ(result.find(2)->speedup.count, 13u);
}

TEST_F(made_up_scale, nothing_is_concluded_where_all_was_disturbed) {
    add(2, 1.9);
    for (scale_point& point : result.points) {
        point.measured = disturbed_in(point.measured, 0, rounds);
    }
    result.control = disturbed_in(result.control, 0, rounds);
    evaluate();
    EXPECT_TRUE(result.disturbed());
    EXPECT_EQ(result.find(1)->speedup.count, 0u);
    EXPECT_EQ(result.find(2)->speedup.count, 0u);
    EXPECT_GT(result.find(2)->speedup.median, 0); // for the eye
    EXPECT_EQ(result.fit.points, 0u);
    EXPECT_EQ(warning(kind::super_linear, 2), "");
}

// "No speed-up is known better than one worker from its control": here the control is not known.
TEST_F(made_up_scale, without_a_clean_control_there_is_no_verdict) {
    add(2, 1.06);
    evaluate();
    EXPECT_EQ(result.find(2)->word, verdict::faster);
    result.control = disturbed_in(result.control, 0, rounds);
    evaluate();
    EXPECT_EQ(result.find(2)->word, verdict::undecided);
}

// Where the load meter is blind: in a container, or a neighbour on the same core.
TEST_F(made_up_scale, others_that_only_the_times_show_make_it_disturbed) {
    scale_point& two = add(2, 1.9);
    for (unsigned i = 8; i < rounds; ++i) {
        two.measured.samples[i].ns *= 1.5;
    }
    evaluate();
    EXPECT_TRUE(result.disturbed());
    EXPECT_THAT(warning(kind::disturbed, 2), HasSubstr("from round 9 of 15 on"));
}

TEST_F(made_up_scale, a_clock_that_fell_is_no_disturbance) {
    scale_point& two = add(2, 1.9);
    for (unsigned i = 10; i < rounds; ++i) {
        two.measured.samples[i].ns *= 1.5;
        evidence.clocks[1][i].hz = 2e9;
    }
    evaluate();
    EXPECT_FALSE(result.disturbed());
    EXPECT_THAT(warning(kind::clock_changed, 2), HasSubstr("from 3.00 GHz to 2.00 GHz"));
}

// 1.3 % of the clock do not explain 6 % of the time.
TEST_F(made_up_scale, a_clock_that_hardly_moved_does_not_explain_a_change_of_level) {
    scale_point& two = add(2, 1.9);
    for (unsigned i = 8; i < rounds; ++i) {
        two.measured.samples[i].ns *= 1.06;
        evidence.clocks[1][i].hz = 2.96e9;
    }
    evaluate();
    EXPECT_EQ(warning(kind::clock_changed, 2), "");
    EXPECT_THAT(warning(kind::disturbed, 2), HasSubstr("which the clock does not explain"));
}

TEST_F(made_up_scale, a_clock_is_that_of_the_rounds_before_and_after_the_change) {
    scale_point& two = add(2, 1.9);
    for (unsigned i = 5; i < rounds; ++i) { // most of them
        two.measured.samples[i].ns *= 1.5;
        evidence.clocks[1][i].hz = 2e9;
    }
    evaluate();
    EXPECT_THAT(warning(kind::clock_changed, 2), HasSubstr("from 3.00 GHz to 2.00 GHz"));
}

TEST_F(made_up_scale, of_several_changes_the_largest_is_told) {
    scale_point& two = add(2, 1.9);
    scale_point& four = add(4, 3.6);
    for (unsigned i = 8; i < rounds; ++i) {
        two.measured.samples[i].ns *= 1.5;
        four.measured.samples[i].ns *= 1.2;
    }
    evaluate();
    EXPECT_THAT(warning(kind::disturbed, 2), HasSubstr("1.50 times as long"));
    EXPECT_EQ(warning(kind::disturbed, 4), "");
}

TEST_F(made_up_scale, the_control_is_a_part_of_the_load_and_of_the_baseline) {
    add(2, 1.9);
    result.control = series_of(noisy(rounds, 1.21 * alone_ns, noise, 1000));
    evaluate();
    EXPECT_NEAR(result.find(2)->speedup.median, 1.9 * 1.1, 0.02); // over √(1 · 1.21)
    result.control = disturbed_in(result.control, 0, rounds);
    evaluate();
    EXPECT_NEAR(result.contaminated, 1.0 / 3, 1e-9);
    EXPECT_THAT(warning(kind::disturbed), HasSubstr("other processes had 50 %, the hypervisor"));
}

TEST_F(made_up_scale, a_law_may_be_off_by_the_noise_floor) {
    add(2, 1.9);
    add(4, 2.1);
    evaluate();
    EXPECT_FALSE(result.fit.amdahl->describes);
    result.control = series_of(noisy(rounds, 1.5 * alone_ns, noise, 1000));
    evaluate();
    EXPECT_TRUE(result.fit.amdahl->describes);
}

TEST_F(made_up_scale, where_one_worker_failed_no_law_is_fitted) {
    add(2, 1.9);
    result.points[0].failure = "late death";
    evaluate();
    EXPECT_EQ(result.fit.points, 0u);
}

TEST_F(made_up_scale, a_drift_is_told_if_it_is_certain_and_beyond_the_noise_floor) {
    const auto drift_after = [&](const series& before, const series& control) {
        evidence.before = before;
        result.control = control;
        result.warnings.clear();
        evaluate();
        return warning(kind::baseline_drifted, 1);
    };
    const series steady = result.control;
    const series slow = series_of(noisy(3, 1.3 * alone_ns, noise, 5));
    EXPECT_THAT(drift_after(slow, steady), HasSubstr("at the end 1 worker took 0.77"));
    const series unsteady = series_of(noisy(rounds, 1.5 * alone_ns, noise, 1000));
    EXPECT_EQ(drift_after(slow, unsteady), "");
    EXPECT_EQ(drift_after(disturbed_in(slow, 0, 3), steady), "");
    EXPECT_EQ(drift_after(series_of({0.9e8, 1.3e8, 1.3e8}), steady), "");
    EXPECT_EQ(drift_after(series_of({1.3e8}), steady), ""); // one run tells nothing
    EXPECT_EQ(result.baseline_drift.count, 1u);
}

TEST_F(made_up_scale, what_cannot_be_told_apart_is_said) {
    add(2, 1.0005);
    add(3, 1.8);
    add(4, 1.8);
    evaluate();
    EXPECT_THAT(warning(kind::within_noise, 2), HasSubstr("cannot be told from 1"));
    EXPECT_EQ(warning(kind::within_noise, 3), "");
    EXPECT_THAT(warning(kind::within_noise, 4), HasSubstr("cannot be told from 3"));
}

// "cannot be told from" only what the interval contains: a wide margin is another matter.
TEST_F(made_up_scale, what_differs_by_less_than_the_margin_is_not_called_equal) {
    add(2, 1.3);
    add(3, 1.9);
    add(4, 2.2);
    result.margin = 0.5;
    evaluate();
    EXPECT_THAT(warning(kind::within_noise, 2), HasSubstr("is not shown to differ from 1 by 50 %"));
    EXPECT_THAT(warning(kind::within_noise, 4),
                HasSubstr("4 workers are not shown to differ by 50 % or more from 3"));
}

TEST_F(made_up_scale, more_workers_than_cpus_are_not_held_against_each_other) {
    add(4, 3.6);
    add(6, 3.6);
    add(8, 1.0005);
    evaluate();
    EXPECT_EQ(warning(kind::within_noise, 6), "");
    EXPECT_EQ(warning(kind::within_noise, 8), "");
}

TEST_F(made_up_scale, within_the_noise_floor_counts_cannot_be_told_apart) {
    add(2, 1.9);
    add(3, 2.1);
    evaluate();
    EXPECT_EQ(warning(kind::within_noise, 3), "");
    result.control = series_of(noisy(rounds, 1.3 * alone_ns, noise, 1000));
    evaluate();
    EXPECT_THAT(warning(kind::within_noise, 3), HasSubstr("cannot be told from 2"));
}

TEST_F(made_up_scale, samples_of_few_runs_are_named) {
    scale_point& two = add(2, 1.9);
    two.short_samples = true;
    two.runs_a_sample = 7;
    evaluate();
    EXPECT_THAT(warning(kind::short_samples), testing::EndsWith(": 7 with 2 workers"));
}

TEST_F(made_up_scale, six_rounds_are_enough) {
    add(2, 1.9);
    keep_rounds(6);
    evaluate();
    EXPECT_EQ(warning(kind::few_rounds), "");
    EXPECT_EQ(result.find(2)->word, verdict::faster);
}

TEST_F(made_up_scale, too_few_rounds_and_a_stop_are_said) {
    add(2, 1.9);
    keep_rounds(3);
    result.stopped = true;
    evaluate();
    EXPECT_THAT(warning(kind::stopped), HasSubstr("after 3 rounds"));
    EXPECT_THAT(warning(kind::few_rounds), HasSubstr("3 rounds"));
    EXPECT_EQ(result.find(2)->word, verdict::undecided);
}

TEST_F(made_up_scale, rounds_after_one_worker_failed_are_not_called_disturbed) {
    add(2, 1.9);
    result.points[0].failure = "late death";
    result.points[0].measured.samples.resize(4);
    result.control.samples.resize(4);
    evaluate();
    EXPECT_EQ(warning(kind::few_rounds, 2),
              "only 4 of 15 rounds have clean runs both with 1 worker and with 2: too few for an "
              "interval");
}

TEST_F(made_up_scale, one_that_was_stopped_before_its_first_round_has_no_figures) {
    add(2, 1.9);
    result.rounds = 0;
    result.stopped = true;
    for (series* all : {&result.points[0].measured, &result.points[1].measured, &result.control,
                        &evidence.before, &evidence.after}) {
        all->samples.clear();
    }
    evaluate();
    EXPECT_EQ(warning(kind::stopped), "stopped before the first round was complete");
    EXPECT_FALSE(result.points[0].ran());
    EXPECT_EQ(result.fit.points, 0u);
}

TEST_F(made_up_scale, a_stop_after_one_round_is_told_of_one_round) {
    result.rounds = 1;
    result.stopped = true;
    evaluate();
    EXPECT_EQ(warning(kind::stopped), "stopped after 1 round: the figures rest on that");
}

TEST_F(made_up_scale, a_count_that_failed_is_left_out) {
    scale_point& failed = add(2, 1.9);
    failed.failure = "worker 1 was killed by signal 9";
    add(4, 3.6);
    evaluate();
    EXPECT_EQ(result.fit.points, 2u);
    EXPECT_EQ(failed.speedup.count, 0u);
}

TEST_F(made_up_scale, at_a_rate_there_is_no_speedup_and_who_cannot_keep_up_is_late) {
    result.rate = 1500; // 100 items arrive in 66 ms, and one worker needs 100
    result.points[0].latency.record(34'000'000);
    add(2, 1.49);
    evaluate();
    EXPECT_EQ(result.find(2)->speedup.count, 0u);
    EXPECT_EQ(result.fit.points, 0u);
    EXPECT_THAT(warning(kind::late, 1), HasSubstr("of the 1500 items"));
    EXPECT_EQ(warning(kind::late, 2), "");
    EXPECT_EQ(warning(kind::within_noise, 2), "");
}

TEST_F(made_up_scale, at_a_rate_too_few_rounds_are_said) {
    result.rate = 1500;
    add(2, 1.49);
    evaluate();
    EXPECT_EQ(warning(kind::few_rounds), "");
    EXPECT_EQ(warning(kind::few_rounds, 2), ""); // there is no speed-up that needs an interval
    keep_rounds(5);
    evaluate();
    EXPECT_THAT(warning(kind::few_rounds), StartsWith("5 rounds: "));
}

TEST_F(made_up_scale, a_rate_of_few_items_a_second_is_not_told_as_none) {
    result.rate = 0.4;
    result.items = 2;
    scale_point& one = result.points.front();
    for (sample& each : one.measured.samples) {
        each.ns = 10e9; // the second arrives after 2.5 s
    }
    one.latency.clear();
    one.latency.record(1'000'000'000);
    one.latency.record(7'000'000'000);
    evaluate();
    EXPECT_THAT(warning(kind::late, 1),
                HasSubstr("1 worker took 0.2 of the 0.4 items a second that were offered"));
}

// As where the workers are slow to start, or the run to end.
TEST_F(made_up_scale, who_lets_no_item_wait_is_not_late) {
    result.rate = 1500;
    evaluate();
    EXPECT_EQ(warning(kind::late, 1), "");
}

TEST_F(made_up_scale, at_a_rate_there_is_no_fit_to_be_no_part_of) {
    result.rate = 1500;
    add(8, 1);
    evaluate();
    EXPECT_EQ(warning(kind::oversubscribed, 8),
              "8 workers share 4 CPUs: they wait for one another");
}

TEST(scale_warning_kind, has_a_name_each) {
    EXPECT_EQ(to_string(kind::disturbed), "disturbed");
    EXPECT_EQ(to_string(kind::super_linear), "super_linear");
    EXPECT_EQ(to_string(kind::clock_changed), "clock_changed");
    EXPECT_EQ(to_string(kind::baseline_drifted), "baseline_drifted");
    EXPECT_EQ(to_string(kind::within_noise), "within_noise");
    EXPECT_EQ(to_string(kind::oversubscribed), "oversubscribed");
    EXPECT_EQ(to_string(kind::few_rounds), "few_rounds");
    EXPECT_EQ(to_string(kind::short_samples), "short_samples");
    EXPECT_EQ(to_string(kind::late), "late");
    EXPECT_EQ(to_string(kind::stopped), "stopped");
}
