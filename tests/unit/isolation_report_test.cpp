// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "isolation_results.hpp"
#include "race_results.hpp"
#include "report/isolation/isolation_csv.hpp"
#include "report/isolation/isolation_json.hpp"
#include "report/isolation/isolation_table.hpp"
#include "report/isolation/isolation_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace race = regatta::race;
namespace fakes = regatta::race::fakes;
using fakes::lines_of;
using race::isolation_mode;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

std::vector<std::string> sentences(const race::isolation_result& result) {
    return race::isolation_sentences(result, {});
}

nlohmann::json document_of(const race::isolation_result& result) {
    return nlohmann::json::parse(race::to_json(result, fakes::some_machine()));
}

} // namespace

TEST(isolation_words, displaced_time_is_called_that) {
    const auto said = sentences(fakes::under_hostile_noise().finish());
    ASSERT_EQ(said.size(), 4u);
    EXPECT_EQ(said[0], "unpinned: 1.01× of alone (cpu/wall 99 %), which is not shown to differ by "
                       "1 %.");
    EXPECT_THAT(said[1], AllOf(StartsWith("pinned: 2.99× of alone, by displaced time: of 38"),
                               HasSubstr("without a CPU (cpu/wall 33 %)"),
                               HasSubstr("in slower execution (a unit of work cost 1.00×)")));
    EXPECT_THAT(said[2], AllOf(StartsWith("exclusive: 1.0"), HasSubstr("the same within 1 %")));
    EXPECT_THAT(said[3],
                AllOf(StartsWith("Owning the CPUs instead of pinning to them: 2.98× as fast. "
                                 "The difference was displaced time"),
                      HasSubstr("(cpu/wall 33 % against 99 %)"), Not(HasSubstr("slower"))));
}

TEST(isolation_words, too_few_clean_rounds_say_nothing_of_owning) {
    race::isolation_result result = fakes::under_hostile_noise().finish();
    result.owning_word = race::verdict::undecided;
    EXPECT_THAT(sentences(result).at(3), StartsWith("Too few clean rounds"));
}

TEST(isolation_words, slower_execution_is_called_that) {
    const auto said = sentences(fakes::of_the_article().finish());
    ASSERT_EQ(said.size(), 4u);
    EXPECT_THAT(said[0], HasSubstr("unpinned: 1.76× of alone, by slower execution"));
    EXPECT_THAT(said[1], AllOf(StartsWith("pinned: 1.86× of alone, by slower execution: of 3.79 s"),
                               HasSubstr("of work cost 1.86×")));
    EXPECT_THAT(said[2], StartsWith("exclusive: 1.19× of alone, by slower execution"));
    EXPECT_THAT(said[3],
                AllOf(StartsWith("Owning the CPUs instead of pinning to them: 1.57×"),
                      HasSubstr("The difference was slower execution"),
                      HasSubstr("kept their CPUs either way (cpu/wall 100 %"),
                      HasSubstr("a sibling on the core, caches"), Not(HasSubstr("displaced"))));
}

TEST(isolation_words, both_are_called_both) {
    fakes::isolation_maker maker;
    maker.add(isolation_mode::alone, 100, 100)
        .add(isolation_mode::pinned, 300, 200)
        .add(isolation_mode::exclusive, 100, 100);
    const auto said = sentences(maker.finish());
    ASSERT_EQ(said.size(), 3u);
    EXPECT_THAT(said[0], HasSubstr("by displaced time and slower execution"));
    EXPECT_THAT(said[2], HasSubstr("The difference was both"));
}

TEST(isolation_words, where_pinning_suffices_owning_gains_nothing) {
    fakes::isolation_maker maker;
    maker.add(isolation_mode::alone, 100, 100)
        .add(isolation_mode::pinned, 100, 100)
        .add(isolation_mode::exclusive, 100, 100);
    EXPECT_THAT(sentences(maker.finish()).back(), HasSubstr("gained nothing"));
}

// The medians differ by 40 %, and every round of a mode by more.
TEST(isolation_words, a_gain_of_owning_that_noise_may_have_made_is_not_claimed) {
    fakes::isolation_maker maker;
    maker.add(isolation_mode::alone, 100, 100)
        .add(isolation_mode::pinned, 140, 100)
        .add(isolation_mode::exclusive, 100, 100);
    for (race::sample& one : maker.result.of(isolation_mode::exclusive).measured.samples) {
        one.ns *= one.round % 3 == 0 ? 2 : 1;
        one.ns *= one.round % 5 == 1 ? 3 : 1;
    }
    EXPECT_THAT(sentences(maker.finish()).back(),
                AllOf(StartsWith("No gain of owning the CPUs over pinning to them is shown here"),
                      testing::ContainsRegex("as fast \\(0[.][0-9]+…1[.][0-9]+\\)[.]$")));
}

TEST(isolation_words, owning_that_costs_time_is_not_called_a_gain) {
    fakes::isolation_maker maker;
    maker.add(isolation_mode::alone, 100, 100)
        .add(isolation_mode::pinned, 100, 100)
        .add(isolation_mode::exclusive, 125, 100);
    EXPECT_THAT(sentences(maker.finish()).back(),
                StartsWith("Owning the CPUs was slower than pinning to them here: 0.80×"));
}

TEST(isolation_words, a_mode_that_cannot_be_had_says_why) {
    fakes::isolation_maker maker;
    maker.add(isolation_mode::alone, 100, 100)
        .add(isolation_mode::pinned, 300, 100)
        .refuse(isolation_mode::exclusive, "this needs root");
    const auto said = sentences(maker.finish());
    EXPECT_EQ(said.back(), "exclusive is not available here: this needs root.");
    EXPECT_THAT(said.front(), HasSubstr("by displaced time"));
}

TEST(isolation_words, nothing_measured_is_said_so) {
    EXPECT_EQ(sentences(fakes::isolation_maker().finish()),
              std::vector<std::string>{"Nothing was measured."});
}

TEST(isolation_json, has_the_figures_of_each_mode) {
    const auto document = document_of(fakes::under_hostile_noise().finish());
    EXPECT_EQ(document["schema"], "regatta-isolation/1");
    EXPECT_EQ(document["noise"]["kind"], "hostile");
    EXPECT_EQ(document["noise"]["count"], 2);
    EXPECT_EQ(document["cpus"], "1");
    EXPECT_EQ(document["machine"]["cpu_model"], "A processor");
    EXPECT_EQ(document["summary"].size(), 4u);
    EXPECT_GT(document["noise_floor"].get<double>(), 0);
    ASSERT_EQ(document["modes"].size(), 4u);
    const char* names[] = {"alone", "unpinned", "pinned", "exclusive"};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto& mode = document["modes"][i];
        EXPECT_EQ(mode["name"], names[i]);
        EXPECT_EQ(mode["status"], "ok");
        EXPECT_EQ(mode["rounds"].size(), 15u);
        for (const char* figure : {"slowdown", "cpu_share", "work_cost", "involuntary_switches"}) {
            EXPECT_TRUE(mode[figure].is_number()) << figure;
            EXPECT_EQ(mode["intervals"][figure]["median"], mode[figure]) << figure;
            EXPECT_EQ(mode["intervals"][figure]["count"], 15) << figure;
        }
    }
    const auto& pinned = document["modes"][2];
    EXPECT_NEAR(pinned["slowdown"].get<double>(), 2.99, 0.03);
    EXPECT_EQ(pinned["difference"], "displaced");
    EXPECT_EQ(pinned["verdict"], "slower");
    EXPECT_EQ(pinned["rounds"][3]["round"], 3);
    EXPECT_NEAR(pinned["rounds"][3]["cpu_share"].get<double>(), 0.334, 0.005);
}

TEST(isolation_json, what_did_not_run_is_null_and_named) {
    fakes::isolation_maker maker;
    maker.add(isolation_mode::alone, 100, 100).refuse(isolation_mode::exclusive, "no root");
    const auto document = document_of(maker.finish());
    const auto& owned = document["modes"][3];
    EXPECT_EQ(owned["status"], "unavailable");
    EXPECT_EQ(owned["reason"], "no root");
    EXPECT_TRUE(owned["slowdown"].is_null());
    EXPECT_TRUE(owned["difference"].is_null());
    EXPECT_TRUE(owned["intervals"]["slowdown"].is_null());
    EXPECT_TRUE(owned["rounds"].empty());
    ASSERT_TRUE(document.contains("exclusive_vs_pinned"));
    EXPECT_TRUE(document["exclusive_vs_pinned"].is_null());
}

// Ctrl-C in the first round, or a program that fails when it runs alone.
TEST(isolation_report, without_alone_there_is_no_figure_beside_it) {
    fakes::isolation_maker maker;
    maker.add(isolation_mode::unpinned, 100, 100).add(isolation_mode::pinned, 300, 100);
    const race::isolation_result result = maker.finish();
    const auto pinned = document_of(result)["modes"][2];
    EXPECT_EQ(pinned["status"], "ok");
    EXPECT_GT(pinned["median_ns"].get<double>(), 0);
    for (const char* figure :
         {"slowdown", "work_cost", "displaced_ns", "slower_ns", "difference"}) {
        EXPECT_TRUE(pinned[figure].is_null()) << figure << ' ' << pinned[figure];
    }
    EXPECT_THAT(race::modes_text(result, {.width = 200}),
                AllOf(HasSubstr("pinned"), Not(HasSubstr("0.00"))));
    EXPECT_THAT(race::isolation_sentences(result, {}),
                testing::ElementsAre("alone was not measured: there is nothing to compare with."));
}

TEST(isolation_json, a_disturbed_mode_has_figures_without_an_interval) {
    auto maker = fakes::under_hostile_noise();
    for (auto& one : maker.result.of(isolation_mode::pinned).measured.samples) {
        one.load.contaminated = true;
    }
    const auto pinned = document_of(maker.finish())["modes"][2];
    EXPECT_TRUE(pinned["disturbed"]);
    EXPECT_NEAR(pinned["slowdown"].get<double>(), 2.99, 0.03);
    EXPECT_TRUE(pinned["intervals"]["slowdown"].is_null());
}

TEST(isolation_csv, a_line_a_sample_round_by_round) {
    fakes::isolation_maker maker;
    maker.add(isolation_mode::alone, 100, 100).add(isolation_mode::pinned, 300, 100);
    maker.result.of(isolation_mode::pinned).runs[1].run_delay_ns.reset();
    const auto lines = lines_of(race::to_csv(maker.finish()));
    ASSERT_EQ(lines.size(), 31u);
    EXPECT_THAT(lines[0], StartsWith("round,mode,ns,cpu_ns,cpu_share,"));
    EXPECT_THAT(lines[1], StartsWith("0,alone,"));
    EXPECT_THAT(lines[2], StartsWith("0,pinned,"));
    EXPECT_THAT(lines[3], StartsWith("1,alone,"));
    for (const std::string& line : lines) {
        EXPECT_EQ(std::count(line.begin(), line.end(), ','), 15) << line;
    }
}

TEST(isolation_table, shows_rounds_and_modes) {
    auto maker = fakes::under_hostile_noise();
    maker.result.of(isolation_mode::pinned).measured.samples[4].load.contaminated = true;
    maker.result.of(isolation_mode::exclusive).level = "shielded";
    maker.result.of(isolation_mode::exclusive).explanation = {"CPUs 1: shielded.",
                                                              "Kernel threads stay."};
    const std::string text = race::to_text(maker.finish(), fakes::some_machine(), {});
    EXPECT_THAT(text, HasSubstr("noise hostile:2 · 1 worker on CPU 1"));
    EXPECT_THAT(text, HasSubstr("round   alone    cpu  unpinned"));
    EXPECT_THAT(text, HasSubstr("*57"));
    EXPECT_THAT(text, HasSubstr("Dropped 1 of 75 samples"));
    EXPECT_THAT(text, HasSubstr("displaced time\n"));
    EXPECT_THAT(text, HasSubstr("\nCPUs 1: shielded. Kernel threads stay.\n"));
    EXPECT_THAT(text, HasSubstr("Noise floor ±"));
}

TEST(isolation_table, too_few_rounds_have_no_interval) {
    auto maker = fakes::under_hostile_noise();
    for (auto& mode : maker.result.modes) {
        mode.measured.samples.resize(5);
        mode.runs.resize(5);
    }
    maker.result.control.samples.resize(5);
    maker.result.rounds = 5;
    const std::string table = race::modes_text(maker.finish(), {.width = 160});
    EXPECT_THAT(table, AllOf(HasSubstr("95 % interval"), HasSubstr("2.99×              -  "),
                             Not(HasSubstr("…"))));
}

TEST(isolation_table, keeps_to_every_width) {
    const auto result = fakes::under_hostile_noise().finish();
    for (unsigned width = 120; width >= 42; --width) {
        for (const auto& line :
             lines_of(race::to_text(result, fakes::some_machine(), {.width = width}))) {
            EXPECT_LE(race::columns_of(line), width) << line;
        }
        const std::string table = race::modes_text(result, {.width = width});
        EXPECT_THAT(table,
                    AllOf(HasSubstr("slowdown"), HasSubstr("cpu/wall"), HasSubstr("work cost")));
    }
    for (unsigned width = 41; width >= 20; --width) {
        const std::string table = race::modes_text(result, {.width = width});
        EXPECT_THAT(table, HasSubstr("slowdown"));
        const std::string rounds = race::rounds_text(result, {.width = width});
        EXPECT_THAT(rounds, HasSubstr("alone"));
        EXPECT_EQ(rounds.find("unpinned") != rounds.npos, width >= 23) << width;
        for (const auto& line : lines_of(table + rounds)) {
            EXPECT_LE(race::columns_of(line), width) << line;
        }
    }
    EXPECT_THAT(race::modes_text(result, {.width = 140}), HasSubstr("migr."));
}

TEST(isolation_table, a_long_experiment_shows_its_last_rounds) {
    auto maker = fakes::under_hostile_noise();
    maker.result.rounds = 45;
    for (auto& mode : maker.result.modes) {
        for (auto& one : mode.measured.samples) {
            one.round += 30;
        }
    }
    const auto lines = lines_of(race::rounds_text(maker.result, {}));
    ASSERT_EQ(lines.size(), 31u);
    EXPECT_THAT(lines[1], StartsWith("   16"));
    EXPECT_THAT(lines[1], HasSubstr("-"));
    EXPECT_THAT(lines[30], StartsWith("   45"));
}

TEST(isolation_table, no_escape_without_colour_and_no_utf8_without_unicode) {
    const auto result = fakes::under_hostile_noise().finish();
    const auto from = fakes::some_machine();
    EXPECT_THAT(race::to_text(result, from, {}), Not(HasSubstr("\x1b")));
    EXPECT_THAT(race::to_text(result, from, {.colour = true}), HasSubstr("\x1b[31m"));
    for (const char c : race::to_text(result, from, {.unicode = false})) {
        EXPECT_GE(c, 0) << "beyond ASCII";
    }
}

TEST(isolation_table, of_several_workers_a_line_a_worker_and_a_round) {
    fakes::isolation_maker maker;
    maker.result.workers = 2;
    maker.result.worker_cpus = {0, 1};
    maker.add(isolation_mode::alone, 100, 100).add(isolation_mode::pinned, 300, 100);
    maker.result.of(isolation_mode::pinned).runs[3].workers[1].wall_ns = 777e6;
    const auto result = maker.finish();
    const auto lines = lines_of(race::rounds_text(result, {}));
    ASSERT_EQ(lines.size(), 31u);
    EXPECT_THAT(lines[0], StartsWith("round  worker   alone"));
    EXPECT_THAT(lines[8], AllOf(StartsWith("    4       2"), HasSubstr("777 ms")));
    EXPECT_THAT(lines[7], Not(HasSubstr("777 ms")));
    const auto document = document_of(result);
    EXPECT_EQ(document["modes"][2]["rounds"][3]["workers"][1]["wall_ns"], 777e6);
}

TEST(isolation_table, of_many_workers_the_last_rounds) {
    fakes::isolation_maker maker;
    maker.result.workers = 8;
    maker.add(isolation_mode::alone, 100, 100);
    const auto lines = lines_of(race::rounds_text(maker.finish(), {}));
    ASSERT_EQ(lines.size(), 25u); // 3 rounds of 8 workers
    EXPECT_THAT(lines[1], StartsWith("   13       1"));
    EXPECT_THAT(race::to_text(maker.result, fakes::some_machine(), {}),
                HasSubstr("The last 3 rounds; the JSON has all."));
}

TEST(isolation_table, has_user_and_system_time) {
    const std::string table =
        race::modes_text(fakes::under_hostile_noise().finish(), {.width = 160});
    EXPECT_THAT(table, AllOf(HasSubstr("user"), HasSubstr("system"), HasSubstr("144 ms")));
}

TEST(isolation_table, a_program_is_named_and_has_a_line_a_round) {
    auto maker = fakes::under_hostile_noise();
    maker.result.workers = 2;
    maker.result.program = {"xz", "-T2", "a file"};
    for (auto& mode : maker.result.modes) {
        for (auto& run : mode.runs) {
            run.workers.clear();
            run.migrations.reset();
        }
    }
    const auto result = maker.finish();
    const std::string text = race::to_text(result, fakes::some_machine(), {.width = 160});
    EXPECT_THAT(text, AllOf(HasSubstr("xz -T2 'a file'"), HasSubstr("round   alone")));
    const auto document = document_of(result);
    EXPECT_EQ(document["program"], "xz -T2 'a file'");
    EXPECT_TRUE(document["units"].is_null());
    EXPECT_TRUE(document["modes"][0]["migrations"].is_null());
    EXPECT_TRUE(document["modes"][0]["rounds"][0]["workers"].empty());
    EXPECT_GT(document["modes"][0]["user_ns"], 0);
}
