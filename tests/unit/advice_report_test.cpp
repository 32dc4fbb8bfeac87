// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advice_results.hpp"
#include "report/advice/advice_json.hpp"
#include "report/advice/advice_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>

using namespace regatta::race;
using fakes::primes_race;
using fakes::race_file;
using fakes::scale_maker;
using testing::HasSubstr;
using testing::Not;

namespace {

advice some_advice(const text_style& style) {
    return advise(
        read_evidence({race_file(primes_race().add("serial", 200).add("std_thread", 102, 0.98)),
                       scale_maker(2).add(1, 1, 100).add(2, 1.96, 101).finish()}),
        style);
}

std::string text_in(const text_style& style) {
    return to_text(some_advice(style), style);
}

} // namespace

TEST(advice_text, in_full) {
    EXPECT_EQ(text_in({.width = 80}),
              R"(Advice for primes size 500 max_prime 10000 seed 1 on 2 CPUs (A processor), from
  race.json and scale.json

Scheme
  Take std_thread: 102 ms a run with 2 workers, 1.96 times as fast as serial (95
  % interval 1.95…1.96).
      race.json: schemes[1].time_ns.median 1.02464e+08,
      schemes[1].vs_baseline.median 1, noise_floor 0.00682344,
      schemes[1].speedup.median 1.96433

Workers
  Take 2 workers: 1.96 times as fast as one (95 % interval 1.94…1.98), which
  uses 98 % of each.
      scale.json: points[1].speedup.median 1.96, points[1].efficiency 0.98

Limit
  Up to 2 workers hardly anything is lost: each does 98 % of what one alone
  does, so neither memory nor a serial part is the limit.
      scale.json: points[1].efficiency 0.98, points[0].latency_ns.mean 100000,
      points[1].latency_ns.mean 101000

What these results do not say
  Processes or threads: the 2 results given say nothing certain of it.
      Measure it: regatta race primes --size 500 --max-prime 10000 --schemes
      serial,std_thread,processes --json race.json
  Whether to pin: the 2 results given say nothing certain of it.
      Measure it: regatta race isolation --rounds 15 --json isolation.json
)");
}

TEST(advice_text, warnings_of_a_result_keep_to_ascii_too) {
    auto scale = scale_maker(2).add(1, 1, 100).add(2, 2.5, 100);
    scale.warn(scale_warning_kind::super_linear, 2, "a speed-up of 2.50 (2.40 … 2.60) is too much");
    const auto told = [&](bool unicode) {
        const text_style style{.width = 200, .unicode = unicode};
        return to_text(advise(read_evidence({scale.finish()}), style), style);
    };
    EXPECT_THAT(told(true), HasSubstr("2.50 (2.40 … 2.60)"));
    EXPECT_THAT(told(false), HasSubstr("2.50 (2.40 .. 2.60)"));
}

TEST(advice_text, keeps_to_the_width_and_to_ascii) {
    for (const unsigned width : {40U, 60U, 120U}) {
        std::istringstream lines(text_in({.width = width, .unicode = false}));
        for (std::string line; std::getline(lines, line);) {
            // Nothing breaks words, and places of figures are long ones.
            if (line.find(' ', line.find_first_not_of(' ')) != std::string::npos) {
                EXPECT_LE(columns_of(line), width) << line;
            }
            EXPECT_TRUE(std::ranges::all_of(line, [](char c) { return c > 0; })) << line;
        }
    }
    EXPECT_THAT(text_in({.colour = true}), HasSubstr("\x1b[1mScheme\x1b[0m"));
    EXPECT_THAT(text_in({}), Not(HasSubstr("\x1b")));
}

TEST(advice_json, a_setting_of_more_digits_than_a_number_holds_stays_text) {
    advice made = some_advice({});
    made.workload.settings = {{"size", "18446744073709551615"}, {"seed", "18446744073709551616"}};
    const auto document = nlohmann::json::parse(to_json(made, fakes::some_machine()));
    EXPECT_EQ(document["settings"]["size"], 18446744073709551615U);
    EXPECT_EQ(document["settings"]["seed"], "18446744073709551616");
}

TEST(advice_json, has_each_sentence_with_its_figures) {
    const advice made = some_advice({});
    const auto document = nlohmann::json::parse(to_json(made, fakes::some_machine()));
    EXPECT_EQ(document["schema"], "regatta-advice/1");
    EXPECT_EQ(document["files"], (nlohmann::json{"race.json", "scale.json"}));
    EXPECT_EQ(document["workload"], "primes");
    EXPECT_EQ(document["settings"]["max_prime"], 10000);
    EXPECT_EQ(document["scheme"], "std_thread");
    EXPECT_EQ(document["workers"], 2);
    EXPECT_EQ(document["limit"], "none");
    EXPECT_TRUE(document["workers_are"].is_null());
    EXPECT_TRUE(document["placement"].is_null());
    ASSERT_EQ(document["sentences"].size(), made.sentences.size());
    const auto& first = document["sentences"][0];
    EXPECT_EQ(first["topic"], "scheme");
    EXPECT_EQ(first["figures"][0]["member"], "schemes[1].time_ns.median");
    EXPECT_EQ(first["figures"][0]["file"], "race.json");
    EXPECT_NEAR(first["figures"][0]["value"].get<double>(), 102e6, 1e6);
    ASSERT_EQ(document["open"].size(), 2u);
    EXPECT_EQ(document["open"][1]["topic"], "pinning");
}
