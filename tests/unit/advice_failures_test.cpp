// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Advice on items that wait, and on what failed, what is slower or has too few figures.

#include "advice_results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace regatta::race;
using fakes::advised;
using fakes::changed;
using fakes::document;
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

namespace {

scale_maker sleeping() {
    scale_maker maker = scale_maker(2).add(1, 1, 100).add(2, 1.99, 100).add(16, 11.37, 100);
    maker.warn(scale_warning_kind::super_linear, 16, "a speed-up of 11.37 is more than 2");
    maker.result.items_wait = true;
    return maker;
}

/// Two workers whose items cost 1.9 times as much.
scale_maker locked(double share_together) {
    scale_maker maker = scale_maker(2).add(1, 1, 100).add(2, 1.05, 190);
    maker.result.points[0].item_cpu_share = 1;
    maker.result.points[1].item_cpu_share = share_together;
    return maker;
}

} // namespace

TEST(advice_on_failures, schemes_and_numbers_of_workers_that_failed_are_told) {
    const auto fail = [](const char* list, std::size_t which) {
        return [=](document& d) {
            d[list][which]["status"] = "failed";
            d[list][which]["reason"] = "item 3 is wrong";
        };
    };
    const auto race = changed(
        race_file(primes_race().add("serial", 200).add("std_thread", 100).add("steady", 120)),
        fail("schemes", 2));
    EXPECT_THAT(said(advised({race}), topic::trust),
                HasSubstr("With 2 workers steady failed in race.json: item 3 is wrong."));
    const auto scale =
        changed(scale_maker(4).add(1, 1, 100).add(2, 1.9, 101).add(4, 3.8, 101).finish(),
                fail("points", 2));
    const auto made = advised({scale});
    EXPECT_THAT(said(made, topic::trust),
                HasSubstr("With 4 workers std_thread failed in scale.json: item 3 is wrong."));
    EXPECT_EQ(made.sentences.front().figures.front().from.member, "points[2].workers");
    EXPECT_THAT(left_open(made, topic::workers),
                HasSubstr("4 CPUs, and no sound figure is there of more"));
    const auto skipped = changed(race_file(primes_race().add("serial", 200).add("std_thread", 100)),
                                 [](document& d) {
                                     d["schemes"].push_back(d["schemes"][0]);
                                     d["schemes"][2]["name"] = "tbb";
                                     d["schemes"][2]["status"] = "skipped";
                                 });
    EXPECT_THAT(said(advised({skipped}), topic::trust), IsEmpty());
}

TEST(advice_on_failures, of_many_three_are_named) {
    const auto race = changed(race_file(primes_race()
                                            .add("serial", 200)
                                            .add("std_thread", 100)
                                            .add("steady", 120)
                                            .add("tbb", 120)
                                            .add("asio", 120)
                                            .add("balanced", 120)),
                              [](document& d) {
                                  for (std::size_t i = 2; i < 6; ++i) {
                                      d["schemes"][i]["status"] = "failed";
                                      d["schemes"][i]["reason"] = "it crashed.";
                                  }
                              });
    EXPECT_THAT(said(advised({race}), topic::trust),
                AllOf(HasSubstr("asio failed in race.json: it crashed.\n"),
                      Not(HasSubstr("balanced")), HasSubstr("With 2 workers 1 other failed.")));
}

TEST(advice_on_waiting, more_workers_than_cpus_gain) {
    const auto made = advised({sleeping().finish()});
    EXPECT_EQ(made.workers, 16u);
    EXPECT_THAT(said(made, topic::workers),
                HasSubstr("Take 16 workers: 11.37 times as fast as one (95 % interval 11.26…11.48):"
                          " the items wait, so that more workers than CPUs gain."));
    EXPECT_THAT(left_open(made, topic::workers),
                AllOf(HasSubstr("Whether more than 16 workers would be faster"),
                      HasSubstr("--workers 1,16,32")));
}

TEST(advice_on_waiting, an_older_result_does_not_say_so) {
    const auto made =
        advised({changed(sleeping().finish(), [](document& d) { d.erase("items_wait"); })});
    EXPECT_EQ(made.workers, 2u);
}

TEST(advice_on_waiting, for_a_lock_is_no_matter_of_memory) {
    const auto made = advised({locked(0.51).finish(), stream_file(1.1)});
    EXPECT_EQ(made.limit, limit_kind::waiting);
    EXPECT_THAT(said(made, topic::limit),
                AllOf(HasSubstr("The items wait for one another: with 2 workers they had a CPU for "
                                "51 % of their time, alone for 100 %"),
                      Not(HasSubstr("stream"))));
    EXPECT_EQ(advised({locked(0.9).finish()}).limit, limit_kind::items);
}

TEST(advice_on_stream, that_loses_outside_its_items_does_not_show_memory) {
    scale_maker stream(2);
    stream.result.workload = "stream";
    stream.result.settings = {{"size", "64"}};
    const auto file = stream.add(1, 1, 900).add(2, 1.5, 910).finish("stream.json");
    const auto made = advised({scale_maker(2).add(1, 1, 100).add(2, 1.25, 159).finish(), file});
    EXPECT_EQ(made.limit, limit_kind::items);
    EXPECT_THAT(left_open(made, topic::limit),
                HasSubstr("stream lost outside its items in stream.json; a larger size tells"));
}

TEST(advice_on_slower, no_serial_part_makes_several_slower_than_one) {
    const auto made = advised({scale_maker(2).add(1, 1, 100).add(2, 0.8, 101).finish()});
    EXPECT_EQ(made.limit, limit_kind::unknown);
    EXPECT_THAT(said(made, topic::limit), HasSubstr("What is lost is not in the items"));
}

TEST(advice_on_slower, intervals_that_overlap_show_no_loss) {
    scale_maker maker = scale_maker(4).add(1, 1, 100).add(2, 1.6, 101).add(4, 1.5, 101);
    maker.result.points.back().speedup.high = 1.7;
    EXPECT_THAT(said(advised({maker.finish()}), topic::workers),
                HasSubstr("4 workers are 0.94 times as fast as 2, which is no clear difference"));
}

TEST(advice_on_one_cpu, nothing_is_left_open_about_the_limit) {
    const auto made = advised({scale_maker(1).add(1, 1, 100).add(2, 0.9, 200).finish()});
    EXPECT_THAT(said(made, topic::limit), HasSubstr("takes two CPUs to tell, and there is 1."));
    EXPECT_THAT(left_open(made, topic::limit), IsEmpty());
}

TEST(advice_on_workers, why_none_is_said) {
    scale_maker maker = scale_maker(2).add(1, 1, 100).add(2, 1.9, 101);
    const auto unknown = changed(maker.finish(), [](document& d) { d["noise_floor"] = nullptr; });
    EXPECT_THAT(left_open(advised({unknown}), topic::workers),
                HasSubstr("scale.json has no noise floor, as too few of its 15 rounds are clean"));
    maker.result.points.back().word = verdict::unclear;
    maker.result.points.back().speedup.low = 1.1;
    EXPECT_THAT(left_open(advised({maker.finish()}), topic::workers),
                HasSubstr("which is less than the margin of the measurement"));
}

TEST(advice_text, a_measurement_of_its_own_begins_a_sentence) {
    auto maker = scale_maker(2).add(1, 1, 100).add(2, 1.96, 101);
    maker.result.stopped = true;
    EXPECT_THAT(said(advised({maker.finish("the scaling")}), topic::trust),
                HasSubstr("The scaling was cut short"));
}
