// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advice_results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using namespace regatta::race;
using fakes::advised;
using fakes::isolation_file;
using fakes::isolation_maker;
using fakes::left_open;
using fakes::primes_race;
using fakes::race_file;
using fakes::said;
using fakes::scale_maker;
using fakes::stream_file;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(advice_on_scheme, the_winner_and_by_how_much) {
    const auto made = advised({race_file(
        primes_race().add("serial", 200).add("std_thread", 110, 0.9).add("steady", 102, 0.98))});
    EXPECT_EQ(made.scheme, "steady");
    EXPECT_THAT(said(made, topic::scheme),
                AllOf(HasSubstr("Take steady: 102 ms a run with 2 workers"),
                      HasSubstr("times as fast as serial (95 % interval"), HasSubstr("0.92"),
                      HasSubstr("of the time of std_thread, the next")));
}

// "A figure counts from 6 clean rounds on"
TEST(advice_on_scheme, no_speed_up_over_a_serial_with_too_few_clean_rounds) {
    auto maker = primes_race().add("serial", 200).add("std_thread", 110).add("steady", 102);
    for (std::size_t i = 3; i < 15; ++i) {
        maker.result.schemes.front().measured.samples[i].load.contaminated = true;
    }
    const auto made = advised({race_file(maker)});
    EXPECT_THAT(said(made, topic::scheme),
                AllOf(HasSubstr("Take steady"), Not(HasSubstr("as fast as serial")),
                      HasSubstr("of the time of std_thread, the next")));
}

TEST(advice_on_scheme, of_a_tie_the_simplest) {
    const auto made = advised(
        {race_file(primes_race().add("steady", 100).add("std_thread", 100.2).add("tbb", 100.1))});
    EXPECT_EQ(made.scheme, "std_thread");
    EXPECT_THAT(said(made, topic::scheme),
                AllOf(HasSubstr("2 others cannot be told from the fastest"),
                      HasSubstr("and it is the simplest of them")));
    const auto first = advised({race_file(primes_race().add("std_thread", 100).add("tbb", 100.5))});
    EXPECT_THAT(said(first, topic::scheme), HasSubstr("and it is the first of them"));
}

TEST(advice_on_scheme, code_of_its_own_is_told_and_not_recommended) {
    const auto made = advised({race_file(
        primes_race().add("std_thread", 100).add("steady", 120).add("eigen", 20, 1, false))});
    EXPECT_EQ(made.scheme, "std_thread");
    EXPECT_THAT(said(made, topic::scheme),
                HasSubstr("eigen takes 0.199 of the time of std_thread"));
    const auto tie = advised({race_file(
        primes_race().add("std_thread", 100).add("steady", 120).add("eigen", 99.9, 1, false))});
    EXPECT_EQ(tie.scheme, "std_thread");
    EXPECT_THAT(said(tie, topic::scheme),
                AllOf(HasSubstr("eigen, with code of its own, cannot be told from std_thread: it "
                                "takes 0.995 of the time."),
                      Not(HasSubstr("it helps"))));
}

TEST(advice_on_scheme, nothing_without_a_verdict) {
    auto maker = primes_race().add("serial", 200).add("std_thread", 100);
    for (scheme_result& one : maker.result.schemes) {
        one.measured.samples.resize(3);
    }
    maker.result.rounds = 3;
    const auto made = advised({race_file(maker)});
    EXPECT_FALSE(made.scheme);
    EXPECT_THAT(said(made, topic::scheme), IsEmpty());
    EXPECT_THAT(left_open(made, topic::scheme),
                AllOf(HasSubstr("the 3 rounds of race.json gave no verdict"),
                      HasSubstr("regatta race primes --size 500 --max-prime 10000 --rounds 15")));
}

TEST(advice_on_workers, the_fewest_of_the_best) {
    const auto made = advised({scale_maker(4)
                                   .add(1, 1, 100)
                                   .add(2, 1.97, 101)
                                   .add(4, 3.9, 101)
                                   .add(8, 3.91, 205)
                                   .finish()});
    EXPECT_EQ(made.workers, 4u);
    EXPECT_THAT(said(made, topic::workers),
                AllOf(HasSubstr("Take 4 workers: 3.90 times as fast as one"),
                      HasSubstr("98 % of each"), HasSubstr("More gain nothing: 8 workers are 1.00"),
                      HasSubstr("which is the same")));
}

TEST(advice_on_workers, of_too_few_rounds_none_counts) {
    scale_maker maker = scale_maker(2).add(1, 1, 100).add(2, 1.9, 101);
    for (scale_point& one : maker.result.points) {
        one.speedup.count = 3;
    }
    EXPECT_THAT(left_open(advised({maker.finish()}), topic::workers),
                HasSubstr("none with a CPU for each can be relied upon"));
}

TEST(advice_on_workers, no_more_than_there_are_cpus) {
    const auto without_two = advised(
        {scale_maker(2)
             .add(1, 1, 100)
             .add(2, 2.3, 100)
             .add(4, 1.9, 200)
             .warn(scale_warning_kind::super_linear, 2, "2 workers are 2.30 times as fast as 1")
             .finish()});
    EXPECT_FALSE(without_two.workers);
    EXPECT_THAT(left_open(without_two, topic::workers),
                HasSubstr("of the 3 numbers of workers in scale.json only 1 with a CPU for each"));
    EXPECT_THAT(left_open(advised({scale_maker(2).add(1, 1, 100).finish()}), topic::workers),
                HasSubstr("scale.json has 1 number of workers alone"));
    const auto faster =
        advised({scale_maker(2).add(1, 1, 100).add(2, 1.6, 101).add(4, 1.9, 200).finish()});
    EXPECT_EQ(faster.workers, 2u);
    EXPECT_THAT(said(faster, topic::workers),
                HasSubstr("More have no CPU each: 4 workers are 1.19 times as fast as 2"));
    const auto one = advised({scale_maker(1).add(1, 1, 100).add(2, 1.2, 200).finish()});
    EXPECT_EQ(one.workers, 1u);
    EXPECT_THAT(said(one, topic::workers), HasSubstr("and have no CPU each"));
}

TEST(advice_on_workers, more_can_be_slower) {
    const auto made =
        advised({scale_maker(4).add(1, 1, 100).add(2, 1.6, 101).add(4, 1.2, 101).finish()});
    EXPECT_EQ(made.workers, 2u);
    EXPECT_THAT(said(made, topic::workers), HasSubstr("so they lose"));
}

// They have a CPU each, and are not shown to be faster than one.
TEST(advice_on_workers, more_may_not_be_shown_to_be_faster) {
    scale_maker maker = scale_maker(4).add(1, 1, 100).add(2, 1.5, 101).add(4, 1.9, 101);
    scale_point& last = maker.result.points.back();
    last.speedup.low = 0.9;
    last.word = verdict::unclear;
    const auto made = advised({maker.finish()});
    EXPECT_EQ(made.workers, 2u);
    EXPECT_THAT(said(made, topic::workers),
                HasSubstr("More are not shown to be faster: 4 workers are 1.27 times as fast as 2, "
                          "but not for sure faster than one"));
}

TEST(advice_on_workers, one_may_be_enough) {
    const auto made = advised({scale_maker(2).add(1, 1, 100).add(2, 0.8, 101).finish()});
    EXPECT_EQ(made.workers, 1u);
    EXPECT_THAT(said(made, topic::workers),
                HasSubstr("Stay with 1 worker: 2 workers are 0.80 times as fast"));
}

// `regatta scale` says of such a file that it does not scale.
TEST(advice_on_workers, more_than_one_only_where_they_were_shown_to_be_faster) {
    scale_maker maker = scale_maker(4).add(1, 1, 100).add(2, 1.01, 101).add(4, 1.02, 101);
    maker.result.floor.distance = 0.005; // the medians differ by more
    const auto made = advised({maker.finish()});
    EXPECT_EQ(made.workers, 1u);
    EXPECT_THAT(said(made, topic::workers),
                AllOf(HasSubstr("Stay with 1 worker: 4 workers are 1.02 times as fast (95 % "
                                "interval 1.01…1.03)"),
                      Not(HasSubstr("have no CPU each"))));
}

// A gain that is large but was not shown is no reason to stay with one, and no advice.
TEST(advice_on_workers, a_large_gain_that_was_not_shown_is_left_open) {
    scale_maker maker = scale_maker(2).add(1, 1, 100).add(2, 1.9, 101);
    maker.result.points.back().word = verdict::unclear;
    maker.result.points.back().speedup.low = 0.9;
    const auto made = advised({maker.finish()});
    EXPECT_FALSE(made.workers);
    EXPECT_THAT(left_open(made, topic::workers),
                HasSubstr("How many workers: 2 workers seem 1.90 times as fast as one (95 % "
                          "interval 0.90…"));
}

TEST(advice_on_workers, where_the_measurement_ended_too_early) {
    const auto made = advised({scale_maker(16).add(1, 1, 100).add(2, 1.98, 100).finish()});
    EXPECT_THAT(left_open(made, topic::workers), HasSubstr("16 CPUs"));
}

// The machine of the article: 3377 events a second with one thread, 15172 with four.
TEST(advice_on_workers, no_advice_rests_on_a_speed_up_that_cannot_be) {
    const auto made = advised(
        {scale_maker(4)
             .add(1, 1, 296)
             .add(2, 2.19, 270)
             .add(4, 4.49, 264)
             .add(8, 4.53, 520)
             .warn(scale_warning_kind::super_linear, 2, "2 workers are 2.19 times as fast as 1")
             .warn(scale_warning_kind::super_linear, 4, "4 workers are 4.49 times as fast as 1")
             .warn(scale_warning_kind::baseline_drifted, 0, "1 worker was 12 % faster at the end")
             .warn(scale_warning_kind::super_linear, 8, "and so on to 8")
             .finish()});
    EXPECT_FALSE(made.workers);
    EXPECT_EQ(made.limit, limit_kind::unknown);
    EXPECT_THAT(said(made, topic::workers), IsEmpty());
    EXPECT_THAT(said(made, topic::trust),
                AllOf(HasSubstr("scale.json warns: 2 workers are 2.19"), HasSubstr("4.49"),
                      HasSubstr("12 % faster at the end")));
    EXPECT_THAT(left_open(made, topic::workers),
                HasSubstr("of the 4 numbers of workers in scale.json only 1"));
}

TEST(advice_on_limit, nothing_to_speak_of) {
    const auto made = advised({scale_maker(2).add(1, 1, 100).add(2, 1.96, 101).finish()});
    EXPECT_EQ(made.limit, limit_kind::none);
    EXPECT_THAT(said(made, topic::limit), HasSubstr("each does 98 % of what one alone does"));
}

// docs/reference/advise.md: "if the efficiency is 95 % or more".
TEST(advice_on_limit, ninety_five_percent_is_good) {
    const auto made = advised({scale_maker(2).add(1, 1, 100).add(2, 1.9, 104).finish()});
    EXPECT_EQ(made.limit, limit_kind::none);
    const auto less = advised({scale_maker(2).add(1, 1, 100).add(2, 1.898, 104).finish()});
    EXPECT_EQ(less.limit, limit_kind::items);
}

TEST(advice_on_limit, figures_that_do_not_agree_say_nothing) {
    for (const double speedup : {1.9, 1.8, 1.96}) {
        const auto made = advised({scale_maker(2).add(1, 1, 100).add(2, speedup, 155).finish()});
        EXPECT_EQ(made.limit, limit_kind::unknown);
        EXPECT_THAT(said(made, topic::limit),
                    AllOf(HasSubstr("do not agree: with 2 workers an item costs 1.55 times"),
                          Not(HasSubstr("of what is lost"))));
        EXPECT_THAT(left_open(made, topic::limit), HasSubstr("regatta scale primes"));
    }
}

TEST(advice_on_limit, items_that_cost_more_and_what_stream_says) {
    const auto slow_items = [] { return scale_maker(2).add(1, 1, 100).add(2, 1.25, 159).finish(); };
    const auto alone = advised({slow_items()});
    EXPECT_EQ(alone.limit, limit_kind::items);
    EXPECT_THAT(said(alone, topic::limit),
                AllOf(HasSubstr("with 2 workers they cost 1.59 times as much as alone"),
                      HasSubstr("98 % of what is lost")));
    EXPECT_THAT(left_open(alone, topic::limit), HasSubstr("regatta scale stream --workers 1,2"));

    const auto memory = advised({slow_items(), stream_file(1.1)});
    EXPECT_EQ(memory.limit, limit_kind::memory);
    EXPECT_THAT(said(memory, topic::limit), HasSubstr("is 1.10 times as fast with 2 workers"));
    EXPECT_THAT(left_open(memory, topic::limit), IsEmpty());

    const auto core = advised({slow_items(), stream_file(1.95)});
    EXPECT_EQ(core.limit, limit_kind::core);
    EXPECT_THAT(said(core, topic::limit), HasSubstr("memory bandwidth is not used up"));
}

TEST(advice_on_limit, stream_itself_is_memory) {
    const auto made = advised({stream_file(1.1)});
    EXPECT_EQ(made.limit, limit_kind::memory);
    EXPECT_THAT(said(made, topic::limit), HasSubstr("a second with 2 workers"));
}

TEST(advice_on_limit, the_clock_is_blamed_before_memory) {
    const auto made =
        advised({scale_maker(2).add(1, 1, 100, 3.6e9).add(2, 1.5, 131, 2.8e9).finish()});
    EXPECT_EQ(made.limit, limit_kind::clock);
    EXPECT_THAT(said(made, topic::limit), HasSubstr("3.60 GHz with 1 worker, 2.80 GHz with 2"));
}

TEST(advice_on_limit, a_serial_part_and_where_the_workers_wait) {
    // Amdahl's law with a serial fraction of 0.2.
    const auto made =
        advised({race_file(primes_race().add("serial", 200).add("std_thread", 120, 0.8333)),
                 scale_maker(2).add(1, 1, 100).add(2, 1 / 0.6, 100.5).finish()});
    EXPECT_EQ(made.limit, limit_kind::serial_part);
    EXPECT_THAT(said(made, topic::limit),
                AllOf(HasSubstr("20 % of a run (95 % interval"),
                      HasSubstr("no number of them is more than some 4.9 to 5.0 times"),
                      HasSubstr("std_thread goes into handing items out: 17 %")));
}

// A plain loop has one worker: what it reaches beside itself is no efficiency of two.
TEST(advice_on_limit, is_not_looked_for_in_a_scheme_that_has_one_worker) {
    const auto made =
        advised({race_file(primes_race().add("serial", 100, 0.5).add("std_thread", 120))});
    EXPECT_EQ(made.scheme, "serial");
    EXPECT_EQ(made.limit, limit_kind::unknown);
    EXPECT_THAT(said(made, topic::limit), Not(HasSubstr("of what one alone does")));
}

TEST(advice_on_limit, what_is_to_be_measured_names_the_scheme_of_the_result) {
    auto file = scale_maker(8).add(1, 1, 100).add(2, 1.99, 100.1).finish();
    auto document = nlohmann::json::parse(file.text);
    document["scheme"] = "steady";
    file.text = document.dump();
    const auto made = advised({file});
    bool any = false;
    for (const auto& one : made.open) {
        any = any || one.measure.find("regatta scale") != std::string::npos;
        EXPECT_TRUE(one.measure.find("regatta scale") == std::string::npos ||
                    one.measure.find("--scheme steady") != std::string::npos)
            << one.measure;
    }
    EXPECT_TRUE(any);
}

TEST(advice_on_limit, a_serial_part_that_may_be_none_is_not_called_the_limit) {
    auto file = scale_maker(2).add(1, 1, 100).add(2, 1 / 0.6, 100.5).finish();
    auto document = nlohmann::json::parse(file.text);
    document["fit"]["amdahl"]["serial_fraction"]["low"] = 0;
    file.text = document.dump();
    EXPECT_THAT(said(advised({file}), topic::limit),
                AllOf(HasSubstr("What is lost is not in the items: with 2 workers each does 83 %"),
                      Not(HasSubstr("serial part"))));
}

TEST(advice_on_limit, a_part_of_the_loss_in_the_items_is_named) {
    // Each worker does 60 %, and items that cost 1.32 times as much are 48 % of that loss.
    auto file = scale_maker(2).add(1, 1, 100).add(2, 1.2, 132).finish();
    auto document = nlohmann::json::parse(file.text);
    document["fit"]["amdahl"]["serial_fraction"]["low"] = 0;
    file.text = document.dump();
    const auto made = advised({file});
    EXPECT_THAT(said(made, topic::limit),
                AllOf(HasSubstr("Of what is lost, 48 % is in the items, which cost 1.32 times"),
                      Not(HasSubstr("not in the items"))));
    EXPECT_EQ(made.limit, limit_kind::unknown);
}

TEST(advice_on_limit, a_law_that_does_not_describe_the_points_tells_no_serial_part) {
    const auto made = advised({scale_maker(2).add(1, 1, 100).add(2, 0.5, 100.5).finish()});
    EXPECT_THAT(said(made, topic::limit), Not(HasSubstr("serial part")));
}

TEST(advice_on_limit, what_an_item_costs_is_not_made_up) {
    const auto made = advised({scale_maker(2).add(1, 1, 0).add(2, 0.5, 0).finish()});
    EXPECT_EQ(made.limit, limit_kind::unknown);
    EXPECT_THAT(
        said(made, topic::limit),
        HasSubstr("each does 25 % of what one alone does. What an item costs is not known"));

    // Where a race counts its items, `inflation` is 0.
    auto race = race_file(primes_race().add("serial", 200).add("std_thread", 400, 0.25));
    auto document = nlohmann::ordered_json::parse(race.text);
    for (auto& scheme : document["schemes"]) {
        scheme["item_cost"] = nullptr;
    }
    race.text = document.dump();
    const auto raced = advised({race, scale_maker(2).add(1, 1, 0).add(2, 0.5, 0).finish()});
    EXPECT_EQ(raced.limit, limit_kind::unknown);
    EXPECT_THAT(said(raced, topic::limit), HasSubstr("What an item costs is not known"));
}

TEST(advice_on_limit, a_peak_that_is_not_certain_is_not_named) {
    for (const char* member : {"low", "count"}) {
        auto file =
            scale_maker(8).add(1, 1, 0).add(2, 1.5, 0).add(4, 1.8, 0).add(8, 1.5, 0).finish();
        auto document = nlohmann::json::parse(file.text);
        ASSERT_EQ(document["fit"]["preferred"], "usl");
        EXPECT_THAT(said(advised({file}), topic::limit), HasSubstr("hold each other up"));
        document["fit"]["usl"]["coherence"][member] = 0;
        file.text = document.dump();
        EXPECT_THAT(said(advised({file}), topic::limit), Not(HasSubstr("hold each other up")));
    }
}

TEST(advice_on_limit, a_loss_within_the_noise_tells_none) {
    auto maker = scale_maker(2).add(1, 1, 100).add(2, 1.3, 100.5);
    maker.result.floor.distance = 0.4;
    const auto made = advised({maker.finish()});
    EXPECT_EQ(made.limit, limit_kind::unknown);
    EXPECT_THAT(said(made, topic::limit), IsEmpty());
    EXPECT_THAT(left_open(made, topic::limit), HasSubstr("regatta scale primes"));
}

TEST(advice_on_limit, workers_that_hold_each_other_up) {
    scale_maker maker(16);
    for (const unsigned p : {1U, 2U, 4U, 8U, 16U}) {
        maker.add(p, p / (1 + 0.02 * (p - 1) + 0.01 * p * (p - 1)), 100);
    }
    const auto made = advised({maker.finish()});
    EXPECT_EQ(made.limit, limit_kind::contention);
    EXPECT_EQ(made.workers, 8u);
    EXPECT_THAT(said(made, topic::limit),
                HasSubstr("from some 10 workers on more of them are slower"));
}

TEST(advice_on_limit, a_race_alone_tells_it_too) {
    const auto made =
        advised({race_file(primes_race().add("serial", 200).add("std_thread", 150, 0.6))});
    EXPECT_EQ(made.limit, limit_kind::serial_part);
    EXPECT_THAT(said(made, topic::limit), HasSubstr("each does 67 % of what one alone does"));
}

TEST(advice_on_processes, by_what_they_cost) {
    const auto dear = advised({race_file(
        primes_race().add("serial", 200).add("std_thread", 100).add("processes", 130, 0.77))});
    EXPECT_EQ(dear.kind, "threads");
    EXPECT_THAT(said(dear, topic::processes),
                HasSubstr("processes takes 1.296 times as long as std_thread"));
    EXPECT_THAT(said(dear, topic::processes), Not(HasSubstr("before its first item")));
    const auto free = advised({race_file(
        primes_race().add("serial", 200).add("std_thread", 100).add("processes", 100.1))});
    EXPECT_EQ(free.kind, "either");
    EXPECT_THAT(said(free, topic::processes),
                HasSubstr("Processes are not shown to cost or to gain time"));
    const auto none = advised({race_file(primes_race().add("serial", 200).add("std_thread", 100))});
    EXPECT_FALSE(none.kind);
    EXPECT_THAT(left_open(none, topic::processes), HasSubstr("serial,std_thread,processes"));
}

TEST(advice_on_processes, intervals_that_overlap_show_nothing) {
    auto maker = primes_race().add("std_thread", 100).add("processes", 110);
    for (sample& one : maker.result.schemes.back().measured.samples) {
        one.ns *= one.round % 2 == 0 ? 0.8 : 1.3;
    }
    const auto made = advised({race_file(maker)});
    EXPECT_EQ(made.kind, "either");
    EXPECT_THAT(said(made, topic::processes),
                AllOf(HasSubstr("Processes are not shown to cost or to gain time"),
                      HasSubstr("processes takes 1.1")));
}

TEST(advice_on_processes, python_is_another_matter) {
    const auto made = advised({race_file(primes_race()
                                             .add("std_thread", 100)
                                             .add("processes", 130)
                                             .add("python_serial", 300)
                                             .add("python_threads", 290)
                                             .add("python_processes", 160))});
    EXPECT_EQ(made.kind, "threads");
    EXPECT_THAT(said(made, topic::processes),
                AllOf(HasSubstr("Threads, unless"), HasSubstr("In Python: processes: "
                                                              "python_processes takes 0.5")));
}

TEST(advice_on_pinning, by_the_slow_downs_beside_noise) {
    // They spin where the pinned worker is, and leave the other CPU to the one that is not.
    const auto hostile = advised({isolation_file(fakes::under_hostile_noise())});
    EXPECT_EQ(hostile.placement, "free");
    EXPECT_THAT(said(hostile, topic::pinning),
                AllOf(HasSubstr("Do not pin: beside the noise hostile:2, pinned workers take 2.99"),
                      HasSubstr("are not shown to need CPUs of their own")));
    const auto own = advised({isolation_file(isolation_maker()
                                                 .add(isolation_mode::alone, 100, 100)
                                                 .add(isolation_mode::unpinned, 150, 100)
                                                 .add(isolation_mode::pinned, 150, 100)
                                                 .add(isolation_mode::exclusive, 101, 100))});
    EXPECT_EQ(own.placement, "exclusive");
    EXPECT_THAT(said(own, topic::pinning), HasSubstr("give the workers CPUs of their own"));
    const auto pin = advised({isolation_file(isolation_maker()
                                                 .add(isolation_mode::alone, 100, 100)
                                                 .add(isolation_mode::unpinned, 150, 100)
                                                 .add(isolation_mode::pinned, 110, 100)
                                                 .refuse(isolation_mode::exclusive, "no rights"))});
    EXPECT_EQ(pin.placement, "pinned");
    EXPECT_THAT(said(pin, topic::pinning), HasSubstr("Pin: beside"));
    EXPECT_THAT(left_open(pin, topic::pinning), HasSubstr("no rights"));
    const auto same = advised({isolation_file(isolation_maker()
                                                  .add(isolation_mode::alone, 100, 100)
                                                  .add(isolation_mode::unpinned, 110, 100)
                                                  .add(isolation_mode::pinned, 110, 100)
                                                  .refuse(isolation_mode::exclusive, "no"))});
    EXPECT_EQ(same.placement, "free");
    EXPECT_THAT(said(same, topic::pinning), HasSubstr("Pinning is not shown to help"));
}

// Then the mode alone is where the kernel places the workers beside the load that is there.
TEST(advice_on_pinning, without_made_noise_alone_is_what_is_not_pinned) {
    auto maker = isolation_maker()
                     .add(isolation_mode::alone, 191, 191)
                     .refuse(isolation_mode::unpinned, "it is the same as alone")
                     .add(isolation_mode::pinned, 571, 191)
                     .refuse(isolation_mode::exclusive, "no rights");
    maker.result.noise = {noise_kind::none, 0};
    const auto made = advised({isolation_file(maker)});
    EXPECT_EQ(made.placement, "free");
    EXPECT_THAT(
        said(made, topic::pinning),
        AllOf(HasSubstr("Do not pin: beside what runs here anyway, pinned workers take 2.99"),
              HasSubstr("those that the kernel places 1.00 (1.00…1.00)")));
    maker.result.of(isolation_mode::pinned).measured.samples.resize(3);
    maker.result.of(isolation_mode::pinned).runs.resize(3);
    EXPECT_THAT(left_open(advised({isolation_file(maker)}), topic::pinning),
                HasSubstr("6 clean ones of alone and pinned"));
}

// Intervals that overlap show nothing, neither for it nor against it.
TEST(advice_on_pinning, what_scatters_too_much_is_not_denied) {
    auto maker = isolation_maker()
                     .add(isolation_mode::alone, 100, 100)
                     .add(isolation_mode::unpinned, 150, 100)
                     .add(isolation_mode::pinned, 120, 100)
                     .add(isolation_mode::exclusive, 101, 100);
    for (const isolation_mode mode : {isolation_mode::unpinned, isolation_mode::pinned}) {
        for (sample& one : maker.result.of(mode).measured.samples) {
            one.ns *= one.round % 2 == 0 ? 0.65 : 1.5;
        }
    }
    const std::string told = said(advised({isolation_file(maker)}), topic::pinning);
    EXPECT_THAT(told, AllOf(HasSubstr("Pinning is not shown to help"),
                            HasSubstr("are not shown to need CPUs of their own")));
    EXPECT_THAT(told, Not(AnyOf(HasSubstr("not worth while"), HasSubstr("do not need"))));
}

TEST(advice_on_trust, disturbed_and_cut_short_results) {
    auto maker = primes_race().add("serial", 200).add("std_thread", 100);
    for (scheme_result& one : maker.result.schemes) {
        for (std::size_t i = 0; i < 6; ++i) {
            one.measured.samples[i].load.contaminated = true;
        }
    }
    maker.result.stopped = true;
    const auto made = advised({race_file(maker)});
    EXPECT_THAT(said(made, topic::trust), AllOf(HasSubstr("% of the samples of race.json"),
                                                HasSubstr("cut short after 15 rounds")));
    EXPECT_THAT(said(advised({stream_file(1.9)}), topic::trust), IsEmpty());
}

TEST(advice_in_all, what_is_not_measured_is_left_open) {
    const auto made = advised({race_file(primes_race().add("serial", 200).add("std_thread", 100))});
    for (const topic about : {topic::workers, topic::pinning, topic::processes}) {
        EXPECT_THAT(said(made, about), IsEmpty());
        EXPECT_THAT(left_open(made, about),
                    HasSubstr("the 1 result given says nothing certain of it"));
    }
}
