// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race_results.hpp"
#include "report/race/csv.hpp"
#include "report/race/full_text.hpp"
#include "report/race/latency_table.hpp"
#include "text/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace race = regatta::race;
namespace fakes = regatta::race::fakes;
using fakes::lines_of;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

/// A race at a rate: the percentiles are the times of the samples.
race::race_result offered(std::size_t items = 100) {
    fakes::result_maker maker;
    maker.result.items = items;
    maker.result.rate = 5000;
    maker.result.baseline = "mutex_queue";
    maker.add_skipped("serial", "it takes no single tasks")
        .add("steady", 0.01)
        .add("mutex_queue", 0.02)
        .add_skipped("tbb", "it takes no single tasks");
    for (race::scheme_result& one : maker.result.schemes) {
        for (std::size_t i = 0; one.ok() && i < items; ++i) {
            one.latency.record((one.name == "steady" ? 5'000 : 10'000) +
                               100 * static_cast<std::int64_t>(i));
        }
    }
    return maker.finish();
}

/// What is told to terminals without UTF-8.
constexpr const char* printable =
    " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz"
    "{|}~";

} // namespace

TEST(race_latency, percentiles_and_histograms_stand_in_the_place_of_times) {
    const race::race_result result = offered();
    const std::string table = race::latency_table_text(result, {.width = 120});
    for (const char* text : {"p50", "p99", "p99.9", "longest", "ratio", "verdict", "µs", "█"}) {
        EXPECT_THAT(table, HasSubstr(text));
    }
    const auto lines = lines_of(table);
    EXPECT_THAT(lines.at(1), StartsWith("steady"));
    EXPECT_THAT(lines.at(1), HasSubstr("faster"));
    for (const std::string& line :
         lines_of(race::latency_table_text(result, {.width = 120, .unicode = false}))) {
        EXPECT_EQ(line.find_first_not_of(printable), std::string::npos) << line;
    }
    for (unsigned width = 120; width >= 20; --width) {
        for (const std::string& line :
             lines_of(race::latency_table_text(result, {.width = width}))) {
            EXPECT_LE(race::columns_of(line), width) << line;
        }
    }
}

TEST(race_latency, each_percentile_stands_in_its_column) {
    race::race_result result = offered();
    for (race::scheme_result& one : result.schemes) {
        if (one.name == "steady") {
            one.latency = {};
            for (int i = 0; i < 10'000; ++i) { // Of each column's place another power of ten.
                one.latency.record(i < 9'800   ? 10'000
                                   : i < 9'980 ? 100'000
                                   : i < 9'995 ? 1'000'000
                                               : 10'000'000);
            }
        }
    }
    const race::text_style style{.width = 120};
    const auto lines = lines_of(race::latency_table_text(result, style));
    const race::latency_histogram& steady = result.find("steady")->latency;
    std::string cells = "steady";
    for (const double share : {0.5, 0.99, 0.999, 1.0}) {
        cells += " +" + race::duration_text(static_cast<double>(steady.percentile(share)), style);
    }
    EXPECT_THAT(lines.at(1), testing::ContainsRegex(cells));
}

// "With fewer they are about the longest latency of each run"
TEST(race_latency, of_few_items_the_longest_is_judged_and_named) {
    const std::string text = race::to_text(offered(99), fakes::some_machine(), {.width = 400});
    EXPECT_THAT(text, HasSubstr("Ratios are longest latencies of mutex_queue = 1"));
    EXPECT_THAT(text, HasSubstr("steady has the lowest latency (longest of a run): "));
    EXPECT_THAT(text, Not(HasSubstr("(99th percentile)")));
}

TEST(race_latency, the_lowest_is_named) {
    const race::race_result result = offered();
    const std::string text = race::to_text(result, fakes::some_machine(), {.width = 400});
    EXPECT_THAT(text, HasSubstr("5000 items/s offered"));
    EXPECT_THAT(text, HasSubstr("Latency: from when an item was due to its begin. Ratios are the "
                                "runs' own 99th percentiles of mutex_queue = 1"));
    EXPECT_THAT(text, HasSubstr("steady has the lowest latency (99th percentile of a run): "));
    EXPECT_THAT(text, HasSubstr("Choose by need: lowest latency: steady."));
    EXPECT_THAT(text, HasSubstr("skipped serial, tbb: it takes no single tasks"));
    EXPECT_THAT(text, Not(HasSubstr("Why:")));
    EXPECT_THAT(text, Not(HasSubstr(" won")));
}

TEST(race_latency, the_csv_has_percentiles_and_no_parts) {
    const race::race_result result = offered();
    const race::latency_histogram& steady = result.find("steady")->latency;
    EXPECT_THAT(race::to_csv(result),
                HasSubstr(",2,,,,,,,,,,,,,," + std::to_string(steady.percentile(0.5)) + "," +
                          std::to_string(steady.percentile(0.99)) + ","));
}
