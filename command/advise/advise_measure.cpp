// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advise/advise_measure.hpp"

#include "common/any_failed.hpp"
#include "common/progress_bar.hpp"
#include "common/terminal.hpp"
#include "report/race/json.hpp"
#include "report/scale/scale_json.hpp"
#include "sampling/race.hpp"
#include "scaling/scale.hpp"
#include "schemes/scheme.hpp"

#include <regatta/cpu/available_cpus.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace regatta::command {
namespace {

/// Of a result, whose failures decide the exit status.
template<class Result>
void add(const char* name, const Result& result, const race::provenance& from,
         advice_measurement& to) {
    to.results.push_back({name, race::to_json(result, from)});
    to.failed = to.failed || any_failed(result);
}

race::race_result measure_race(const race::workload_info& workload,
                               const measure_arguments& arguments, bool quiet,
                               race::race_control& control) {
    std::vector<race::entrant> entrants;
    for (const race::scheme_info& info : race::schemes()) {
        if (!info.on_request) {
            entrants.push_back({std::string(info.name), &info, false});
        }
    }
    race::race_options options;
    options.work = workload_options_of(arguments, workload);
    options.seed = arguments.order_seed_or_fresh();
    options.scheme.workers = available_cpus();
    options.rounds = arguments.rounds_or(advise_rounds);
    options.time = arguments.time() / 2;
    progress_bar bar(quiet);
    return race::run_race(workload, entrants, options, control,
                          [&](const race::progress& now) { bar.show(now); });
}

race::scale_result measure_scale(const race::workload_info& workload,
                                 const measure_arguments& arguments, bool quiet,
                                 race::race_control& control) {
    race::scale_options options;
    options.work = workload_options_of(arguments, workload);
    options.seed = arguments.order_seed_or_fresh();
    options.rounds = arguments.rounds_or(advise_rounds);
    options.time = arguments.time() / 2;
    progress_bar bar(quiet);
    return race::run_scale(workload, race::usual_scheme(workload), options, control,
                           [&](const race::progress& now) { bar.show(now); });
}

/// How long the race and the scaling take, judged by two runs of the plain loop. Schemes differ, so
/// that it is no more than a hint.
std::string expected_length(const race::workload_info& workload, const measure_arguments& arguments,
                            std::ptrdiff_t schemes, const std::vector<unsigned>& counts,
                            race::race_control& control) {
    race::race_options options;
    options.work = workload_options_of(arguments, workload);
    options.rounds = 1;
    const auto reference = std::ranges::find_if(
        race::schemes(), [](const race::scheme_info& info) { return info.traits.reference; });
    const auto begin = std::chrono::steady_clock::now();
    const race::race_result result = race::run_race(
        workload, {{std::string(reference->name), &*reference, true}}, options, control);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    const double run = result.schemes.front().time.median / 1e9;
    // One round of warm-up and one more, each with the control.
    const double around = std::max(0.0, taken.count() / 4 - run);
    const auto sample = [&](unsigned workers) {
        const double shortest = std::chrono::duration<double>(race::usual_shortest_sample).count();
        return std::max(run / std::min(workers, available_cpus()), shortest) + around;
    };
    double seconds = static_cast<double>(schemes + 1) * sample(available_cpus());
    for (const unsigned count : counts) {
        seconds += sample(count);
    }
    seconds *= arguments.rounds_or(advise_rounds) + 1; // one of warm-up
    return seconds < 90 ? fmt::format("some {:.0f} s", std::max(1.0, std::ceil(seconds)))
                        : fmt::format("some {:.0f} min", std::ceil(seconds / 60));
}

/// What is about to be measured, and for how long.
void announce(const race::workload_info& workload, const measure_arguments& arguments,
              race::race_control& control) {
    const auto work = workload.make(workload_options_of(arguments, workload));
    const auto schemes = std::ranges::count_if(race::schemes(), [&](const race::scheme_info& info) {
        return !info.on_request && info.missing(*work).empty();
    });
    const auto all_counts = race::usual_worker_counts(available_cpus());
    std::string counts;
    for (const unsigned count : all_counts) {
        counts += (counts.empty() ? "" : ", ") + std::to_string(count);
    }
    const bool has_unit =
        arguments.duration.value_or("").find_first_not_of("0123456789.") != std::string::npos;
    const std::string length =
        arguments.duration
            ? *arguments.duration + (has_unit ? "" : " s") + " in all"
            : fmt::format("{} each, {}", race::counted(arguments.rounds_or(advise_rounds), "round"),
                          expected_length(workload, arguments, schemes, all_counts, control));
    const std::string line =
        fmt::format("Measuring {}: {} schemes with {}, then {} with {} workers; {}. Ctrl-C ends "
                    "it with what there is by then.\n",
                    workload.name, schemes, race::counted(available_cpus(), "worker"),
                    race::usual_scheme(workload).name, counts, length);
    std::fputs(line.c_str(), stderr); // Where that is closed the measurement goes on.
}

} // namespace

advice_measurement measure_for_advice(const race::workload_info& workload,
                                      const measure_arguments& arguments, bool quiet,
                                      const race::provenance& from, race::race_control& control) {
    if (!quiet) {
        announce(workload, arguments, control);
    }
    advice_measurement all;
    add("the race", measure_race(workload, arguments, quiet, control), from, all);
    if (!control.stop_requested()) {
        try {
            add("the scaling", measure_scale(workload, arguments, quiet, control), from, all);
        } catch (const race::scheme_failure& e) {
            tell(std::string("the scaling could not be measured: ") + e.what());
            all.failed = true;
        }
    }
    return all;
}

} // namespace regatta::command
