// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race_results.hpp"
#include "report/race/full_text.hpp"
#include "report/race/table.hpp"
#include "report/race/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace race = regatta::race;
namespace fakes = regatta::race::fakes;
using fakes::lines_of;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(race_full_text, prose_keeps_to_the_width_too) {
    auto result =
        fakes::result_maker()
            .add("std_thread", 100)
            .add_failed("processes", "worker 3 (process 77) was killed by signal 9", false)
            .add_skipped("tbb", "oneTBB was not found; install libtbb-dev")
            .finish();
    for (const unsigned width : {40u, 60u, 80u}) {
        for (const auto& line :
             lines_of(race::to_text(result, fakes::some_machine(), {.width = width}))) {
            EXPECT_LE(race::columns_of(line), width) << line;
        }
    }
}

TEST(race_full_text, names_who_failed_who_was_skipped_and_what_was_dropped) {
    fakes::result_maker maker;
    maker.add("std_thread", 100)
        .add_failed("evil", "wrong result: row 3", true)
        .add_failed("processes", "worker 3 was killed by signal 9", false)
        .add_skipped("tbb", "install libtbb-dev");
    maker.result.schemes[0].measured.samples[4].load.contaminated = true;
    maker.result.how.workers = 64;
    maker.result.stopped = true;
    const auto result = maker.finish();
    const std::string text = race::to_text(result, fakes::some_machine(), {});
    EXPECT_THAT(text, HasSubstr("DISQUALIFIED evil: wrong result: row 3"));
    EXPECT_THAT(text, HasSubstr("FAILED processes: worker 3 was killed by signal 9"));
    EXPECT_THAT(text, HasSubstr("skipped tbb: install libtbb-dev"));
    EXPECT_THAT(text, HasSubstr("Dropped 1 of 30 samples"));
    EXPECT_THAT(text, HasSubstr("Oversubscribed: 64 workers share 2 CPUs"));
    EXPECT_THAT(text, HasSubstr("Cut short after 15 rounds"));
}

TEST(race_full_text, names_who_had_not_settled_and_what_nobody_could_see) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 90);
    maker.result.schemes.back().measured.settled = 4;
    for (race::scheme_result& one : maker.result.schemes) {
        for (race::sample& each : one.measured.samples) {
            each.load.measurable = false;
        }
    }
    const std::string text = race::to_text(maker.finish(), fakes::some_machine(), {.width = 1000});
    EXPECT_THAT(text, HasSubstr("not settled at first"));
    EXPECT_THAT(text, HasSubstr("do not count: tbb 4."));
    EXPECT_THAT(text, HasSubstr("is not measurable in 100 % of the samples: they are too short for "
                                "a test"));
}

TEST(race_full_text, a_disturbed_series_is_used_but_loudly) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 120);
    for (auto& sample : maker.result.schemes[1].measured.samples) {
        sample.load.contaminated = true;
    }
    const auto result = maker.finish();
    EXPECT_GT(result.find("tbb")->time.median, 0);
    const std::string text = race::to_text(result, fakes::some_machine(), {.width = 500});
    EXPECT_THAT(text, HasSubstr("NOTE: every sample of tbb was disturbed"));
    EXPECT_THAT(text, HasSubstr("a disturbed run: during 33 %"));
    EXPECT_THAT(text, Not(HasSubstr("Dropped")));
}

TEST(race_words, a_winner_is_named_with_figures_and_reasons) {
    const auto result = fakes::three_schemes();
    EXPECT_THAT(race::outcome_words(result, {}), StartsWith("std_thread won: 100 ms, 0.66"));
    EXPECT_THAT(race::reason_words(result),
                HasSubstr("the workers of zmq_inproc spend 40 % of their time between items "
                          "(handing them out) (std_thread: 1.0 %), which is 100 % of the "
                          "difference"));
}

TEST(race_words, where_no_worker_was_replaced_no_time_of_it_is_told) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("process_pool", 120);
    const auto text_of = [&](const std::vector<race::run_figure>& figures) {
        for (race::sample& each : maker.result.schemes[1].measured.samples) {
            each.details->figures = figures;
        }
        maker.result.schemes[1].figures.clear();
        return race::death_words(maker.finish(), {});
    };
    EXPECT_EQ(text_of({{"deaths", 1}, {"reruns", 1}}),
              "Deaths: process_pool lost 1 worker a run and began 1 item again.");
    EXPECT_EQ(text_of({{"deaths", 3}, {"reruns", 2}, {"respawn_ns", 4e6}}),
              "Deaths: process_pool lost 3 workers a run and began 2 items again; the next worker "
              "was ready after 4.00 ms.");
    EXPECT_EQ(text_of({{"deaths", 0}, {"reruns", 0}}),
              "Deaths: process_pool lost 0 workers a run and began 0 items again.");
    EXPECT_EQ(text_of({}), "");
}

TEST(race_words, inside_the_margin_nobody_wins) {
    const auto result =
        fakes::result_maker().add("std_thread", 100).add("tbb", 100.2).add("slow", 300).finish();
    EXPECT_THAT(race::outcome_words(result, {}),
                StartsWith("The fastest may be any of tbb and std_thread: none of them was shown "
                           "to take 1.0 % more than another."));
    EXPECT_EQ(result.leaders.size(), 2u);
    EXPECT_EQ(result.find("tbb")->word, race::verdict::equal);
}

TEST(race_words, the_margin_is_told_as_it_was_typed) {
    auto maker = fakes::result_maker().add("std_thread", 100).add("tbb", 100.01);
    maker.result.margin = 0.0004; // --margin 0.04
    const auto result = maker.finish();
    EXPECT_THAT(race::outcome_words(result, {}), HasSubstr("shown to take 0.04 % more"));
    EXPECT_THAT(race::to_text(result, fakes::some_machine(), {.width = 200}),
                HasSubstr("verdicts are about differences of 0.04 % and more"));
}

TEST(race_words, a_winner_is_ahead_of_the_next_by_the_ratio_within_the_rounds) {
    // As multiples of the baseline both are at 1.1 and 1.2, but they were never fast together.
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 50).add("asio", 60);
    for (std::size_t i = 0; i < 15; ++i) {
        maker.result.schemes[1].measured.samples[i].ns = i % 2 == 0 ? 50e6 : 55e6;
        maker.result.schemes[2].measured.samples[i].ns = i % 2 == 0 ? 75e6 : 82.5e6;
    }
    EXPECT_THAT(race::outcome_words(maker.finish(), {}),
                HasSubstr("0.667 of the time of asio, the next (95 % interval 0.667…0.667)"));
}

TEST(race_full_text, an_unsteady_machine_is_said_to_be_one) {
    const auto notes_of = [](double control_takes) {
        fakes::result_maker maker;
        maker.add("std_thread", 100).add("tbb", 150);
        maker.control_takes = control_takes;
        return maker.finish().notes;
    };
    EXPECT_THAT(notes_of(1.05),
                testing::ElementsAre(StartsWith("std_thread differs from itself by up to 6 %, "
                                                "which is more than chance")));
    EXPECT_THAT(notes_of(1), testing::IsEmpty());
    fakes::result_maker maker;
    maker.add("std_thread", 100);
    maker.control_takes = 1.002;
    maker.result.margin = 0;
    EXPECT_THAT(maker.finish().notes, testing::Contains(HasSubstr("by up to 0.")));
}

TEST(race_words, code_of_its_own_is_told_apart) {
    const auto result = fakes::result_maker()
                            .add("std_thread", 100)
                            .add("asio", 140, 0.7)
                            .add("blas_threads", 2, 1, false)
                            .finish();
    EXPECT_THAT(race::outcome_words(result, {}),
                testing::AllOf(StartsWith("blas_threads won"),
                               HasSubstr("with code of its own; among those that run the items: "
                                         "std_thread won"),
                               HasSubstr("of the time of asio, the next")));
    EXPECT_THAT(race::reason_words(result), HasSubstr("asio"));
}

TEST(race_words, too_little_is_said_to_be_too_little) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 50);
    for (auto& one : maker.result.schemes) {
        one.measured.samples.resize(3);
    }
    EXPECT_THAT(race::outcome_words(maker.finish(), {}), StartsWith("No verdict"));
    EXPECT_EQ(race::outcome_words(race::race_result{}, {}), "Nothing was measured.");
}

// "nothing is compared" with a baseline that failed before any round in which others ran.
TEST(race_full_text, without_the_baseline_there_are_no_ratios) {
    for (const bool failed : {true, false}) { // or stopped in the first round, before it ran
        SCOPED_TRACE(failed);
        fakes::result_maker maker;
        maker.add("std_thread", 100).add("tbb", 90).add("processes", 80);
        for (race::scheme_result& one : maker.result.schemes) {
            one.measured.samples.resize(1);
            one.measured.samples.front().round = 100; // in which no control ran
        }
        maker.result.rounds = 0;
        maker.result.stopped = !failed;
        race::scheme_result& base = maker.result.schemes.front();
        base.measured.samples.clear();
        if (failed) {
            base.status = race::scheme_status::failed;
            base.reason = "it broke";
        }
        const auto result = maker.finish();
        const std::string text = race::to_text(result, fakes::some_machine(), {.width = 500});
        EXPECT_THAT(text, Not(HasSubstr("0.000")));
        EXPECT_THAT(text, Not(HasSubstr("Ratios are")));
        EXPECT_THAT(text, Not(HasSubstr("Choose by need")));
        const auto lines = lines_of(race::table_text(result, {.width = 120}));
        EXPECT_THAT(lines[1], StartsWith("processes")); // by their times
        EXPECT_THAT(lines[2], StartsWith("tbb"));
        EXPECT_THAT(text, HasSubstr(failed ? "No ratios: std_thread, the baseline, failed."
                                           : "No ratios: std_thread, the baseline, was not "
                                             "measured."));
        EXPECT_EQ(text.find("NOTE: the baseline std_thread failed after its first runs: nothing is "
                            "compared with it.") != std::string::npos,
                  failed);
        EXPECT_THAT(race::outcome_words(result, {}),
                    StartsWith(failed ? "No verdict: the baseline std_thread failed."
                                      : "No verdict: that takes"));
    }
}

TEST(race_words, one_of_several_with_enough_clean_rounds_was_not_alone) {
    fakes::result_maker maker;
    maker.add("std_thread", 100);
    EXPECT_THAT(race::outcome_words(maker.finish(), {}),
                StartsWith("std_thread was measured alone"));
    maker.add("tbb", 50);
    for (auto& sample : maker.result.schemes[1].measured.samples) {
        sample.load.contaminated = sample.round >= 3;
    }
    EXPECT_THAT(race::outcome_words(maker.finish(), {}),
                StartsWith("std_thread alone has enough clean rounds: 10"));
}

// "a wrong result disqualifies the scheme": its time is held against nothing.
TEST(race_words, one_that_failed_gets_no_verdict) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 50);
    maker.result.schemes[1].status = race::scheme_status::failed;
    maker.result.schemes[1].wrong_result = true;
    EXPECT_EQ(maker.finish().find("tbb")->word, race::verdict::undecided);
}

// A race measures how long a whole run takes, so it names nobody for another quantity.
TEST(race_words, no_scheme_is_named_for_a_need_that_was_not_measured) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 50).add("processes", 110);
    maker.result.schemes[1].suits = "the lowest latency";
    EXPECT_THAT(race::choice_words(maker.finish()), Not(HasSubstr("latency")));
}

TEST(race_words, a_reason_that_explains_less_than_half_is_none) {
    // Twice the time, and a third of it more in each of three parts.
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("asio", 200);
    for (auto& sample : maker.result.schemes[1].measured.samples) {
        race::time_split& split = sample.details->split;
        const double third = split.wall_ns / 3;
        split.items_ns = split.wall_ns;
        split.dispatch_ns = split.set_up_ns = split.tear_down_ns = third;
    }
    EXPECT_THAT(race::reason_words(maker.finish()),
                HasSubstr("what sets asio apart from std_thread is unexplained"));
}

// One of two workers has nothing to do in both: whatever takes longer, half of it is idle.
TEST(race_words, as_large_a_share_of_idle_workers_is_no_reason) {
    fakes::result_maker maker;
    maker.add("serial", 100).add("std_thread", 120);
    for (auto& scheme : maker.result.schemes) {
        for (auto& sample : scheme.measured.samples) {
            race::time_split& split = sample.details->split;
            split.items_ns = split.wall_ns;
            split.idle_ns = split.wall_ns;
        }
    }
    EXPECT_THAT(race::reason_words(maker.finish()),
                AllOf(HasSubstr("of their time on items that cost more than in serial"),
                      HasSubstr("which is 100 % of the difference")));
}

TEST(race_words, who_has_too_few_clean_rounds_does_not_keep_the_others_from_winning) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 50).add("asio", 150);
    for (std::size_t i = 5; i < 15; ++i) {
        maker.result.schemes[1].measured.samples[i].load.contaminated = true;
    }
    const auto result = maker.finish();
    EXPECT_EQ(result.find("tbb")->word, race::verdict::undecided);
    EXPECT_THAT(race::outcome_words(result, {}),
                testing::AllOf(StartsWith("std_thread won"), HasSubstr("of the time of asio")));
    EXPECT_THAT(race::reason_words(result), testing::Not(HasSubstr("tbb")));
    EXPECT_THAT(result.notes, testing::Contains(EndsWith("not among those that may win: tbb")));
}

TEST(race_words, where_nobody_suits_a_need_there_is_no_line_about_it) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 50);
    for (auto& one : maker.result.schemes) {
        one.measured.samples.resize(3);
    }
    const auto result = maker.finish();
    EXPECT_EQ(race::choice_words(result), "");
    EXPECT_THAT(race::to_text(result, fakes::some_machine(), {}), Not(HasSubstr("Choose by need")));
}

TEST(race_words, needs_name_the_scheme_that_suits_them) {
    const auto result = fakes::result_maker().add("std_thread", 100).add("processes", 110).finish();
    EXPECT_THAT(race::choice_words(result), HasSubstr("isolation: processes (ratio 1."));
}

TEST(race_words, a_choice_has_as_many_clean_rounds_as_a_verdict_takes) {
    for (const std::size_t clean : {0u, 5u, 6u}) {
        SCOPED_TRACE(clean);
        fakes::result_maker maker;
        maker.add("std_thread", 100).add("processes", 110).add("process_pool", 90);
        maker.result.schemes.back().suits = "isolation";
        for (std::size_t i = clean; i < 15; ++i) {
            maker.result.schemes.back().measured.samples[i].load.contaminated = true;
        }
        const char* const best = clean < 6 ? "processes" : "process_pool";
        EXPECT_THAT(race::choice_words(maker.finish()),
                    HasSubstr("isolation: " + std::string(best) + " (ratio "));
    }
}

TEST(race_words, a_speed_up_above_the_workers_is_explained_or_flagged) {
    const auto notes_of = [](race::race_result result) {
        std::string all;
        for (const std::string& note : result.notes) {
            all += note + "\n";
        }
        return all;
    };
    EXPECT_THAT(notes_of(fakes::three_schemes()), Not(HasSubstr("workers can bring about")));
    // The items are two workers' 100 ms, and serial's 300 ms: 0.67 of it.
    auto cheaper = fakes::result_maker().add("serial", 300, 0.5).add("std_thread", 100).finish();
    EXPECT_THAT(notes_of(cheaper), HasSubstr(", is more than 2.00 "
                                             "workers can bring about: its items cost 0.67 of "));
    EXPECT_THAT(race::reason_words(cheaper), HasSubstr("items cost less than in serial with "
                                                       "std_thread (67 % of it)"));
    const auto dear = fakes::result_maker().add("serial", 300, 0.2).add("std_thread", 100).finish();
    EXPECT_THAT(notes_of(dear), HasSubstr("no figure of this race explains it"));
    const auto own =
        fakes::result_maker().add("serial", 300).add("std_thread", 100, 1, false).finish();
    EXPECT_THAT(notes_of(own), HasSubstr("with code of its own"));
}

TEST(race_words, who_has_too_few_clean_rounds_is_not_said_to_have_cheaper_items) {
    fakes::result_maker maker;
    maker.add("serial", 300, 0.5).add("std_thread", 100).add("tbb", 100);
    fakes::disturb(maker.result.schemes.back(), 5);
    EXPECT_THAT(race::reason_words(maker.finish()),
                AllOf(HasSubstr("cost less than in serial with std_thread (67 % of it)"),
                      Not(HasSubstr("tbb"))));
}

// Counted items, or a workload that forks: all of the time is unlogged without serial.
TEST(race_words, without_serial_the_cost_of_counted_items_is_not_known) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("asio", 150);
    for (auto& scheme : maker.result.schemes) {
        for (auto& sample : scheme.measured.samples) {
            race::time_split& split = sample.details->split;
            split.undivided_ns = std::exchange(split.items_ns, 0);
        }
    }
    EXPECT_EQ(race::reason_words(maker.finish()),
              "Why: without serial it is not known how much of the workers' time goes into the "
              "items.");
    maker.add("serial", 200, 0.5);
    for (auto& sample : maker.result.schemes.back().measured.samples) {
        race::time_split& split = sample.details->split;
        split.undivided_ns = std::exchange(split.items_ns, 0);
    }
    EXPECT_THAT(race::reason_words(maker.finish()),
                AllOf(StartsWith("Why: 100 % of the workers' time goes into the items themselves"),
                      HasSubstr("the workers of asio spend 33 % of their time between items")));
}

TEST(race_words, more_threads_than_were_asked_for_are_named) {
    fakes::result_maker maker;
    maker.add("serial", 200).add("std_thread", 100);
    for (race::sample& one : maker.result.schemes[1].measured.samples) {
        one.details->split.workers = 3;
        one.details->split.idle_ns = one.details->split.wall_ns;
    }
    const auto result = maker.finish();
    ASSERT_FALSE(result.notes.empty());
    EXPECT_THAT(result.notes.back(), HasSubstr("that were asked for (the caller works, too): "
                                               "std_thread 3"));
}

// The caller of a pool of processes runs no item.
TEST(race_words, more_processes_than_were_asked_for_are_those_that_were_replaced) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("process_pool", 100);
    for (race::sample& one : maker.result.schemes[1].measured.samples) {
        one.details->split.workers = 3;
    }
    const auto result = maker.finish();
    ASSERT_FALSE(result.notes.empty());
    EXPECT_EQ(result.notes.back(), "more processes ran items than the 2 that were asked for (one "
                                   "that ended was replaced): process_pool 3");
}
