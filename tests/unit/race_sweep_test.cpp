// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race_fakes.hpp"
#include "report/race/json.hpp"
#include "report/race/launches_report.hpp"
#include "report/sweep/sweep_report.hpp"
#include "sampling/race.hpp"
#include "sampling/sweep.hpp"
#include "text/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace race = regatta::race;
namespace fakes = regatta::race::fakes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

/// The options with which a scheme was made: its workers, its chunk, its capacity.
using given = std::tuple<unsigned, std::size_t, std::size_t>;

/// A scheme that notes what it is made with.
race::scheme_info noting(std::set<given>& seen) {
    race::scheme_info made = fakes::info("noting", fakes::run_serially);
    made.make = [&seen, make = made.make](const race::scheme_options& options) {
        seen.emplace(options.workers, options.chunk, options.capacity);
        return make(options);
    };
    return made;
}

race::race_options short_race() {
    race::race_options options;
    options.work.size = 20;
    options.scheme = {.workers = 2, .chunk = 5, .capacity = 3};
    options.rounds = 1;
    options.shortest_sample = {};
    options.tries_again = 0;
    return options;
}

/// What `sum_up_launches` reads of a launch in which "two" took that multiple of the time of "one",
/// 100 ns. A disturbed one has its ratio of the samples that would have been dropped only.
race::json launch_of(double ratio, bool disturbed = false, const std::string& baseline = "one") {
    const auto entry = [](const char* name, double times, bool clean) {
        const std::string estimate = "{\"median\": " + std::to_string(times) + "}";
        return std::string("{\"name\": \"") + name +
               "\", \"status\": \"ok\", \"reason\": null, \"wrong_result\": false, "
               "\"median_ns\": " +
               std::to_string(100 * times) + ", \"vs_baseline\": " + (clean ? estimate : "null") +
               ", \"vs_baseline_undropped\": " + estimate + "}";
    };
    return race::json::parse(
        "{\"stopped\": false, \"rounds\": 15, \"margin\": 0.05, \"baseline\": \"" + baseline +
        "\", \"schemes\": [" + entry("one", 1, true) + ", " + entry("two", ratio, !disturbed) +
        ", {\"name\": \"tbb\", \"status\": \"skipped\", \"reason\": \"install libtbb-dev\", "
        "\"wrong_result\": false}]}");
}

} // namespace

TEST(race_options, reach_the_schemes) {
    std::set<given> seen;
    const race::scheme_info scheme = noting(seen);
    race::race_control control;
    race::run_race(fakes::counting_info(), {{"noting", &scheme, false}}, short_race(), control, {});
    EXPECT_THAT(seen, ElementsAre(given(2, 5, 3)));
}

// "A launch that was stopped before a cell is not among its launches."
TEST(race_sweep, of_launches_each_cell_has_the_races_of_its_place) {
    const auto info = fakes::info("one", fakes::run_serially);
    const race::sweep_axes axes{
        .sizes = {10, 20}, .workers = {1, 2}, .chunks = {}, .capacities = {}};
    race::race_options options = short_race();
    std::vector<race::json> documents;
    for (unsigned launch = 0; launch < 3; ++launch) {
        options.seed = 7 + launch;
        race::race_control control;
        auto sweep = race::run_sweep(fakes::counting_info(), {{"one", &info, false}}, options, axes,
                                     control);
        if (launch == 1) {
            sweep.cells.erase(sweep.cells.begin());
            sweep.stopped = true;
        }
        documents.push_back(race::json::parse(race::to_json(sweep, {})));
    }
    options.seed = 7;
    const auto whole = race::sum_up_sweeps(fakes::counting_info(), options, axes, documents, 3);
    EXPECT_EQ(whole.launches, 3u);
    EXPECT_EQ(whole.order_seed, 7u);
    EXPECT_TRUE(whole.stopped);
    ASSERT_EQ(whole.measured().size(), 4u);
    for (const race::sweep_cell& cell : whole.cells) {
        const auto& races = cell.launches.races;
        EXPECT_EQ(races.size(), cell.at == whole.cells.front().at ? 2u : 3u);
        for (const race::json& one : races) {
            EXPECT_EQ(one.find("workers")->natural(), cell.at.workers);
            EXPECT_EQ(one.find("items")->natural(), cell.at.size);
        }
        EXPECT_EQ(cell.launches.baseline, "one");
    }
    documents.back() = race::json::parse("{}");
    EXPECT_THROW(race::sum_up_sweeps(fakes::counting_info(), options, axes, documents, 3),
                 std::invalid_argument);
}

TEST(race_sweep, hands_each_cell_to_the_schemes) {
    std::set<given> seen;
    const race::scheme_info scheme = noting(seen);
    race::race_control control;
    const race::sweep_axes axes{.sizes = {}, .workers = {1, 2}, .chunks = {}, .capacities = {0, 9}};
    const auto result = race::run_sweep(fakes::counting_info(), {{"noting", &scheme, false}},
                                        short_race(), axes, control);
    EXPECT_EQ(result.cells.size(), 4u);
    EXPECT_THAT(seen, ElementsAre(given(1, 5, 0), given(1, 5, 9), given(2, 5, 0), given(2, 5, 9)));
}

TEST(race_sweep, runs_its_cells_in_the_order_of_the_seed) {
    const auto order_with = [](std::uint64_t seed) {
        std::vector<unsigned> order;
        const auto scheme = fakes::info("one", [&](race::run_context& context) {
            if (order.empty() || order.back() != context.workers) {
                order.push_back(context.workers);
            }
            fakes::run_serially(context);
        });
        race::race_control control;
        race::race_options options = short_race();
        options.seed = seed;
        const auto result = race::run_sweep(
            fakes::counting_info(), {{"one", &scheme, false}}, options,
            {.sizes = {}, .workers = {1, 2, 3, 4}, .chunks = {}, .capacities = {}}, control);
        EXPECT_EQ(result.order_seed, seed);
        return order;
    };
    std::set<std::vector<unsigned>> orders;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        orders.insert(order_with(seed));
    }
    EXPECT_GT(orders.size(), 2u);
    EXPECT_EQ(order_with(3), order_with(3));
}

// "`--time` is for all races together"
TEST(race_sweep, a_stop_in_one_cell_leaves_out_the_others) {
    const auto scheme = fakes::info("one", fakes::run_serially);
    race::race_control control;
    race::race_options options = short_race();
    options.rounds = 0;
    options.time = std::chrono::hours(4);
    std::chrono::nanoseconds left{};
    const auto result =
        race::run_sweep(fakes::counting_info(), {{"one", &scheme, false}}, options,
                        {.sizes = {}, .workers = {1, 2, 3, 4}, .chunks = {}, .capacities = {}},
                        control, [&](const race::progress& now) {
                            if (!now.warm_up && now.left.count() > 0) {
                                left = now.left;
                                control.request_stop();
                            }
                        });
    EXPECT_LE(left, options.time);
    EXPECT_GT(left, std::chrono::hours(3)); // one of four races, and three as long
    EXPECT_TRUE(result.stopped);
    const auto begun = std::ranges::count_if(
        result.cells, [](const race::sweep_cell& cell) { return !cell.result.schemes.empty(); });
    EXPECT_EQ(begun, 1);
}

TEST(race_sweep, its_progress_grows_within_each_race) {
    const auto scheme = fakes::info("one", fakes::run_serially);
    race::race_control control;
    race::race_options options = short_race();
    options.rounds = 3;
    double last = 0;
    static_cast<void>(
        race::run_sweep(fakes::counting_info(), {{"one", &scheme, false}}, options,
                        {.sizes = {}, .workers = {1, 2}, .chunks = {}, .capacities = {}}, control,
                        [&](const race::progress& now) { last = now.done; }));
    EXPECT_GT(last, 0.5);
    EXPECT_LE(last, 1);
}

TEST(race_sweep, at_a_rate_it_has_that_rate) {
    const auto scheme = fakes::info_of_tasks("one", fakes::run_when_due);
    race::race_control control;
    race::race_options options = short_race();
    options.rate = 1e6;
    const auto result = race::run_sweep(
        fakes::counting_info(), {{"one", &scheme, false}}, options,
        {.sizes = {10, 20}, .workers = {}, .chunks = {}, .capacities = {}}, control);
    EXPECT_EQ(result.rate, 1e6);
    const auto text_of = [&](std::vector<std::size_t> sizes) {
        return race::to_text(
            race::run_sweep(
                fakes::counting_info(), {{"one", &scheme, false}}, options,
                {.sizes = std::move(sizes), .workers = {}, .chunks = {}, .capacities = {}},
                control),
            {}, {.width = 200});
    };
    EXPECT_THAT(text_of({200, 400}),
                AllOf(HasSubstr("race      p99  ratio"), HasSubstr("99th percentiles of the "),
                      Not(HasSubstr("longest"))));
    EXPECT_THAT(text_of({10, 200}),
                AllOf(HasSubstr("race      latency  ratio"),
                      HasSubstr("99th percentiles of the latency, of fewer than 100 items the "
                                "longest, over those of one")));
}

TEST(race_sweep, fewer_launches_than_were_planned_are_a_stop) {
    const race::sweep_axes axes{.sizes = {}, .workers = {1, 2}, .chunks = {}, .capacities = {}};
    EXPECT_TRUE(race::sum_up_sweeps(fakes::counting_info(), short_race(), axes, {}, 1).stopped);
    EXPECT_FALSE(race::sum_up_sweeps(fakes::counting_info(), short_race(), axes, {}, 0).stopped);
}

TEST(race_sweep, says_what_failed_and_where) {
    auto good = fakes::info("one", fakes::run_serially);
    auto bad = fakes::info("two", [](race::run_context& context) {
        fakes::run_serially(context);
        if (context.work.items() == 20) {
            throw std::runtime_error("it broke");
        }
    });
    race::race_control control;
    const race::sweep_axes axes{.sizes = {10, 20}, .workers = {}, .chunks = {}, .capacities = {}};
    const auto text_of = [&](const std::vector<race::entrant>& entrants) {
        return race::to_text(
            race::run_sweep(fakes::counting_info(), entrants, short_race(), axes, control), {},
            {.width = 200});
    };
    EXPECT_THAT(text_of({{"one", &good, false}, {"two", &bad, false}}),
                AllOf(HasSubstr("FAILED two: it broke (size 20)\n"), HasSubstr("1 round each")));
    bad.obstacle = [](const race::workload&) { return std::string("not here"); };
    const std::string nothing = text_of({{"two", &bad, true}});
    EXPECT_THAT(nothing, AllOf(HasSubstr("nothing was measured"), Not(HasSubstr("Stopped")),
                               Not(HasSubstr("over those of"))));
}

// "One that was stopped before its first round was complete does not count."
TEST(race_launches, six_are_enough_for_a_verdict) {
    std::vector<race::json> documents;
    for (const double ratio : {0.5, 0.52, 0.48, 0.51, 0.49}) {
        documents.push_back(launch_of(ratio));
    }
    const auto five = race::sum_up_launches(documents, 5, 1);
    EXPECT_EQ(five.schemes.back().word, race::verdict::undecided);
    EXPECT_THAT(five.leaders, testing::IsEmpty());
    documents.push_back(launch_of(0.5));
    const auto six = race::sum_up_launches(documents, 7, 1);
    EXPECT_EQ(six.margin, 0.05);
    EXPECT_EQ(six.schemes.front().word, race::verdict::baseline);
    EXPECT_EQ(six.schemes.back().word, race::verdict::faster);
    EXPECT_THAT(six.leaders, ElementsAre("two"));
    EXPECT_DOUBLE_EQ(six.schemes.back().time.median, 50);
    EXPECT_THAT(six.missing, testing::IsEmpty());
    ASSERT_EQ(six.skipped.size(), 1u);
    EXPECT_EQ(six.skipped.front().name, "tbb");

    const auto document = race::json::parse(race::to_json(six, {}));
    EXPECT_EQ(document.find("launches")->natural(), 7u);
    EXPECT_TRUE(document.find("stopped")->boolean());
    EXPECT_EQ(document.find("margin")->number(), 0.05);
    const race::json& two = document.find("schemes")->members().back().value;
    EXPECT_EQ(two.find("lowest")->number(), 0.48);
    EXPECT_EQ(two.find("highest")->number(), 0.52);
    EXPECT_TRUE(two.find("more_launches")->is_null());
    EXPECT_THAT(race::to_csv(six), testing::EndsWith(",0.480000,0.520000,faster,6\n"));
    EXPECT_THAT(race::to_text(six, {}, {.width = 200}),
                testing::ContainsRegex("0.480 +0.520 +faster"));
}

TEST(race_launches, an_unclear_ratio_says_how_many_launches_more) {
    std::vector<race::json> documents;
    for (const double ratio : {0.9, 1.2, 0.8, 1.1, 1.3, 0.85, 1.05}) {
        documents.push_back(launch_of(ratio));
    }
    const auto whole = race::sum_up_launches(documents, 7, 1);
    EXPECT_EQ(whole.schemes.back().word, race::verdict::unclear);
    EXPECT_GT(whole.schemes.back().more_launches, 0u);
    EXPECT_THAT(whole.leaders, ElementsAre("one", "two"));
}

// "As in a race": that with the lowest ratio first, whichever was entered first.
TEST(race_launches, leaders_come_in_the_order_of_their_ratios) {
    std::vector<race::json> documents;
    for (const double ratio : {0.99, 1.02, 0.98, 0.995, 1.01, 0.97, 0.99}) {
        documents.push_back(launch_of(ratio));
    }
    EXPECT_THAT(race::sum_up_launches(documents, 7, 1).leaders, ElementsAre("two", "one"));
}

TEST(race_launches, one_with_fewer_than_six_clean_ones_may_not_win) {
    std::vector<race::json> documents;
    for (int launch = 0; launch < 8; ++launch) {
        documents.push_back(launch_of(0.5, launch < 3));
    }
    EXPECT_THAT(race::sum_up_launches(documents, 8, 1).leaders, ElementsAre("one"));
    documents.push_back(launch_of(0.5));
    EXPECT_THAT(race::sum_up_launches(documents, 9, 1).leaders, ElementsAre("two"));
    const std::vector<race::json> disturbed(6, launch_of(0.5, true));
    EXPECT_THAT(race::sum_up_launches(disturbed, 6, 1).leaders, ElementsAre("one"));
}

// "won" is about others.
TEST(race_launches, one_that_raced_nobody_did_not_win) {
    const std::vector<race::json> documents(6, launch_of(0.5));
    auto whole = race::sum_up_launches(documents, 6, 1);
    const auto text = [&] { return race::to_text(whole, fakes::some_machine(), {.width = 400}); };
    EXPECT_THAT(text(), HasSubstr("two won over all launches."));
    whole.schemes.erase(whole.schemes.begin());
    EXPECT_THAT(text(), HasSubstr("two was measured alone."));
    whole.skipped.push_back({"three", "it is not here"});
    EXPECT_THAT(text(), HasSubstr("skipped three: it is not here"));
}

TEST(race_launches, of_two_baselines_in_as_many_the_first_counts) {
    const auto whole = race::sum_up_launches({launch_of(0.5), launch_of(0.5, false, "two")}, 2, 1);
    EXPECT_EQ(whole.baseline, "one");
}

// The baseline ran there, beside another one that then failed.
TEST(race_launches, one_whose_own_baseline_failed_does_not_count_and_says_so) {
    std::vector<race::json> documents(7, launch_of(0.5));
    documents.front() = race::json::parse(
        R"({"stopped": false, "rounds": 15, "margin": 0.05, "baseline": "two", "schemes": [
            {"name": "one", "status": "ok", "reason": null, "wrong_result": false,
             "median_ns": 100, "vs_baseline": null, "vs_baseline_undropped": null},
            {"name": "two", "status": "failed", "reason": "it broke", "wrong_result": false,
             "median_ns": null, "vs_baseline": null, "vs_baseline_undropped": null},
            {"name": "tbb", "status": "skipped", "reason": "install libtbb-dev",
             "wrong_result": false}]})");
    const auto whole = race::sum_up_launches(documents, 7, 1);
    EXPECT_EQ(whole.baseline, "one");
    EXPECT_THAT(whole.notes, ElementsAre("Launch 1 does not count: its baseline two failed."));
    EXPECT_TRUE(whole.missing.empty());
}

// "With 6 launches no difference can be shown among 3 schemes."
TEST(race_launches, too_few_for_any_difference_are_told) {
    race::launches_result whole =
        race::sum_up_launches(std::vector<race::json>(6, launch_of(0.5)), 6, 1);
    const auto text = [&] { return race::to_text(whole, {}, {.width = 200}); };
    EXPECT_THAT(text(), Not(HasSubstr("no difference can be shown")));
    whole.schemes.push_back(whole.schemes.back());
    EXPECT_THAT(text(), HasSubstr("With 6 launches no difference can be shown among 3 schemes, "
                                  "however large: that takes 7, or fewer schemes."));
    for (auto& one : whole.schemes) {
        one.ratio.count = 7;
    }
    whole.schemes.back().word = race::verdict::unclear;
    whole.schemes.back().more_launches = 3;
    EXPECT_THAT(text(), HasSubstr("unclear +3: about 3 launches more would show whether it "
                                  "differs."));
}

TEST(race_launches, one_that_was_stopped_at_once_does_not_count) {
    auto good = fakes::info("one", fakes::run_serially);
    auto bad = fakes::info("two", [](race::run_context&) {});
    const auto launch = [&](bool stopped) {
        race::race_control control;
        return race::json::parse(race::to_json(
            race::run_race(fakes::counting_info(), {{"one", &good, false}, {"two", &bad, false}},
                           short_race(), control,
                           [&](const race::progress&) {
                               if (stopped) {
                                   control.request_stop();
                               }
                           }),
            {}));
    };
    const auto whole = race::sum_up_launches({launch(false), launch(true)}, 2, 1);
    EXPECT_EQ(whole.races.size(), 1u);
    EXPECT_TRUE(whole.stopped);
    ASSERT_EQ(whole.schemes.size(), 1u);
    EXPECT_EQ(whole.schemes.front().name, "one");
    EXPECT_THAT(race::to_text(whole, {}, {.width = 200}),
                AllOf(HasSubstr("1 launch of 2"),
                      HasSubstr("Not in every launch: two, DISQUALIFIED in launch 1: ")));
}

// "Nor does one in which the baseline failed": the others are told, and so is the failure.
TEST(race_launches, one_without_the_baseline_does_not_count) {
    race::race_options options = short_race();
    options.rounds = 4;
    for (const int good_runs : {0, 3}) { // Before it fails; the warm-up is one of them.
        SCOPED_TRACE(good_runs);
        int runs = 0;
        bool fails = false;
        auto base = fakes::info("one", [&](race::run_context& context) {
            fakes::run_serially(context);
            if (fails && ++runs > good_runs) {
                throw std::runtime_error("it broke");
            }
        });
        base.traits.usual_baseline = true;
        auto other = fakes::info("two", fakes::run_serially);
        std::vector<race::json> documents;
        for (unsigned launch = 0; launch < 3; ++launch) {
            fails = launch == 0;
            race::race_control control;
            documents.push_back(race::json::parse(
                race::to_json(race::run_race(fakes::counting_info(),
                                             {{"one", &base, false}, {"two", &other, false}},
                                             options, control, {}),
                              {})));
        }
        const auto whole = race::sum_up_launches(std::move(documents), 3, 1);
        EXPECT_EQ(whole.baseline, "one");
        EXPECT_EQ(whole.races.size(), 3u);
        ASSERT_EQ(whole.schemes.size(), 2u);
        EXPECT_GT(whole.schemes.back().lowest, 0);
        EXPECT_THAT(race::to_text(whole, {}, {.width = 200}),
                    HasSubstr("Not in every launch: one, FAILED in launch 1: it broke"));
        EXPECT_LE(whole.schemes.back().ratio.count, 2u); // One may have been disturbed.
    }
}

// "A launch of which every sample was disturbed does not count": not for the times either.
TEST(race_launches, one_that_was_wholly_disturbed_is_in_no_figure) {
    auto base = fakes::info("one", fakes::run_serially);
    base.traits.usual_baseline = true;
    auto other = fakes::info("two", fakes::run_serially);
    std::vector<race::json> documents;
    for (int launch = 0; launch < 3; ++launch) {
        race::race_control control;
        std::string text = race::to_json(
            race::run_race(fakes::counting_info(), {{"one", &base, false}, {"two", &other, false}},
                           short_race(), control, {}),
            {});
        const auto replace = [&](const std::string& what, const std::string& by) {
            text = std::regex_replace(text, std::regex(what), by);
        };
        const bool disturbed = launch == 1;
        replace(R"("median_ns": [0-9.e+]+)",
                disturbed ? R"("median_ns": 9e12)" : R"("median_ns": 5)");
        const std::string ratio = std::string(R"({"median": )") + (disturbed ? "70" : "7") +
                                  R"(, "low": 1, "high": 99, "count": 2})";
        replace(R"("vs_baseline(_undropped)?": (null|\{[^}]*\}))", R"("vs_baseline$1": )" + ratio);
        if (disturbed) {
            replace(R"("vs_baseline": \{[^}]*\})", R"("vs_baseline": null)");
        }
        documents.push_back(race::json::parse(text));
    }
    const auto whole = race::sum_up_launches(std::move(documents), 3, 1);
    ASSERT_EQ(whole.schemes.size(), 2u);
    const race::launched_scheme& two = whole.schemes.back();
    EXPECT_EQ(two.time.count, 2u);
    EXPECT_EQ(two.time.high, 5);
    EXPECT_EQ(two.highest, 7);
    EXPECT_EQ(two.ratio.count, 2u);
}

// The baseline ran in each, but one launch had another, since that one failed only later.
TEST(race_launches, one_with_another_baseline_is_told_as_that) {
    std::vector<race::json> documents;
    for (int launch = 0; launch < 3; ++launch) {
        auto usual = fakes::info("one", [&](race::run_context& context) {
            if (launch != 0) {
                throw std::runtime_error("it broke");
            }
            fakes::run_serially(context);
        });
        usual.traits.usual_baseline = true;
        auto other = fakes::info("two", fakes::run_serially);
        race::race_control control;
        documents.push_back(race::json::parse(race::to_json(
            race::run_race(fakes::counting_info(), {{"one", &usual, false}, {"two", &other, false}},
                           short_race(), control, {}),
            {})));
    }
    const auto whole = race::sum_up_launches(std::move(documents), 3, 1);
    EXPECT_EQ(whole.baseline, "two");
    EXPECT_THAT(race::to_text(whole, {}, {.width = 200}),
                testing::AllOf(HasSubstr("Launch 1 does not count: its ratios are to one."),
                               HasSubstr("Not in every launch: one, FAILED in launch 2"),
                               Not(HasSubstr("Not in every launch: two"))));
}

TEST(race_launches, where_the_baseline_failed_in_each_nothing_is_compared) {
    race::race_options options = short_race();
    options.rounds = 4;
    auto other = fakes::info("two", fakes::run_serially);
    std::vector<race::json> documents;
    for (unsigned launch = 0; launch < 2; ++launch) {
        int runs = 0;
        auto base = fakes::info("one", [&](race::run_context& context) {
            fakes::run_serially(context);
            if (++runs > 1) { // the warm-up
                throw std::runtime_error("it broke");
            }
        });
        base.traits.usual_baseline = true;
        race::race_control control;
        documents.push_back(race::json::parse(race::to_json(
            race::run_race(fakes::counting_info(), {{"one", &base, false}, {"two", &other, false}},
                           options, control, {}),
            {})));
    }
    const auto whole = race::sum_up_launches(std::move(documents), 2, 1);
    EXPECT_THAT(whole.schemes, testing::IsEmpty());
    EXPECT_THAT(race::to_text(whole, {}, {.width = 200}),
                testing::AllOf(HasSubstr("Not in every launch: one, FAILED in launch 1: it broke"),
                               HasSubstr("Not in every launch: two, there was no baseline to "
                                         "compare it with"),
                               HasSubstr("Nothing was measured in every launch.")));
}
