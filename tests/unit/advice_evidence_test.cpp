// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advice/result_error.hpp"
#include "advice_results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace regatta::race;
using fakes::changed;
using fakes::document;
using fakes::isolation_file;
using fakes::primes_race;
using fakes::race_file;
using fakes::scale_maker;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

result_text a_race() {
    return race_file(primes_race().add("serial", 200).add("std_thread", 102, 0.98));
}

result_text a_scale(const std::string& file = "scale.json") {
    return scale_maker(2).add(1, 1, 100).add(2, 1.96, 101).finish(file);
}

std::string refusal_of(const std::vector<result_text>& files) {
    try {
        read_evidence(files);
    } catch (const result_error& e) {
        return e.what();
    }
    return "taken";
}

} // namespace

TEST(advice_evidence, has_what_the_files_say_and_where) {
    const evidence all =
        read_evidence({a_race(), a_scale(), isolation_file(fakes::under_hostile_noise())});
    ASSERT_TRUE(all.race && all.scale && all.isolation);
    EXPECT_EQ(all.count(), 3u);
    EXPECT_EQ(all.race->workload.name, "primes");
    EXPECT_EQ(all.race->workers, 2u);
    const scheme_evidence* serial = all.race->find("serial");
    ASSERT_TRUE(serial != nullptr && serial->vs_baseline);
    EXPECT_NEAR(serial->vs_baseline->median.value, 1.96, 0.02);
    EXPECT_EQ(serial->vs_baseline->median.member, "schemes[0].vs_baseline.median");
    EXPECT_EQ(serial->vs_baseline->median.file, "race.json");
    EXPECT_NEAR(all.race->find("std_thread")->share("work"), 0.98, 0.01);
    EXPECT_EQ(all.scale->points.size(), 2u);
    EXPECT_EQ(all.scale->find(2)->efficiency->member, "points[1].efficiency");
    EXPECT_DOUBLE_EQ(all.scale->find(2)->mean_latency->value, 101'000);
    EXPECT_EQ(all.isolation->noise, "hostile:2");
    EXPECT_TRUE(all.isolation->find("pinned")->slowdown);
}

// "regatta race isolation --noise none": there is nothing to be isolated from.
TEST(advice_evidence, without_noise_is_evidence_too) {
    const auto quiet = changed(isolation_file(fakes::under_hostile_noise()), [](document& d) {
        d["noise"]["kind"] = "none";
        d["noise"]["count"] = 0;
    });
    EXPECT_EQ(read_evidence({quiet}).isolation->noise, "none");
}

TEST(advice_evidence, files_may_come_in_any_order_and_stream_is_known_as_the_second) {
    scale_maker other(2);
    other.result.workload = "stream";
    other.result.settings = {{"size", "64"}};
    const result_text stream = other.add(1, 1, 900).add(2, 1.1, 1600).finish("stream.json");
    for (const auto& files : {std::vector{stream, a_scale()}, std::vector{a_scale(), stream}}) {
        const evidence all = read_evidence(files);
        EXPECT_EQ(all.scale->file, "scale.json");
        EXPECT_EQ(all.bandwidth->file, "stream.json");
    }
    EXPECT_EQ(read_evidence({stream}).scale->file, "stream.json");
    EXPECT_EQ(read_evidence({stream, a_race()}).bandwidth->file, "stream.json");
    EXPECT_THAT(refusal_of({stream, a_scale(), stream}), HasSubstr("second"));
}

TEST(advice_evidence, cut_files_are_refused_with_their_end) {
    const std::string whole = a_race().text;
    EXPECT_THAT(
        refusal_of({{"cut.json", whole.substr(0, whole.size() / 2)}}),
        AllOf(HasSubstr("cut.json: ends in the middle"), HasSubstr("line "), HasSubstr("column ")));
    EXPECT_THAT(refusal_of({{"cut.json", "{\n  \"a\": 1,\n  x"}}), HasSubstr("line 3"));
    EXPECT_THAT(refusal_of({{"cut.json", ""}}), HasSubstr("cut.json: is empty"));
    EXPECT_THAT(refusal_of({{"text.json", "hello, world"}}), HasSubstr("is no JSON at line 1"));
    EXPECT_THAT(refusal_of({{"bytes.json", std::string("{\"a\": \"\xff\"}")}}),
                HasSubstr("bytes.json"));
    EXPECT_THAT(refusal_of({{"large.json", "{\n\"a\": 1e999}"}}),
                HasSubstr("large.json: 1e999 at line 2, column 10 is out of range; allowed are"));
    for (const char* more : {" x", "x", "{", ", 1"}) {
        EXPECT_THAT(refusal_of({{"more.json", whole + more}}), HasSubstr("is no JSON at line"))
            << more;
    }
}

TEST(advice_evidence, every_beginning_of_a_file_is_refused) {
    const std::string whole = a_scale().text;
    for (std::size_t length = 0; length + 2 < whole.size(); length += 97) {
        EXPECT_NE(refusal_of({{"cut.json", whole.substr(0, length)}}), "taken") << length;
    }
}

TEST(advice_evidence, members_that_are_there_twice_are_refused) {
    const std::string whole = a_race().text;
    EXPECT_THAT(refusal_of({{"twice.json", R"({"workload": "fib", )" + whole.substr(1)}}),
                HasSubstr("twice.json: the member \"workload\" is there twice in an object"));
    EXPECT_THAT(refusal_of({{"twice.json", "{\"\": 1, \"\": 1}"}}),
                HasSubstr("twice.json: the member \"\" is there twice in an object"));
    EXPECT_THAT(refusal_of({{"twice.json", "{\"\x1b[2J\": 1, \"\x1b[2J\": 1}"}}),
                Not(HasSubstr("\x1b")));
}

TEST(advice_evidence, a_workload_of_ones_own_is_known_by_its_file) {
    const auto named = [](const result_text& result, const std::string& name) {
        return changed(result, [&](document& d) { d["workload"] = name; });
    };
    const auto together = [&](const std::string& one, const std::string& other) {
        return std::vector{named(a_race(), one), named(a_scale(), other)};
    };
    EXPECT_EQ(read_evidence(together("./mine.so", "mine.so")).count(), 2u);
    EXPECT_EQ(read_evidence(together("a/../b/mine.so", "b//mine.so")).count(), 2u);
    EXPECT_THAT(refusal_of(together("a/mine.so", "b/mine.so")), HasSubstr("one workload"));
    EXPECT_THAT(refusal_of(together("./primes", "primes")), HasSubstr("one workload"));
}

TEST(advice_evidence, foreign_files_are_refused) {
    EXPECT_THAT(refusal_of({{"other.json", "{\"figures\": [1, 2]}"}}),
                AllOf(HasSubstr("no member \"schema\""), HasSubstr("regatta-race/1"),
                      HasSubstr("regatta-scale/1"), HasSubstr("regatta-isolation/1")));
    EXPECT_THAT(refusal_of({{"list.json", "[1, 2]"}}), HasSubstr("an object is expected"));
    EXPECT_THAT(refusal_of({{"other.json", "{\"schema\": 7}"}}),
                AllOf(HasSubstr("schema: a text is expected"), HasSubstr("number 7")));
}

TEST(advice_evidence, other_versions_are_refused) {
    const auto old = changed(a_race(), [](document& d) { d["schema"] = "regatta-race/0"; });
    EXPECT_THAT(refusal_of({old}), AllOf(HasSubstr("race.json: schema: \"regatta-race/0\""),
                                         HasSubstr("regatta-race/1")));
}

TEST(advice_evidence, what_is_missing_or_of_another_kind_has_a_place) {
    const auto missing = changed(a_race(), [](document& d) { d["schemes"][1].erase("status"); });
    EXPECT_THAT(refusal_of({missing}),
                HasSubstr("race.json: schemes[1]: the member \"status\" is missing"));
    const auto kind = changed(
        a_race(), [](document& d) { d["schemes"][0]["vs_baseline"]["median"] = "fast\x1b[31m"; });
    EXPECT_THAT(refusal_of({kind}),
                HasSubstr("race.json: schemes[0].vs_baseline.median: a number is expected, and "
                          "there is the text \"fast?[31m\""));
    const auto leader = changed(a_race(), [](document& d) { d["leaders"] = {"nobody"}; });
    EXPECT_THAT(refusal_of({leader}), HasSubstr("leaders[0]: \"nobody\""));
    const auto timeless =
        changed(a_race(), [](document& d) { d["schemes"][1]["time_ns"] = nullptr; });
    EXPECT_THAT(refusal_of({timeless}), HasSubstr("leaders[0]: \"std_thread\" is no scheme that"));
    const auto order =
        changed(a_race(), [](document& d) { d["schemes"][0]["vs_baseline"]["low"] = 100; });
    EXPECT_THAT(refusal_of({order}), HasSubstr("schemes[0].vs_baseline: its median"));
    const auto workers = changed(a_scale(), [](document& d) { d["points"][1]["workers"] = 1; });
    EXPECT_THAT(refusal_of({workers}), HasSubstr("points[1].workers: 1 follows 1"));
    const auto none = changed(a_scale(), [](document& d) { d["points"][0]["workers"] = 0; });
    EXPECT_THAT(refusal_of({none}), AllOf(HasSubstr("points[0].workers: 0"), HasSubstr("from 1")));
    const auto half = changed(a_scale(), [](document& d) { d["points"][0]["workers"] = 1.5; });
    EXPECT_THAT(refusal_of({half}), HasSubstr("1.5 is not a whole number"));
    const auto setting = changed(a_race(), [](document& d) { d["settings"]["\x1b[2J"] = 1; });
    EXPECT_THAT(refusal_of({setting}), HasSubstr("settings: has a member"));
}

TEST(advice_evidence, figures_that_cannot_be_have_a_place) {
    const auto share = changed(a_race(), [](document& d) { d["load"]["contaminated_share"] = 7; });
    EXPECT_THAT(refusal_of({share}), AllOf(HasSubstr("load.contaminated_share: 7"),
                                           HasSubstr("allowed are numbers from 0 to 1")));
    for (const char* const load : {"stolen_share", "foreign_share"}) {
        const auto much = changed(a_scale(), [&](document& d) { d["load"][load] = 7; });
        EXPECT_THAT(refusal_of({much}), HasSubstr(std::string("load.") + load + ": 7"));
    }
    const auto serial = changed(a_scale(), [](document& d) {
        d["fit"]["amdahl"]["serial_fraction"]["median"] = 5;
        d["fit"]["amdahl"]["serial_fraction"]["high"] = 6;
    });
    EXPECT_THAT(refusal_of({serial}), HasSubstr("fit.amdahl.serial_fraction.median: 5"));
    const auto law = changed(a_scale(), [](document& d) { d["fit"]["preferred"] = "bogus"; });
    EXPECT_THAT(
        refusal_of({law}),
        HasSubstr("fit.preferred: \"bogus\" is not a law; allowed are \"none\", \"amdahl\""));
    const auto twice =
        changed(a_race(), [](document& d) { d["schemes"][1]["name"] = d["schemes"][0]["name"]; });
    EXPECT_THAT(refusal_of({twice}), HasSubstr("schemes[1].name: "));
    const auto speedup = changed(a_scale(), [](document& d) {
        d["points"][1]["speedup"]["median"] = d["points"][1]["speedup"]["high"] = 1e308;
    });
    EXPECT_THAT(refusal_of({speedup}),
                AllOf(HasSubstr("points[1].speedup.median: 1e+308"), HasSubstr("to 1000000")));
    const auto efficiency =
        changed(a_scale(), [](document& d) { d["points"][1]["efficiency"] = 0.5; });
    EXPECT_THAT(refusal_of({efficiency}),
                HasSubstr("points[1].efficiency: 0.5 is not the speed-up 1.96 over the 2 workers"));
}

TEST(advice_evidence, ratios_of_times_are_above_zero_and_below_a_million) {
    const auto low = changed(a_race(), [](document& d) { d["schemes"][1]["speedup"]["low"] = 0; });
    EXPECT_THAT(refusal_of({low}), HasSubstr("schemes[1].speedup.low: 0 is out of range"));
    const auto high =
        changed(a_race(), [](document& d) { d["schemes"][0]["vs_baseline"]["high"] = 1e7; });
    EXPECT_THAT(refusal_of({high}), HasSubstr("schemes[0].vs_baseline.high: 10000000"));
    const auto alone = changed(
        a_scale(), [](document& d) { d["points"][0]["speedup"] = d["points"][1]["speedup"]; });
    EXPECT_THAT(refusal_of({alone}), HasSubstr("points[0].speedup.median: 1.96 is not 1"));
    const auto clock = changed(a_scale(), [](document& d) { d["points"][0]["clock_hz"] = 3.6; });
    EXPECT_THAT(refusal_of({clock}), HasSubstr("points[0].clock_hz: 3.6 is out of range"));
}

TEST(advice_evidence, what_does_not_belong_together_is_refused) {
    EXPECT_THAT(refusal_of({a_race(), a_race()}), HasSubstr("second result of regatta race"));
    EXPECT_THAT(refusal_of({a_scale("one"), a_scale("two")}),
                AllOf(HasSubstr("two: is a second"), HasSubstr("after one")));
    const auto workload = changed(a_scale(), [](document& d) { d["workload"] = "matmul"; });
    EXPECT_THAT(refusal_of({a_race(), workload}),
                AllOf(HasSubstr("about matmul"), HasSubstr("about primes")));
    const auto size = changed(a_scale(), [](document& d) { d["settings"]["size"] = 501; });
    EXPECT_THAT(refusal_of({a_race(), size}), HasSubstr("size 501"));
    const auto seed = changed(a_scale(), [](document& d) { d["settings"]["seed"] = 2; });
    EXPECT_EQ(refusal_of({a_race(), seed}), "taken");
    const auto machine = scale_maker(4).add(1, 1, 100).add(2, 1.9, 101).finish();
    EXPECT_THAT(refusal_of({a_race(), machine}),
                AllOf(HasSubstr("4 of 4 CPUs"), HasSubstr("one machine")));
    const auto processor =
        changed(a_scale(), [](document& d) { d["machine"]["cpu_model"] = "Another processor"; });
    EXPECT_THAT(refusal_of({a_race(), processor}),
                AllOf(HasSubstr("2 of 2 CPUs Another processor"), HasSubstr("one machine")));
    const auto fewer = changed(a_scale(), [](document& d) { d["machine"]["available_cpus"] = 1; });
    EXPECT_THAT(refusal_of({a_race(), fewer}), HasSubstr("1 of 2 CPUs"));
}

TEST(advice_evidence, stream_beside_a_race_of_stream_is_how_that_scales) {
    const auto is_stream = [](document& d) {
        d["workload"] = "stream";
        d["settings"] = {{"size", 64}};
    };
    const evidence all =
        read_evidence({changed(a_race(), is_stream), changed(a_scale(), is_stream)});
    EXPECT_TRUE(all.scale);
    EXPECT_FALSE(all.bandwidth);
}

TEST(advice_evidence, of_an_offered_rate_is_refused) {
    const auto offered = changed(a_race(), [](document& d) { d["rate"] = 5000; });
    EXPECT_THAT(refusal_of({offered}), HasSubstr("rate: items were offered at a rate"));
}

TEST(advice_evidence, a_race_of_programs_is_no_evidence) {
    const auto programs = changed(a_race(), [](document& d) { d["workload"] = nullptr; });
    EXPECT_THAT(refusal_of({programs}), HasSubstr("workload: only programs raced"));
}
