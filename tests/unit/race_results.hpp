// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Results of races that never took place, to be reported.

#include "report/common/provenance.hpp"
#include "sampling/race_evaluation.hpp"
#include "sampling/race_result.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

namespace regatta::race::fakes {

/// The lines of a report.
inline std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// Other programs used the CPUs in the samples from `first` to before `last`, if there are so many.
inline void disturb(scheme_result& one, std::size_t first, std::size_t last = ~std::size_t{0}) {
    for (std::size_t i = first; i < std::min(last, one.measured.samples.size()); ++i) {
        one.measured.samples[i].load.contaminated = true;
    }
}

/// A race of 15 rounds whose times are given; `evaluate_race` has done its part.
class result_maker {
public:
    result_maker() {
        result.workload = "matmul";
        result.settings = {{"size", "512"}, {"kernel", "naive"}, {"seed", "1"}};
        result.items = 512;
        result.how = {.workers = 2, .chunk = 8};
        result.cpus = 2;
        result.seed = 1;
        result.rounds = 15;
        result.warm_up = 1;
        result.load_source = "a test";
        result.baseline = "std_thread";
    }

    /// A scheme that takes `ms` a run, of which its workers spend `work` on items and the rest in
    /// dispatch; with `logged` false it keeps no log.
    result_maker& add(const std::string& name, double ms, double work = 1, bool logged = true) {
        scheme_result& one = result.schemes.emplace_back();
        one.name = one.scheme = name;
        one.traits = traits_of(name);
        one.suits = name == "processes" ? "isolation: a crash stays alone" : "many things";
        one.measured = times(name, ms);
        time_split split;
        split.wall_ns = ms * 1e6;
        split.workers = 2;
        split.items_ns = logged ? 2 * split.wall_ns * work : 0;
        split.dispatch_ns = logged ? 2 * split.wall_ns * (1 - work) : 0;
        split.unlogged_ns = logged ? 0 : 2 * split.wall_ns;
        for (sample& each : one.measured.samples) {
            each.details = run_details{split, {}, {}};
        }
        return *this;
    }
    result_maker& add_failed(const std::string& name, const std::string& reason, bool wrong) {
        scheme_result& one = result.schemes.emplace_back();
        one.name = one.scheme = one.measured.name = name;
        one.traits = traits_of(name);
        one.status = scheme_status::failed;
        one.reason = reason;
        one.wrong_result = wrong;
        return *this;
    }
    result_maker& add_skipped(const std::string& name, const std::string& reason) {
        add_failed(name, reason, false);
        result.schemes.back().status = scheme_status::skipped;
        return *this;
    }

    race_result finish() {
        sampling_result measured;
        for (const scheme_result& one : result.schemes) {
            measured.all.push_back(one.measured);
        }
        measured.all.push_back(
            times(control_name(result.baseline),
                  control_takes * result.find(result.baseline)->measured.samples.front().ns / 1e6));
        evaluate_race(result, measured);
        return result;
    }

    race_result result;
    double control_takes = 1; ///< As a multiple of the baseline.

private:
    /// Within 1 % of `ms`, differently for each name.
    static series times(const std::string& name, double ms) {
        series all{name, {}, {}};
        for (unsigned round = 0; round < 15; ++round) {
            const double noise = static_cast<double>((round * 7 + name.size() * 5) % 11) / 1100;
            all.samples.push_back({round, ms * 1e6 * (1 + noise), {}});
            all.samples.back().load.measurable = true;
        }
        return all;
    }
};

inline provenance some_machine() {
    provenance from;
    from.machine.cpu_model = "A processor";
    from.machine.build_type = "Release";
    from.machine.version = "0.1.0";
    from.machine.time = "2026-01-01T00:00:00Z";
    from.command = {"regatta", "race", "--json", "it's here.json"};
    return from;
}

/// Three schemes, of which one is twice as fast as the baseline.
inline race_result three_schemes() {
    return result_maker()
        .add("serial", 200)
        .add("std_thread", 100, 0.99)
        .add("zmq_inproc", 150, 0.6)
        .finish();
}

} // namespace regatta::race::fakes
