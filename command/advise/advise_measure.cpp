// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advise/advise_measure.hpp"

#include "common/progress_bar.hpp"
#include "report/race/json.hpp"
#include "report/scale/scale_json.hpp"
#include "sampling/race.hpp"
#include "scaling/scale.hpp"

#include <regatta/cpu/available_cpus.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace regatta::command {
namespace {

std::string race_document(const race::workload_info& workload, const measure_arguments& arguments,
                          bool quiet, const race::provenance& from, race::race_control& control) {
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
    return race::to_json(race::run_race(workload, entrants, options, control,
                                        [&](const race::progress& now) { bar.show(now); }),
                         from);
}

std::string scale_document(const race::workload_info& workload, const measure_arguments& arguments,
                           bool quiet, const race::provenance& from, race::race_control& control) {
    race::scale_options options;
    options.work = workload_options_of(arguments, workload);
    options.seed = arguments.order_seed_or_fresh();
    options.rounds = arguments.rounds_or(advise_rounds);
    options.time = arguments.time() / 2;
    progress_bar bar(quiet);
    return race::to_json(race::run_scale(workload, race::usual_baseline(), options, control,
                                         [&](const race::progress& now) { bar.show(now); }),
                         from);
}

/// What is about to be measured, and for how long.
void announce(const race::workload_info& workload, const measure_arguments& arguments) {
    const auto schemes = std::ranges::count_if(
        race::schemes(), [](const race::scheme_info& info) { return !info.on_request; });
    std::string counts;
    for (const unsigned count : race::usual_worker_counts(available_cpus())) {
        counts += (counts.empty() ? "" : ", ") + std::to_string(count);
    }
    const std::string length =
        arguments.duration ? *arguments.duration + " in all"
                           : fmt::format("{} rounds each", arguments.rounds_or(advise_rounds));
    fmt::print(stderr,
               "Measuring {}: {} schemes with {} workers, then {} with {} workers; {}. Ctrl-C ends "
               "it with what there is by then.\n",
               workload.name, schemes, available_cpus(), race::usual_baseline().name, counts,
               length);
}

} // namespace

std::vector<race::result_text> measure_for_advice(const race::workload_info& workload,
                                                  const measure_arguments& arguments, bool quiet,
                                                  const race::provenance& from,
                                                  race::race_control& control) {
    if (!quiet) {
        announce(workload, arguments);
    }
    std::vector<race::result_text> results;
    results.push_back({"the race", race_document(workload, arguments, quiet, from, control)});
    if (!control.stop_requested()) {
        results.push_back(
            {"the scaling", scale_document(workload, arguments, quiet, from, control)});
    }
    return results;
}

} // namespace regatta::command
