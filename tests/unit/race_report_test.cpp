// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race_results.hpp"
#include "report/common/bar.hpp"
#include "report/common/verdict_word.hpp"
#include "report/race/csv.hpp"
#include "report/race/full_text.hpp"
#include "report/race/table.hpp"
#include "text/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <numeric>
#include <string>
#include <vector>

namespace race = regatta::race;
namespace fakes = regatta::race::fakes;
using fakes::lines_of;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(race_text, durations_have_three_figures_and_a_unit) {
    const race::text_style style;
    EXPECT_EQ(race::duration_text(12, style), "12.0 ns");
    EXPECT_EQ(race::duration_text(1'234, style), "1.23 µs");
    EXPECT_EQ(race::duration_text(1'234, {.unicode = false}), "1.23 us");
    EXPECT_EQ(race::duration_text(71'249'000, style), "71.2 ms");
    EXPECT_EQ(race::duration_text(218'400'000, style), "218 ms");
    EXPECT_EQ(race::duration_text(999'960, style), "1.00 ms");
    EXPECT_EQ(race::duration_text(3.5e9, style), "3.50 s");
}

TEST(race_text, pads_shortens_and_wraps_by_columns) {
    const race::text_style style{.width = 10};
    EXPECT_EQ(race::columns_of("µ×"), 2u);
    EXPECT_EQ(race::padded_right("µs", 4, style), "µs  ");
    EXPECT_EQ(race::padded_left("µs", 4, style), "  µs");
    EXPECT_EQ(race::padded_right("zmq_inproc", 5, style), "zmq_…");
    EXPECT_EQ(race::padded_right("zmq_inproc", 5, {.unicode = false}), "zmq_~");
    EXPECT_EQ(race::wrapped("one two three four", 2, style), "one two\n  three\n  four\n");
    EXPECT_EQ(race::wrapped("averylongwordindeed x", 2, style), "averylongwordindeed\n  x\n");
    EXPECT_EQ(race::wrapped("CPUs 0,2,4,6,8,10,12,14 x", 2, style),
              "CPUs\n  0,2,4,6,\n  8,10,12,\n  14 x\n");
    EXPECT_EQ(race::wrapped("1,234 averylongword,indeed", 0, style),
              "1,234\naverylongword,indeed\n");
}

// Names that users choose are shown as they are: each column of a table begins at the same place.
TEST(race_text, knows_wide_characters_and_ones_that_combine) {
    const std::string before = std::setlocale(LC_CTYPE, nullptr);
    ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr);
    EXPECT_EQ(race::columns_of("日本"), 4U);
    EXPECT_EQ(race::columns_of("e\u0301a"), 2U);
    EXPECT_EQ(race::columns_of("█…µ"), 3U);
    EXPECT_EQ(race::columns_of("\xff\x80"), 2U);
    EXPECT_EQ(race::padded_right("日本", 6, {}), "日本  ");
    EXPECT_EQ(race::padded_left("日本語", 4, {}), " 日…");
    EXPECT_EQ(race::padded_right("日本語", 5, {}), "日本…");
    EXPECT_EQ(race::first_columns("ae\u0301b", 2), "ae\u0301");
    std::setlocale(LC_CTYPE, before.c_str());
}

TEST(race_text, words_of_verdicts) {
    EXPECT_EQ(race::word_of(race::verdict::baseline), "baseline");
    EXPECT_EQ(race::word_of(race::verdict::faster), "faster");
    EXPECT_EQ(race::word_of(race::verdict::slower), "slower");
    EXPECT_EQ(race::word_of(race::verdict::equal), "equal");
    EXPECT_EQ(race::word_of(race::verdict::unclear), "unclear");
    EXPECT_EQ(race::word_of(race::verdict::undecided), "undecided");
}

TEST(race_text, percent_and_ratio) {
    EXPECT_EQ(race::percent_text(0.97), "97 %");
    EXPECT_EQ(race::percent_text(0.0123), "1.2 %");
    EXPECT_EQ(race::percent_text(0), "0 %");
    EXPECT_EQ(race::percent_text(0.0994), "9.9 %");
    EXPECT_EQ(race::percent_text(0.0996), "10 %");
    EXPECT_EQ(race::margin_text(0.01), "1.0 %");
    EXPECT_EQ(race::margin_text(0.025), "2.5 %");
    EXPECT_EQ(race::margin_text(0.1), "10 %");
    EXPECT_EQ(race::margin_text(0), "0 %");
    EXPECT_EQ(race::margin_text(0.0025), "0.25 %");
    EXPECT_EQ(race::margin_text(0.0004), "0.04 %");
    EXPECT_EQ(race::margin_text(0.125), "12.5 %");
    EXPECT_EQ(race::ratio_text(0.98765), "0.988");
    EXPECT_EQ(race::ratio_text(12.345), "12.35");
    EXPECT_EQ(race::ratio_text(0.0123), "0.012");
    EXPECT_EQ(race::ratio_text(0.00142), "0.0014");
    EXPECT_EQ(race::ratio_text(0.000084), "8.4e-05");
}

TEST(race_bar, cells_sum_to_the_width) {
    race::attribution where;
    where.wall_ns = 100;
    where.workers = 1;
    for (double& ns : where.ns) {
        ns = 10;
    }
    for (const std::size_t width : {1u, 7u, 10u, 40u}) {
        const auto cells = race::bar_cells(where, width);
        EXPECT_EQ(std::accumulate(cells.begin(), cells.end(), std::size_t{0}), width);
        EXPECT_EQ(race::columns_of(race::bar_text(where, width, {})), width);
    }
    EXPECT_EQ(race::bar_text(race::attribution{}, 10, {}), "");
    EXPECT_EQ(race::bar_text(where, 10, {.unicode = false}), "#+%:>=<.?o");
}

TEST(race_table, operations_and_bytes_a_second_stand_beside_the_time) {
    race::race_result result = fakes::three_schemes();
    EXPECT_THAT(race::table_text(result, {.width = 150}), Not(HasSubstr("/s")));
    result.amount = 0.268435456;
    result.unit = "GFLOP";
    const auto lines = lines_of(race::table_text(result, {.width = 150}));
    EXPECT_THAT(lines[0], HasSubstr("GFLOP/s"));
    EXPECT_THAT(lines[1], HasSubstr(" 2.6")); // in 100 ms
    result.unit = "items";                    // says no more than the time
    EXPECT_THAT(race::table_text(result, {.width = 150}), Not(HasSubstr("items/s")));
}

TEST(race_table, sorts_by_time_and_shows_all_columns_where_there_is_room) {
    const auto lines = lines_of(race::table_text(fakes::three_schemes(), {.width = 120}));
    ASSERT_GE(lines.size(), 4u);
    for (const char* title :
         {"scheme", "median", "ratio", "interval", "speed-up", "effic.", "verdict", "where"}) {
        EXPECT_THAT(lines[0], HasSubstr(title));
    }
    EXPECT_THAT(lines[1], StartsWith("std_thread"));
    EXPECT_THAT(lines[1], HasSubstr("baseline"));
    EXPECT_THAT(lines[2], StartsWith("zmq_inproc"));
    EXPECT_THAT(lines[2], HasSubstr("slower"));
    EXPECT_THAT(lines[3], StartsWith("serial"));
    EXPECT_THAT(lines[1], HasSubstr("2.0"));
    EXPECT_THAT(lines.back(), HasSubstr("░ dispatch"));
}

TEST(race_table, keeps_to_every_width_and_drops_columns_in_order) {
    const std::vector<std::string> order{"interval", "effic.",  "where",  "speed-up",
                                         "ratio",    "verdict", "nothing"};
    std::size_t dropped = 0;
    for (unsigned width = 120; width >= 20; --width) {
        const auto lines = lines_of(race::table_text(fakes::three_schemes(), {.width = width}));
        for (const std::string& line : lines) {
            EXPECT_LE(race::columns_of(line), width) << line;
        }
        while (lines[0].find(order[dropped]) == std::string::npos && dropped + 1 < order.size()) {
            ++dropped;
        }
        for (std::size_t i = dropped; i + 1 < order.size(); ++i) {
            EXPECT_THAT(lines[0], HasSubstr(order[i])) << "at width " << width;
        }
        EXPECT_THAT(lines[0], HasSubstr("median"));
        EXPECT_THAT(lines[0], Not(HasSubstr("…"))); // a title stands whole
    }
    EXPECT_EQ(dropped, order.size() - 1);
    EXPECT_THAT(race::table_text(fakes::three_schemes(), {.width = 40}), HasSubstr("verdict"));
}

TEST(race_table, too_few_rounds_have_no_interval) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 120);
    for (std::size_t i = 5; i < 15; ++i) {
        maker.result.schemes[1].measured.samples[i].load.contaminated = true;
    }
    const auto lines = lines_of(race::table_text(maker.finish(), {.width = 120}));
    EXPECT_THAT(lines[1], HasSubstr("1.000…1.000"));
    EXPECT_THAT(lines[2], StartsWith("tbb"));
    EXPECT_THAT(lines[2], testing::AllOf(HasSubstr(" - "), Not(HasSubstr("…"))));
}

TEST(race_table, no_escape_without_colour_and_no_utf8_without_unicode) {
    const auto result = fakes::three_schemes();
    const auto from = fakes::some_machine();
    EXPECT_THAT(race::to_text(result, from, {}), Not(HasSubstr("\x1b")));
    EXPECT_THAT(race::to_text(result, from, {.colour = true}), HasSubstr("\x1b[32m"));
    for (const char c : race::to_text(result, from, {.unicode = false})) {
        EXPECT_GE(c, 0) << "beyond ASCII";
    }
}

TEST(race_table, says_how_many_rounds_an_unclear_ratio_takes) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 103);
    for (std::size_t i = 0; i < 15; ++i) {
        maker.result.schemes[1].measured.samples[i].ns *= i % 4 == 0 ? 1.1 : i % 4 == 2 ? 0.9 : 1;
    }
    const auto result = maker.finish();
    ASSERT_EQ(result.find("tbb")->word, race::verdict::unclear);
    const std::string rounds = std::to_string(result.find("tbb")->more_rounds);
    EXPECT_THAT(race::table_text(result, {.width = 120}), HasSubstr("unclear +" + rounds));
    EXPECT_THAT(race::to_text(result, fakes::some_machine(), {.width = 200}),
                HasSubstr("unclear +" + rounds + ": about " + rounds +
                          " rounds more would show whether it differs."));
}

TEST(race_table, a_thousand_rounds_stand_for_more_as_well) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 103);
    race::race_result result = maker.finish();
    result.schemes[1].word = race::verdict::unclear;
    result.schemes[1].more_rounds = 1000;
    EXPECT_THAT(race::to_text(result, fakes::some_machine(), {.width = 200}),
                HasSubstr("unclear +1000: 1000 rounds or more would show whether it differs."));
}

TEST(race_table, one_without_a_ratio_stands_last) {
    fakes::result_maker maker;
    maker.add("std_thread", 100).add("tbb", 90).add("processes", 200);
    race::race_result result = maker.finish();
    result.schemes[1].vs_baseline = {};
    const auto lines = lines_of(race::table_text(result, {.width = 120}));
    EXPECT_THAT(lines[3], StartsWith("tbb"));
    EXPECT_THAT(lines[3], HasSubstr(" - "));
}

TEST(race_table, efficiency_is_blank_where_it_means_nothing) {
    const auto result = fakes::result_maker()
                            .add("serial", 200)
                            .add("std_thread", 100)
                            .add("async_bus", 190)
                            .add("blas_threads", 2, 1, false)
                            .add("python_threads", 150)
                            .finish();
    EXPECT_TRUE(result.find("std_thread")->efficiency.has_value());
    for (const char* name : {"serial", "async_bus", "blas_threads", "python_threads"}) {
        EXPECT_TRUE(result.find(name)->speedup.has_value()) << name;
        EXPECT_FALSE(result.find(name)->efficiency.has_value()) << name;
    }
}

TEST(race_csv, one_line_a_scheme_and_as_many_fields_in_each) {
    const auto result = fakes::result_maker()
                            .add("std_thread", 100)
                            .add_failed("evil", "said \"no\"", true)
                            .finish();
    const auto lines = lines_of(race::to_csv(result));
    ASSERT_EQ(lines.size(), 3u);
    const auto commas = [](const std::string& line) {
        return std::count(line.begin(), line.end(), ',');
    };
    EXPECT_EQ(commas(lines[1]), commas(lines[0]));
    EXPECT_EQ(commas(lines[2]), commas(lines[0]));
    EXPECT_THAT(lines[0], StartsWith("name,scheme,status,reason,verified,median_ns"));
    EXPECT_THAT(lines[0], EndsWith("idle_ns,unlogged_ns,measuring_ns,command,cpu_ns,peak_bytes,p50_"
                                   "ns,p99_ns,p99_9_ns,max_ns"));
    EXPECT_THAT(lines[2], HasSubstr("\"said \"\"no\"\"\""));
}
