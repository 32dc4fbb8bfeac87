// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Result files that advice is given from, of measurements that never took place.

#include "advice/advice.hpp"
#include "advice/evidence.hpp"
#include "isolation_results.hpp"
#include "race_results.hpp"
#include "report/isolation/isolation_json.hpp"
#include "report/race/json.hpp"
#include "report/scale/scale_json.hpp"
#include "scaling/scale_result.hpp"
#include "scaling/speedup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace regatta::race::fakes {

/// As `some_machine`, with as many CPUs.
inline provenance machine_of(unsigned cpus) {
    provenance from = some_machine();
    from.machine.online_cpus = from.machine.available_cpus = cpus;
    return from;
}

/// How primes scales on a machine with so many CPUs: 15 rounds, speed-ups as given.
class scale_maker {
public:
    explicit scale_maker(unsigned cpus) {
        result.workload = "primes";
        result.settings = {{"size", "500"}, {"max_prime", "10000"}, {"seed", "1"}};
        result.scheme = "std_thread";
        result.unit = "events";
        result.units_a_run = 500;
        result.items = 500;
        result.cpus = cpus;
        result.rounds = 15;
        result.warm_up = 1;
        result.load_source = "a test";
        result.floor = {0.01, about(1)};
    }

    /// @param item_us how long an item takes; 0: not known.
    scale_maker& add(unsigned workers, double speedup, double item_us,
                     std::optional<double> clock_hz = std::nullopt) {
        scale_point& one = result.points.emplace_back();
        one.workers = workers;
        one.speedup = about(speedup);
        one.word = workers == 1 ? verdict::baseline : judge(inverse(one.speedup), result.margin);
        one.efficiency = about(speedup / workers);
        one.time = about(1e9 / speedup);
        one.events_per_second = one.throughput = about(500 * speedup);
        one.clock_hz = clock_hz;
        scaling_observation seen{static_cast<double>(workers), {}};
        for (unsigned round = 0; round < 15; ++round) {
            const double noise = 1 + ((round * 7 + workers) % 11) / 2200.0;
            one.measured.samples.push_back({round, 1e9 / speedup * noise, {}});
            seen.speedups.emplace_back(speedup / noise);
        }
        if (item_us > 0) {
            one.latency.record(static_cast<std::int64_t>(item_us * 1000));
        }
        if (workers <= result.cpus) {
            observed_.push_back(seen);
        }
        return *this;
    }
    scale_maker& warn(scale_warning_kind kind, unsigned workers, const std::string& text) {
        result.warnings.push_back({kind, workers, text});
        return *this;
    }

    result_text finish(const std::string& file = "scale.json") {
        result.fit = fit_scaling(observed_);
        return {file, to_json(result, machine_of(result.cpus))};
    }

    scale_result result;

private:
    static estimate about(double value) { return {value, value * 0.99, value * 1.01, 15}; }

    std::vector<scaling_observation> observed_;
};

/// A race over the workload of `scale_maker` with two workers.
inline result_maker primes_race() {
    result_maker maker;
    maker.result.workload = "primes";
    maker.result.settings = {{"size", "500"}, {"max_prime", "10000"}, {"seed", "1"}};
    return maker;
}

inline result_text race_file(result_maker maker, unsigned cpus = 2) {
    return {"race.json", to_json(maker.finish(), machine_of(cpus))};
}

inline result_text isolation_file(isolation_maker maker, unsigned cpus = 2) {
    return {"isolation.json", to_json(maker.finish(), machine_of(cpus))};
}

using document = nlohmann::ordered_json;

/// The same result with a change to its document.
inline result_text changed(result_text file, const std::function<void(document&)>& change) {
    document content = document::parse(file.text);
    change(content);
    file.text = content.dump();
    return file;
}

/// Advises, and checks what holds of all advice: no sentence without a figure.
inline advice advised(const std::vector<result_text>& files) {
    advice made = advise(read_evidence(files), {});
    for (const sentence& one : made.sentences) {
        EXPECT_NE(one.text.find_first_of("0123456789"), std::string::npos) << one.text;
        EXPECT_FALSE(one.figures.empty()) << one.text;
        EXPECT_TRUE(one.text.ends_with('.')) << one.text;
        for (const cited_figure& cited : one.figures) {
            EXPECT_FALSE(cited.name.empty() || cited.from.file.empty() || cited.from.member.empty())
                << one.text;
        }
    }
    for (const open_question& one : made.open) {
        EXPECT_NE(one.text.find_first_of("0123456789"), std::string::npos) << one.text;
        EXPECT_THAT(one.measure, testing::HasSubstr("regatta "));
    }
    return made;
}

/// All sentences about it.
inline std::string said(const advice& made, topic about) {
    std::string all;
    for (const sentence& one : made.sentences) {
        all += one.about == about ? one.text + "\n" : "";
    }
    return all;
}

inline std::string left_open(const advice& made, topic about) {
    std::string all;
    for (const open_question& one : made.open) {
        all += one.about == about ? one.text + " " + one.measure + "\n" : "";
    }
    return all;
}

inline result_text stream_file(double speedup) {
    scale_maker stream(2);
    stream.result.workload = "stream";
    stream.result.settings = {{"size", "64"}};
    return stream.add(1, 1, 900).add(2, speedup, 900 * 2 / speedup).finish("stream.json");
}

} // namespace regatta::race::fakes
