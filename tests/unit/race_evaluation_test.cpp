// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Which samples, workers and schemes the figures and notes of a race are about.

#include "race_results.hpp"
#include "report/race/full_text.hpp"
#include "sampling/offered_rate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace race = regatta::race;
namespace fakes = regatta::race::fakes;
using fakes::disturb;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

struct beside {
    std::size_t base_until = 15;       ///< From this round on the baseline was disturbed.
    std::size_t control_from = 0;      ///< Up to this round its control was.
    std::size_t base_fails_after = 15; ///< So many rounds the baseline has.
};

/// A race of 15 rounds in which tbb takes half of the time of the baseline.
race::race_result raced_beside(const beside& how) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 50);
    race::scheme_result& base = maker.result.schemes.front();
    race::series control = base.measured;
    control.name = race::control_name("std_thread");
    for (std::size_t i = 0; i < how.control_from; ++i) {
        control.samples[i].load.contaminated = true;
    }
    disturb(base, how.base_until);
    base.measured.samples.resize(how.base_fails_after);
    if (how.base_fails_after < control.samples.size()) {
        base.status = race::scheme_status::failed;
        base.reason = "it broke";
    }
    race::sampling_result measured;
    for (const race::scheme_result& one : maker.result.schemes) {
        measured.all.push_back(one.measured);
    }
    measured.all.push_back(control);
    race::evaluate_race(maker.result, measured);
    return maker.result;
}

} // namespace

TEST(race_evaluation, figures_of_a_scheme_are_those_of_its_clean_samples) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 90);
    race::scheme_result& tbb = maker.result.schemes[1];
    disturb(tbb, 0, 8); // more than half
    for (race::sample& one : tbb.measured.samples) {
        one.details->figures = {{"deaths", one.load.contaminated ? 100.0 : 1.0}};
    }
    EXPECT_EQ(maker.finish().find("tbb")->figure("deaths"), 1);
}

TEST(race_evaluation, a_program_took_the_median_cpu_time_and_the_most_memory) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("mine", 90);
    race::scheme_result& mine = maker.result.schemes[1];
    mine.program.emplace();
    for (race::sample& one : mine.measured.samples) {
        const bool large = one.round == 3;
        const bool busy = one.round == 14;
        one.details->usage =
            race::program_usage{0, 0, busy ? 9'000'000 : 1'000'000, large ? 5'000'000 : 2'000'000};
    }
    disturb(mine, 3, 4); // In any of the runs, also in those that do not count.
    mine.measured.first_tries = {mine.measured.samples[5]};
    mine.measured.first_tries[0].details->usage->peak_bytes = 6'000'000;
    const auto result = maker.finish();
    EXPECT_EQ(result.find("mine")->program->cpu_ns, 1e6);
    EXPECT_EQ(result.find("mine")->program->peak_bytes, 6'000'000);
}

// "The same, had nothing been dropped: of the first try of every sample."
TEST(race_evaluation, the_undropped_ratio_is_of_all_rounds) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 90);
    disturb(maker.result.schemes[1], 0, 5);
    const auto result = maker.finish();
    EXPECT_EQ(result.find("tbb")->vs_baseline.count, 10u);
    EXPECT_EQ(result.find("tbb")->vs_baseline_undropped.count, 15u);
}

TEST(race_evaluation, the_undropped_ratio_has_the_control_of_all_rounds) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 100);
    race::sampling_result measured;
    for (const race::scheme_result& one : maker.result.schemes) {
        measured.all.push_back(one.measured);
    }
    race::series control = measured.all.front();
    control.name = race::control_name("std_thread");
    for (std::size_t i = 0; i < 10; ++i) {
        control.samples[i].ns *= 4;
        control.samples[i].load.contaminated = true;
    }
    measured.all.push_back(control);
    race::evaluate_race(maker.result, measured);
    EXPECT_NEAR(maker.result.find("tbb")->vs_baseline.median, 1, 0.02);
    EXPECT_LT(maker.result.find("tbb")->vs_baseline_undropped.median, 0.8);
}

TEST(race_evaluation, a_serial_that_failed_or_ran_in_other_rounds_gives_no_speed_up) {
    for (const bool failed : {true, false}) {
        fakes::result_maker maker;
        maker.add("serial", 200).add("std_thread", 100);
        race::scheme_result& serial = maker.result.schemes.front();
        if (failed) {
            serial.status = race::scheme_status::failed;
            serial.reason = "it broke";
        }
        for (race::sample& one : serial.measured.samples) {
            one.round += failed ? 0 : 100;
        }
        EXPECT_FALSE(maker.finish().find("std_thread")->speedup) << failed;
    }
}

// "The speed-up's median over `workers`", those that were asked for.
TEST(race_evaluation, efficiency_is_by_the_workers_that_were_asked_for) {
    fakes::result_maker maker;
    maker.add("serial", 200).add("std_thread", 100);
    for (race::sample& one : maker.result.schemes[1].measured.samples) {
        one.details->split.workers = 3;
    }
    const auto result = maker.finish();
    const race::scheme_result& threads = *result.find("std_thread");
    EXPECT_EQ(threads.where.workers, 3u);
    EXPECT_DOUBLE_EQ(*threads.efficiency, threads.speedup->median / 2);
}

TEST(race_evaluation, workers_that_count_items_are_not_called_helpers) {
    fakes::result_maker maker;
    maker.add("serial", 200).add("std_thread", 100);
    for (race::sample& one : maker.result.schemes[1].measured.samples) {
        one.details->split.workers = 3;
        one.details->split.undivided_ns = 1;
    }
    EXPECT_THAT(maker.finish().notes, Not(Contains(HasSubstr("that were asked for"))));
}

TEST(race_evaluation, where_nobody_has_enough_clean_rounds_none_is_named_for_it) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 50);
    for (race::scheme_result& one : maker.result.schemes) {
        one.measured.samples.resize(3);
    }
    EXPECT_THAT(maker.finish().notes, Not(Contains(HasSubstr("too few clean rounds"))));
}

TEST(race_evaluation, short_samples_are_told_of_those_that_ran) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 50);
    for (race::scheme_result& one : maker.result.schemes) {
        one.short_samples = true;
        one.runs_a_sample = 7;
    }
    maker.result.schemes[1].status = race::scheme_status::failed;
    maker.result.schemes[1].reason = "it broke";
    EXPECT_THAT(maker.finish().notes, Contains(testing::EndsWith(": std_thread 7")));
}

TEST(race_evaluation, a_super_linear_speed_up_may_be_that_of_a_disturbed_serial) {
    const auto notes_of = [](std::size_t disturbed, bool program = false) {
        fakes::result_maker maker;
        maker.add("serial", 300, 0.2).add("std_thread", 100);
        disturb(maker.result.schemes.front(), 0, disturbed);
        if (program) {
            maker.result.schemes[1].program.emplace();
        }
        return maker.finish().notes;
    };
    EXPECT_THAT(notes_of(3), Contains(HasSubstr("no figure of this race explains it")));
    EXPECT_THAT(notes_of(4), Contains(HasSubstr("no figure of this race explains it")));
    EXPECT_THAT(notes_of(15), Contains(HasSubstr("others slowed down serial in all of its")));
    EXPECT_THAT(notes_of(0, true), Not(Contains(HasSubstr("workers can bring about"))));
}

TEST(race_evaluation, a_super_linear_speed_up_may_be_that_of_a_quota) {
    fakes::result_maker maker;
    maker.add("serial", 300, 0.2).add("std_thread", 100);
    maker.result.how.workers = maker.result.cpus + 1;
    maker.result.quota_limits = true;
    const auto notes = maker.finish().notes;
    EXPECT_THAT(notes, Contains(HasSubstr("a quota grants the time of")));
    EXPECT_THAT(notes, Not(Contains(HasSubstr("do not trust the time of serial"))));
}

// No period of a quota is longer than a second.
TEST(race_evaluation, a_quota_is_no_cause_of_a_speed_up_of_long_runs) {
    fakes::result_maker maker;
    maker.add("serial", 6000, 0.2).add("std_thread", 2000);
    maker.result.how.workers = maker.result.cpus + 1;
    maker.result.quota_limits = true;
    const auto notes = maker.finish().notes;
    EXPECT_THAT(notes, Not(Contains(HasSubstr("a quota grants the time of"))));
    EXPECT_THAT(notes, Contains(HasSubstr("no figure of this race explains it")));
}

TEST(race_evaluation, a_change_of_serial_explains_what_its_faster_rounds_do_not_have) {
    const auto notes_of = [](double serial_ms, unsigned first, unsigned last, double slower) {
        fakes::result_maker maker;
        maker.add("serial", serial_ms, 0.2).add("std_thread", 100);
        for (race::sample& one : maker.result.schemes.front().measured.samples) {
            one.ns *= one.round >= first && one.round < last ? slower : 1;
        }
        return maker.finish().notes;
    };
    EXPECT_THAT(notes_of(180, 5, 15, 1.5),
                Contains(HasSubstr("from round 6 on serial took 1.50 times as long as before: "
                                   "something slowed it down")));
    EXPECT_THAT(notes_of(180, 0, 10, 1.5),
                Contains(HasSubstr("from round 11 on serial took 0.67 times as long as before: "
                                   "something had slowed it down")));
    EXPECT_THAT(notes_of(300, 8, 15, 1.05),
                Contains(HasSubstr("no figure of this race explains it")));
}

// "Verdicts do not rest on it": in a round that lacks baseline or control the other counts alone.
TEST(race_evaluation, verdicts_and_leaders_do_not_rest_on_the_noise_floor) {
    const race::race_result result = raced_beside({.base_until = 10, .control_from = 5});
    EXPECT_EQ(result.floor.control.count, 5u);
    EXPECT_EQ(result.find("tbb")->vs_baseline.count, 15u);
    EXPECT_EQ(result.find("tbb")->word, race::verdict::faster);
    EXPECT_THAT(result.leaders, ElementsAre("tbb"));
    EXPECT_THAT(result.item_leaders, ElementsAre("tbb"));
    const std::string text = race::to_text(result, fakes::some_machine(), {.width = 500});
    EXPECT_THAT(text, HasSubstr("Noise floor: unknown, too few clean rounds."));
    EXPECT_THAT(text, HasSubstr("tbb won: "));
}

// The control runs on after the baseline has failed, and its scheme is out.
TEST(race_evaluation, the_control_of_a_baseline_that_failed_early_gives_no_verdict) {
    const race::race_result result = raced_beside({.base_fails_after = 3});
    EXPECT_EQ(result.find("tbb")->word, race::verdict::undecided);
    EXPECT_THAT(result.leaders, IsEmpty());
}

// 20 items of 10 ms at 100 a second, of which some begin 6 ms late.
TEST(race_evaluation, one_whose_long_items_keep_up_is_not_behind) {
    const auto notes_of = [](double run_ms, std::int64_t longest_wait_ns) {
        fakes::result_maker maker;
        maker.result.baseline = "steady";
        maker.result.rate = 100;
        maker.result.items = 20;
        maker.add("steady", run_ms);
        race::scheme_result& steady = maker.result.schemes.front();
        for (const std::int64_t wait_ns : {std::int64_t{0}, longest_wait_ns}) {
            steady.latency.record(wait_ns);
            steady.latency_to_end.record(wait_ns + 10'000'000);
        }
        return maker.finish().notes;
    };
    EXPECT_THAT(notes_of(200, 6'000'000),
                Not(Contains(HasSubstr("items a second that were offered"))));
    EXPECT_THAT(notes_of(400, 200'000'000),
                Contains(HasSubstr("steady took 50 of the 100 items a second that were offered")));
}

TEST(race_evaluation, a_run_is_behind_by_more_than_a_twentieth_of_the_time_of_the_arrivals) {
    race::latency_histogram latency;
    latency.record(0);
    latency.record(90'000'000);
    // 101 items at 1000 a second arrive within 100 intervals of 1 ms.
    EXPECT_FALSE(race::fell_behind(1000, 101, 104.9e6, latency));
    EXPECT_TRUE(race::fell_behind(1000, 101, 105.1e6, latency));
    EXPECT_TRUE(race::fell_behind(1000, 2, 1.06e6, latency));
    EXPECT_FALSE(race::fell_behind(1000, 1, 1e9, latency));
}
