// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race_results.hpp"
#include "report/race/csv.hpp"
#include "report/race/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>

namespace race = regatta::race;
namespace fakes = regatta::race::fakes;
using nlohmann::json;

namespace {

json document() {
    return json::parse(race::to_json(fakes::result_maker()
                                         .add("serial", 200)
                                         .add("std_thread", 100)
                                         .add_failed("evil", "wrong \xff result", true)
                                         .add_skipped("tbb", "install libtbb-dev")
                                         .finish(),
                                     fakes::some_machine()));
}

} // namespace

TEST(race_json, has_what_the_format_promises) {
    const json d = document();
    EXPECT_EQ(d["schema"], "regatta-race/1");
    EXPECT_EQ(d["workload"], "matmul");
    EXPECT_EQ(d["settings"]["size"], 512);
    EXPECT_EQ(d["settings"]["kernel"], "naive");
    EXPECT_EQ(d["workers"], 2);
    EXPECT_EQ(d["rounds"], 15);
    EXPECT_GT(d["noise_floor"].get<double>(), 0);
    EXPECT_EQ(d["margin"], 0.01);
    EXPECT_TRUE(d["rate"].is_null());
    EXPECT_EQ(d["judged"], "time");
    EXPECT_EQ(d["machine"]["cpu_model"], "A processor");
    EXPECT_EQ(d["command"], "regatta race --json 'it'\\''s here.json'");
    EXPECT_EQ(d["leaders"], json::array({"std_thread"}));
    ASSERT_EQ(d["schemes"].size(), 4u);
}

TEST(race_json, latencies_have_percentiles_and_a_histogram) {
    fakes::result_maker maker;
    maker.result.rate = 5000;
    maker.add("std_thread", 0.02);
    for (int i = 1; i <= 1000; ++i) {
        maker.result.schemes.front().latency.record(i);
    }
    const json d = json::parse(race::to_json(maker.finish(), fakes::some_machine()));
    EXPECT_EQ(d["rate"], 5000.0);
    EXPECT_EQ(d["judged"], "p99_latency");
    const json latency = d["schemes"][0]["latency_ns"];
    EXPECT_EQ(latency["count"], 1000);
    EXPECT_NEAR(latency["median"].get<double>(), 500, 16);
    EXPECT_NEAR(latency["p99_9"].get<double>(), 999, 32);
    EXPECT_EQ(latency["max"], 1000);
    std::uint64_t count = 0;
    std::int64_t last = 0;
    for (const json& bucket : latency["histogram"]) {
        EXPECT_GT(bucket["up_to_ns"].get<std::int64_t>(), last);
        last = bucket["up_to_ns"];
        count += bucket["count"].get<std::uint64_t>();
    }
    EXPECT_EQ(count, 1000u);
    EXPECT_TRUE(d["schemes"][0]["attribution"].is_null());
}

TEST(race_json, a_scheme_that_ran) {
    const json one = document()["schemes"][1];
    EXPECT_EQ(one["name"], "std_thread");
    EXPECT_EQ(one["status"], "ok");
    EXPECT_TRUE(one["reason"].is_null());
    EXPECT_EQ(one["verified"], true);
    EXPECT_NEAR(one["median_ns"].get<double>(), 1e8, 2e6);
    EXPECT_EQ(one["vs_baseline"]["median"], 1.0);
    EXPECT_EQ(one["verdict"], "baseline");
    EXPECT_TRUE(one["more_rounds"].is_null());
    EXPECT_NEAR(one["speedup"]["median"].get<double>(), 2, 0.05);
    EXPECT_EQ(one["samples"].size(), 15u);
    EXPECT_EQ(one["dropped"], 0);
    double sum = 0;
    for (const auto& [name, ns] : one["attribution"].items()) {
        sum += ns.get<double>();
    }
    EXPECT_NEAR(sum, one["attribution_workers"].get<double>() * 1e8, 4e6);
}

TEST(race_json, those_that_did_not_run) {
    const json d = document();
    const json evil = d["schemes"][2];
    EXPECT_EQ(evil["status"], "failed");
    EXPECT_EQ(evil["wrong_result"], true);
    EXPECT_EQ(evil["verified"], false);
    EXPECT_EQ(evil["reason"], "wrong \xEF\xBF\xBD result"); // what is not UTF-8 is replaced
    EXPECT_TRUE(evil["median_ns"].is_null());
    EXPECT_TRUE(evil["vs_baseline"].is_null());
    EXPECT_TRUE(evil["attribution"].is_null());
    EXPECT_EQ(d["schemes"][3]["status"], "skipped");
    EXPECT_EQ(d["schemes"][3]["reason"], "install libtbb-dev");
}

// "everything that the table shows, but for ratios and speed-ups without a clean pair, and what
// follows from them: there they are `null`, and the CSV has empty fields"
TEST(race_json, without_a_clean_pair_there_is_neither_speed_up_nor_efficiency) {
    fakes::result_maker maker;
    maker.add("serial", 200).add("std_thread", 100);
    for (auto& sample : maker.result.schemes[1].measured.samples) {
        sample.load.contaminated = true;
    }
    const race::race_result result = maker.finish();
    const json one = json::parse(race::to_json(result, fakes::some_machine()))["schemes"][1];
    EXPECT_TRUE(one["vs_baseline"].is_null());
    EXPECT_TRUE(one["speedup"].is_null());
    EXPECT_TRUE(one["efficiency"].is_null());
    EXPECT_THAT(race::to_csv(result), testing::HasSubstr(",,,,baseline,,,15,0,2,"));
}

TEST(race_json, of_a_race_in_which_nobody_ran) {
    race::race_result nothing;
    nothing.workload = "matmul";
    const json d = json::parse(race::to_json(nothing, fakes::some_machine()));
    EXPECT_TRUE(d["baseline"].is_null());
    EXPECT_TRUE(d["noise_floor"].is_null());
    EXPECT_TRUE(d["schemes"].empty());
}

TEST(race_json, each_figure_stands_under_its_name) {
    fakes::result_maker maker;
    maker.add("serial", 200).add("std_thread", 100).add("tbb", 90).add("eigen", 50, 1, false);
    maker.result.seed = 5;
    maker.result.order_seed = 6;
    maker.result.warm_up = 3;
    maker.result.reuse = true;
    maker.result.how = {.workers = 2, .chunk = 11, .capacity = 12};
    maker.result.how.kill_every = std::chrono::milliseconds(7);
    maker.result.cpus = 1;
    race::series& tbb = maker.result.schemes[2].measured;
    tbb.settled = 2;
    tbb.samples[3].load = {.others_ns = 21,
                           .kernel_ns = 22,
                           .stolen_ns = 23,
                           .available_ns = 24,
                           .contaminated = true,
                           .measurable = true};
    tbb.samples[4].load.measurable = false;
    tbb.first_tries = {tbb.samples[5], tbb.samples[6]};
    maker.result.schemes[1].reused = true;
    for (race::sample& one : tbb.samples) {
        one.details->split.workers = 3;
    }
    const auto result = maker.finish();
    const auto document = nlohmann::json::parse(race::to_json(result, fakes::some_machine()));
    EXPECT_EQ(document["seed"], 5);
    EXPECT_EQ(document["order_seed"], 6);
    EXPECT_EQ(document["warm_up_rounds"], 3);
    EXPECT_EQ(document["chunk"], 11);
    EXPECT_EQ(document["capacity"], 12);
    EXPECT_EQ(document["kill_every_ns"], 7'000'000);
    EXPECT_EQ(document["oversubscribed"], true);
    EXPECT_NEAR(document["load"]["contaminated_share"].get<double>(), 1.0 / 75, 1e-9);
    EXPECT_NEAR(document["load"]["not_measurable_share"].get<double>(), 1.0 / 60, 1e-9);
    EXPECT_EQ(document["leaders"], nlohmann::json{"eigen"});
    EXPECT_EQ(document["item_leaders"], nlohmann::json{"tbb"});
    EXPECT_EQ(document["schemes"][1]["reused"], true);
    const auto& one = document["schemes"][2];
    EXPECT_EQ(one["reused"], false);
    EXPECT_EQ(one["attribution_workers"], 3);
    EXPECT_EQ(one["cut"], 2);
    EXPECT_EQ(one["contaminated"], 1);
    EXPECT_EQ(one["not_measurable"], 1);
    EXPECT_EQ(one["tried_again"], 2);
    const auto& sample = one["samples"][3];
    EXPECT_EQ(sample["others_ns"], 21);
    EXPECT_EQ(sample["kernel_ns"], 22);
    EXPECT_EQ(sample["stolen_ns"], 23);
    EXPECT_EQ(sample["available_ns"], 24);

    maker.result.how.capacity = 0;
    EXPECT_TRUE(
        nlohmann::json::parse(race::to_json(maker.result, fakes::some_machine()))["capacity"]
            .is_null());
}
