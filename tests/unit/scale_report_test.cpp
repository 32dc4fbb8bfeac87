// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race_results.hpp"
#include "report/scale/scale_csv.hpp"
#include "report/scale/scale_curve.hpp"
#include "report/scale/scale_json.hpp"
#include "report/scale/scale_table.hpp"
#include "report/scale/scale_text.hpp"
#include "report/scale/scale_words.hpp"
#include "scale_results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace race = regatta::race;
namespace fakes = regatta::race::fakes;
using fakes::lines_of;
using race::scale_warning_kind;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

/// Holds a text against the file of that name. With REGATTA_UPDATE_GOLDEN in the environment the
/// file is written anew, to be read critically before it is committed.
void expect_golden(const std::string& name, const std::string& text) {
    const std::string path = std::string(REGATTA_GOLDEN) + "/" + name + ".txt";
    if (std::getenv("REGATTA_UPDATE_GOLDEN") != nullptr) {
        std::ofstream(path) << text;
        return;
    }
    std::ifstream file(path);
    ASSERT_TRUE(file) << path;
    std::ostringstream expected;
    expected << file.rdbuf();
    EXPECT_EQ(text, expected.str()) << path;
}

std::string report(const fakes::scale_maker& maker, const race::text_style& style) {
    return race::to_text(maker.result, fakes::some_machine(), style);
}

nlohmann::json document_of(const race::scale_result& result) {
    return nlohmann::json::parse(race::to_json(result, fakes::some_machine()));
}

} // namespace

TEST(scale_golden, the_evaluation_that_cannot_be_true) {
    expect_golden("scale_evaluation_80", report(fakes::of_the_evaluation(), {.width = 80}));
    expect_golden("scale_evaluation_120", report(fakes::of_the_evaluation(), {.width = 120}));
}

TEST(scale_golden, a_server_with_contention) {
    expect_golden("scale_server_120", report(fakes::of_a_server(), {.width = 120}));
    expect_golden("scale_server_40", report(fakes::of_a_server(), {.width = 40}));
    expect_golden("scale_server_80_colour",
                  report(fakes::of_a_server(), {.width = 80, .colour = true}));
}

TEST(scale_golden, matrices_against_the_peak_in_ascii) {
    expect_golden("scale_matrices_80_ascii",
                  report(fakes::of_matrices(), {.width = 80, .unicode = false}));
}

TEST(scale_golden, an_offered_rate) {
    expect_golden("scale_rate_80", report(fakes::at_a_rate(), {.width = 80}));
}

TEST(scale_golden, a_disturbed_run_with_a_failure_that_was_cut_short) {
    auto maker = fakes::of_the_evaluation();
    maker.result.warnings.clear();
    maker.result.points.resize(2);
    maker.result.points[1].speedup = fakes::scale_maker::around(1.94, 0.2);
    maker.result.points[1].efficiency = fakes::scale_maker::around(0.97, 0.2);
    maker.result.points[1].measured.samples[3].load.contaminated = true;
    maker.result.fit = {};
    maker.add_failed(4, "a worker was killed by signal 9");
    maker.result.stopped = true;
    maker.result.rounds = 9;
    maker.warn(scale_warning_kind::disturbed, 0,
               "during 31 % of the runs others used the CPUs (of all CPU time other processes had "
               "12 %, the hypervisor took 0.0 %); those runs do not count; quiet the machine and "
               "measure again");
    maker.warn(scale_warning_kind::stopped, 0, "stopped after 9 rounds: the figures rest on those");
    expect_golden("scale_disturbed_80", report(maker, {.width = 80}));
}

TEST(scale_report, keeps_to_every_width) {
    for (const auto& maker : {fakes::of_the_evaluation(), fakes::of_a_server(),
                              fakes::of_matrices(), fakes::at_a_rate()}) {
        for (unsigned width = 130; width >= 24; --width) {
            for (const bool unicode : {true, false}) {
                for (const auto& line :
                     lines_of(report(maker, {.width = width, .unicode = unicode}))) {
                    EXPECT_LE(race::columns_of(line), width) << line;
                }
            }
        }
    }
}

TEST(scale_report, no_escape_without_colour_and_no_utf8_without_unicode) {
    EXPECT_THAT(report(fakes::of_a_server(), {}), Not(HasSubstr("\x1b")));
    for (const char c : report(fakes::of_a_server(), {.unicode = false})) {
        EXPECT_GE(c, 0) << "beyond ASCII";
    }
}

TEST(scale_report, colours_take_no_columns) {
    const auto plain = lines_of(report(fakes::of_a_server(), {.width = 80}));
    auto coloured = lines_of(report(fakes::of_a_server(), {.width = 80, .colour = true}));
    ASSERT_EQ(coloured.size(), plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
        std::string& line = coloured[i];
        for (auto at = line.find('\x1b'); at != line.npos; at = line.find('\x1b')) {
            line.erase(at, line.find('m', at) + 1 - at);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        EXPECT_EQ(line, plain[i]);
    }
}

TEST(scale_report, a_machine_that_spoils_it_is_told_before_the_figures) {
    auto from = fakes::some_machine();
    from.machine.build_type = "Debug";
    const std::string text = race::to_text(fakes::of_a_server().result, from, {});
    EXPECT_LT(text.find("Warning: "), text.find("speed-up"));
}

TEST(scale_report, a_clock_is_told_once_of_each_number_of_workers) {
    fakes::scale_maker maker(4, "events", 400, 400);
    maker.add(1, 1000).add(2, 1900).add(4, 4500);
    maker.warn_of_clock(scale_warning_kind::clock_changed, 2,
                        "with 2 workers the clock was higher");
    maker.warn_of_clock(scale_warning_kind::clock_changed, 4,
                        "with 4 workers the clock was higher");
    maker.warn_of_clock(scale_warning_kind::super_linear, 4,
                        "a speed-up of 4.50: the clock was higher");
    EXPECT_THAT(race::to_text(maker.result, fakes::some_machine(), {}),
                AllOf(HasSubstr("NOTE: With 2 workers the clock"), HasSubstr("NOTE: A speed-up"),
                      Not(HasSubstr("With 4 workers the clock"))));
}

TEST(scale_report, a_clock_is_told_beside_another_cause_of_a_super_linear_speedup) {
    fakes::scale_maker maker(4, "events", 400, 400);
    maker.add(1, 1000).add(4, 4500);
    maker.warn_of_clock(scale_warning_kind::clock_changed, 4, "with 4 workers the clock was lower");
    maker.warn(scale_warning_kind::super_linear, 4, "a speed-up of 4.50: an item took 0.78");
    EXPECT_THAT(report(maker, {}), AllOf(HasSubstr("NOTE: With 4 workers the clock was lower"),
                                         HasSubstr("NOTE: A speed-up")));
}

TEST(scale_report, a_clock_that_changed_over_time_is_told_beside_one_that_was_higher) {
    fakes::scale_maker maker(4, "events", 400, 400);
    maker.add(1, 1000).add(4, 4500);
    maker.warn(scale_warning_kind::clock_changed, 4, "from round 8 on: the clock went up");
    maker.warn_of_clock(scale_warning_kind::super_linear, 4,
                        "a speed-up of 4.50: the clock was higher");
    EXPECT_THAT(report(maker, {}), AllOf(HasSubstr("NOTE: From round 8 on: the clock went up"),
                                         HasSubstr("NOTE: A speed-up")));
}

TEST(scale_report, nothing_measured_is_said_so) {
    fakes::scale_maker maker(4, "events", 400, 400);
    maker.add_failed(1, "no memory");
    const std::string text = report(maker, {});
    EXPECT_THAT(text, HasSubstr("FAILED with 1 worker: no memory\n"));
    EXPECT_THAT(text, HasSubstr("Nothing was measured.\n"));
}

TEST(scale_table, the_least_of_windows_keeps_workers_and_speed_up) {
    for (unsigned width = 120; width >= 20; --width) {
        const std::string table =
            race::scale_table_text(fakes::of_matrices().result, {.width = width});
        EXPECT_THAT(table, AllOf(HasSubstr("workers"), HasSubstr("speed-up"))) << width;
    }
    auto all = lines_of(race::scale_table_text(fakes::of_matrices().result, {.width = 130}));
    for (const char* title : {"GFLOP/s", "items/s", "of peak", "speed-up", "interval", "effic.",
                              "latency", "95th", "used"}) {
        EXPECT_THAT(all.at(0), HasSubstr(title));
    }
}

TEST(scale_table, a_bar_is_as_long_as_efficiency_could_be) {
    const auto lines =
        lines_of(race::scale_table_text(fakes::of_matrices().result, {.width = 130}));
    EXPECT_THAT(lines.at(1), HasSubstr("████████████████████████"));
    EXPECT_THAT(lines.at(2), HasSubstr("███████████████████████░"));
    EXPECT_THAT(lines.at(3), HasSubstr("  ███████████░")); // 4 workers on 2 CPUs: half
}

TEST(scale_table, too_few_rounds_have_no_interval) {
    auto maker = fakes::of_matrices();
    for (auto& one : maker.result.points) {
        one.speedup = {one.speedup.median, 0.5 * one.speedup.median, 2 * one.speedup.median, 5};
    }
    const std::string text = report(maker, {.width = 130});
    EXPECT_THAT(text, AllOf(HasSubstr("1.95×         -    98 %"), Not(HasSubstr("95 %")),
                            Not(HasSubstr("┃"))));
    maker.result.points[1].speedup.count = 6;
    EXPECT_THAT(report(maker, {.width = 130}),
                AllOf(HasSubstr("1.95×  0.98…3.91    98 %"), HasSubstr("intervals are of 95 %"),
                      HasSubstr("┃ its interval")));
}

TEST(scale_table, items_too_short_to_be_timed_have_no_latency) {
    fakes::scale_maker maker(2, "items", 1e6, 1'000'000);
    maker.runs("empty", {.size = 1'000'000});
    maker.add(1, 9.1e6).add(2, 1.7e7);
    const std::string text = report(maker, {});
    EXPECT_THAT(text, Not(HasSubstr("latency")));
    EXPECT_THAT(text, HasSubstr(" 9.100 M"));
    EXPECT_THAT(text, HasSubstr(" 17.00 M"));
    maker.result.counts_items = true;
    EXPECT_THAT(report(maker, {}), HasSubstr("be timed one by one"));
}

TEST(scale_table, sysbench_s_figures_are_those_of_primes_alone) {
    const auto lines = lines_of(race::sysbench_text(fakes::of_the_evaluation().result, {}));
    ASSERT_EQ(lines.size(), 6u);
    EXPECT_THAT(lines[2], StartsWith("      1    1000   3377.00    0.30    0.30     0.35    0.37"));
    EXPECT_EQ(race::sysbench_text(fakes::of_matrices().result, {}), "");
}

TEST(scale_curve, needs_two_numbers_of_workers_and_room) {
    fakes::scale_maker one(4, "events", 400, 400);
    one.add(1, 3377);
    EXPECT_EQ(race::scale_curve_text(one.result, {}), "");
    EXPECT_EQ(race::scale_curve_text(fakes::of_a_server().result, {.width = 24}), "");
    EXPECT_NE(race::scale_curve_text(fakes::of_a_server().result, {.width = 40}), "");
}

TEST(scale_curve, a_perfect_line_covers_the_ideal) {
    fakes::scale_maker maker(4, "events", 400, 400);
    maker.add(1, 1000).add(2, 2000).add(4, 4000).fit_amdahl(0, 0);
    EXPECT_THAT(race::scale_curve_text(maker.result, {}), Not(HasSubstr("··")));
}

TEST(scale_curve, wide_intervals_are_drawn) {
    auto maker = fakes::of_matrices();
    maker.result.points[1].speedup = {1.6, 1.2, 1.9, 15};
    EXPECT_THAT(race::scale_curve_text(maker.result, {}),
                AllOf(HasSubstr("┃ its interval"), HasSubstr("  ┃")));
    EXPECT_THAT(race::scale_curve_text(fakes::of_matrices().result, {}), Not(HasSubstr("┃")));
}

TEST(scale_curve, numbers_of_workers_that_would_touch_are_left_out) {
    fakes::scale_maker maker(64, "events", 400, 400);
    for (const unsigned workers : {1U, 30U, 31U, 32U, 33U, 34U, 64U}) {
        maker.add(workers, 100.0 * workers);
    }
    const auto lines = lines_of(race::scale_curve_text(maker.result, {.width = 60}));
    const std::string& labels = lines.at(lines.size() - 2);
    EXPECT_THAT(labels, AllOf(HasSubstr(" 30 "), HasSubstr("64"), Not(HasSubstr("31"))));
}

TEST(scale_curve, slower_than_one_worker_is_below_it) {
    fakes::scale_maker maker(4, "items", 400, 400);
    maker.add(1, 1000).add(2, 700).add(4, 240).fit_usl(0.5, 0.3, 0.02);
    const std::string curve = race::scale_curve_text(maker.result, {});
    EXPECT_THAT(curve, AllOf(HasSubstr("  0.5× ┤"), HasSubstr(" 0.25× ┤"), HasSubstr("╮")));
    EXPECT_THAT(race::scale_conclusion(maker.result, {}),
                HasSubstr("does not scale here: no number of workers is clearly faster"));
}

TEST(scale_json, has_what_a_reader_looks_for) {
    const auto document = document_of(fakes::of_a_server().result);
    EXPECT_EQ(document["schema"], "regatta-scale/1");
    EXPECT_EQ(document["settings"]["size"], 512);
    ASSERT_EQ(document["points"].size(), 7u);
    const auto& point = document["points"][3];
    EXPECT_EQ(point["workers"], 8);
    EXPECT_EQ(point["status"], "ok");
    EXPECT_NEAR(point["speedup"]["median"].get<double>(), 6.27, 0.01);
    EXPECT_LT(point["speedup"]["low"], point["speedup"]["median"]);
    EXPECT_GT(point["speedup"]["high"], point["speedup"]["median"]);
    EXPECT_NEAR(point["efficiency"].get<double>(), 0.783, 0.001);
    EXPECT_NEAR(point["events_per_second"].get<double>(), 15039, 1);
    for (const char* one : {"min", "mean", "median", "p95", "p99", "max"}) {
        EXPECT_GT(point["latency_ns"][one].get<double>(), 500'000) << one;
    }
    EXPECT_NEAR(point["fitted_speedup"].get<double>(), 6.29, 0.05);
    const auto& fit = document["fit"];
    EXPECT_EQ(fit["preferred"], "usl");
    EXPECT_NEAR(fit["amdahl"]["serial_fraction"]["median"].get<double>(), 0.0484, 1e-9);
    EXPECT_NEAR(fit["amdahl"]["limit"].get<double>(), 20.66, 0.01);
    EXPECT_NEAR(fit["usl"]["contention"]["median"].get<double>(), 0.0302, 1e-9);
    EXPECT_GT(fit["usl"]["peak_workers"], 29);
    EXPECT_EQ(document["warnings"][0]["kind"], "oversubscribed");
    EXPECT_EQ(document["warnings"][0]["workers"], 64);
    EXPECT_EQ(document["summary"].size(), 5u);
    EXPECT_TRUE(document_of(fakes::of_the_evaluation().result)["peak"].is_null());
    EXPECT_EQ(document_of(fakes::of_matrices().result)["peak"]["value"], 96);
}

TEST(scale_json, what_failed_is_null_and_named) {
    auto maker = fakes::of_matrices();
    maker.add_failed(8, "no threads");
    const auto document = document_of(maker.result);
    const auto& point = document["points"][3];
    EXPECT_EQ(point["status"], "failed");
    EXPECT_EQ(point["reason"], "no threads");
    for (const char* one :
         {"speedup", "efficiency", "events_per_second", "latency_ns", "verdict"}) {
        EXPECT_TRUE(point[one].is_null()) << one;
    }
}

TEST(scale_json, figures_without_a_clean_round_are_there_with_a_count_of_0) {
    auto maker = fakes::of_matrices();
    maker.result.points[1].speedup.count = 0;
    const auto point = document_of(maker.result)["points"][1];
    EXPECT_NEAR(point["speedup"]["median"].get<double>(), 1.95, 0.01);
    EXPECT_EQ(point["speedup"]["count"], 0);
}

// Ctrl-C in the first round, before one worker had its turn.
TEST(scale_report, without_one_worker_there_is_no_speedup) {
    auto maker = fakes::of_a_server();
    maker.result.points.front().measured.samples.clear();
    maker.result.points[1].speedup = maker.result.points[1].efficiency = {};
    EXPECT_THAT(race::scale_table_text(maker.result, {.width = 200}), Not(HasSubstr("0.00×")));
    EXPECT_EQ(race::scale_conclusion(maker.result, {}),
              "One worker was not measured: there is nothing to compare with.");
    const auto point = document_of(maker.result)["points"][1];
    EXPECT_GT(point["median_ns"].get<double>(), 0);
    EXPECT_TRUE(point["speedup"].is_null()) << point["speedup"];
    EXPECT_TRUE(point["efficiency"].is_null()) << point["efficiency"];
}

// As in the JSON: all numbers of workers take the same time.
TEST(scale_csv, at_a_rate_there_is_no_verdict) {
    const std::string csv = race::to_csv(fakes::at_a_rate().result);
    for (const char* word : {"baseline", "faster", "undecided"}) {
        EXPECT_THAT(csv, testing::Not(HasSubstr(word)));
    }
}

TEST(scale_full_text, says_that_nobody_could_see_others) {
    auto maker = fakes::of_matrices();
    const auto text = [&] {
        return race::to_text(maker.result, fakes::some_machine(), {.width = 1000});
    };
    EXPECT_THAT(text(), testing::Not(HasSubstr("could not be measured")));
    for (race::scale_point& one : maker.result.points) {
        for (race::sample& each : one.measured.samples) {
            each.load.measurable = false;
        }
    }
    EXPECT_THAT(text(), HasSubstr("The load of other processes could not be measured in any"));
}

// As the table and the JSON, which show them.
TEST(scale_csv, a_median_without_a_clean_round_has_no_interval) {
    auto maker = fakes::at_a_rate();
    maker.result.points[1].time.count = 0;
    const double median = maker.result.points[1].time.median;
    EXPECT_THAT(race::to_csv(maker.result),
                HasSubstr("," + std::to_string(std::llround(median)) + ",,,"));
}

TEST(scale_csv, a_line_a_number_of_workers) {
    auto maker = fakes::of_the_evaluation();
    maker.add_failed(16, "killed, by \"9\"");
    const auto lines = lines_of(race::to_csv(maker.result));
    ASSERT_EQ(lines.size(), 6u);
    const auto commas = std::count(lines[0].begin(), lines[0].end(), ',');
    for (std::size_t i = 1; i < 5; ++i) {
        EXPECT_EQ(std::count(lines[i].begin(), lines[i].end(), ','), commas) << lines[i];
    }
    EXPECT_THAT(lines[2], StartsWith("2,ok,,events,7405.000000,"));
    EXPECT_THAT(lines[5], StartsWith("16,failed,\"killed, by \"\"9\"\"\",events,,,,"));
}

TEST(scale_csv, each_figure_stands_below_its_name) {
    auto maker = fakes::of_matrices();
    maker.result.points[1].latency.clear();
    for (int i = 1; i <= 100; ++i) {
        maker.result.points[1].latency.record(i * 1'000'000);
    }
    for (race::sample& one : maker.result.points[1].measured.samples) {
        one.load.contaminated = true; // all of them, so that none is dropped
    }
    const auto lines = lines_of(race::to_csv(maker.result));
    const auto fields_of = [](const std::string& line) {
        std::vector<std::string> fields;
        std::istringstream stream(line);
        for (std::string field; std::getline(stream, field, ',');) {
            fields.push_back(field);
        }
        return fields;
    };
    const auto names = fields_of(lines[0]);
    const auto values = fields_of(lines[2]);
    ASSERT_EQ(names.size(), values.size());
    const auto value = [&](const std::string& name) {
        const auto found = std::find(names.begin(), names.end(), name);
        return std::stod(values.at(static_cast<std::size_t>(found - names.begin())));
    };
    const race::scale_point& two = maker.result.points[1];
    EXPECT_NEAR(value("throughput"), two.throughput.median, 1e-5);
    EXPECT_NEAR(value("events_per_second"), two.events_per_second.median, 1e-5);
    EXPECT_NE(two.throughput.median, two.events_per_second.median);
    EXPECT_NEAR(value("latency_p95_ns"), 95e6, 3e6);
    EXPECT_NEAR(value("latency_p99_ns"), 99e6, 1e6);
    EXPECT_GT(value("latency_p99_ns"), value("latency_p95_ns"));
    EXPECT_EQ(value("samples"), 15);
    EXPECT_EQ(value("dropped"), 0);
}
