// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race_results.hpp"
#include "report/race/csv.hpp"
#include "report/race/full_text.hpp"
#include "report/race/json.hpp"
#include "report/race/program_words.hpp"
#include "report/race/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace race = regatta::race;
namespace fakes = regatta::race::fakes;
using testing::HasSubstr;
using testing::Not;

namespace {

void make_program(race::scheme_result& one, std::string command) {
    one.scheme = "program";
    one.traits = {};
    one.verified = false;
    one.program = race::program_result{std::move(command), one.time.median * 1.5, 12'300'000};
}

race::race_result of_programs() {
    auto result =
        fakes::result_maker().add("std_thread", 100, 1, false).add("slow", 150, 1, false).finish();
    result.workload.clear();
    result.settings.clear();
    result.items = 0;
    result.baseline = result.schemes[0].name = "fast";
    result.leaders = {"fast"};
    make_program(result.schemes[0], "fast --threads 2");
    make_program(result.schemes[1], "sh -c 'a, \"b\"'");
    return result;
}

race::race_result of_both() {
    auto result = fakes::result_maker()
                      .add("serial", 200)
                      .add("std_thread", 100, 0.99)
                      .add("mine", 150, 1, false)
                      .finish();
    make_program(result.schemes[2], "mine");
    return result;
}

} // namespace

TEST(programs_report, a_race_of_programs_in_full) {
    EXPECT_EQ(race::to_text(of_programs(), fakes::some_machine(), {.width = 100}),
              R"(2 programs · 2 workers on 2 CPUs (A processor) · 15 rounds after 1 of warm-up

scheme  median  ratio  95 % interval  CPU time   memory  verdict
fast    100 ms  1.000    1.000…1.000    151 ms  12.3 MB  baseline
slow    151 ms  1.499    1.495…1.503    226 ms  12.3 MB  slower
Ratios are times of fast = 1; verdicts are about differences of 1.0 % and more. Noise floor ±0.7 %:
  fast against itself.

fast won: 100 ms, 0.665 of the time of slow, the next (95 % interval 0.665…0.668).
Programs: fast used 1.50 CPUs on average (151 ms of CPU time in 100 ms) and 12.3 MB of memory; slow
  used 1.50 CPUs on average (226 ms of CPU time in 151 ms) and 12.3 MB of memory.
)");
}

TEST(programs_report, beside_schemes_they_have_columns_of_their_own) {
    const std::string table = race::table_text(of_both(), {.width = 140});
    EXPECT_THAT(table, HasSubstr("effic.  CPU time   memory  verdict "));
    EXPECT_THAT(table, HasSubstr("      -    226 ms  12.3 MB  slower "));
    EXPECT_THAT(table, HasSubstr("  100 %         -        -  baseline "));
    EXPECT_THAT(race::table_text(of_both(), {.width = 60}), Not(HasSubstr("memory")));
    EXPECT_THAT(race::table_text(fakes::result_maker().add("std_thread", 1).finish(), {}),
                Not(HasSubstr("CPU time")));
}

TEST(programs_report, json_has_what_they_took) {
    const auto document =
        nlohmann::json::parse(race::to_json(of_programs(), fakes::some_machine()));
    EXPECT_TRUE(document["workload"].is_null());
    EXPECT_EQ(document["items"], 0);
    const auto& program = document["schemes"][0]["program"];
    EXPECT_EQ(program["command"], "fast --threads 2");
    EXPECT_EQ(program["peak_bytes"], 12'300'000);
    EXPECT_DOUBLE_EQ(program["cpu_ns"].get<double>(),
                     document["schemes"][0]["median_ns"].get<double>() * 1.5);
    const auto both = nlohmann::json::parse(race::to_json(of_both(), fakes::some_machine()));
    EXPECT_TRUE(both["schemes"][0]["program"].is_null());
}

TEST(programs_report, csv_has_it_in_columns_of_its_own) {
    const std::string csv = race::to_csv(of_programs());
    EXPECT_THAT(csv, HasSubstr(",command,cpu_ns,peak_bytes,"));
    EXPECT_THAT(csv, HasSubstr(",fast --threads 2,"));
    EXPECT_THAT(csv, HasSubstr(",\"sh -c 'a, \"\"b\"\"'\","));
    EXPECT_THAT(csv, HasSubstr(",12300000,,,,\n"));
    EXPECT_THAT(race::to_csv(of_both()), HasSubstr(",,,,,,,\n"));
}

TEST(programs_report, words_say_how_many_cpus_they_used) {
    const auto result = of_programs();
    EXPECT_THAT(race::program_words(result, {}),
                HasSubstr("fast used 1.50 CPUs on average (151 ms of CPU time in 100 ms) and "
                          "12.3 MB of memory; slow used 1.50"));
    EXPECT_EQ(race::program_words(fakes::result_maker().add("std_thread", 1).finish(), {}), "");
}

TEST(programs_report, words_leave_out_one_that_failed_in_a_later_round) {
    auto result = of_programs();
    result.schemes.front().status = race::scheme_status::failed;
    EXPECT_THAT(race::program_words(result, {}),
                testing::AllOf(HasSubstr("used 1.50 CPUs"), testing::Not(HasSubstr("; "))));
}
