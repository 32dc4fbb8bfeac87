// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Races of one scheme against itself under another name: whoever calls a winner is wrong. The
/// ratio is the share of races that did.

#include "bench.hpp"

#include "sampling/race.hpp"
#include "sampling/race_control.hpp"
#include "sampling/verdict.hpp"
#include "schemes/scheme.hpp"
#include "workloads/workload.hpp"

#include <regatta/cpu/available_cpus.hpp>

#include <fmt/format.h>

int main(int argc, char** argv) {
    using namespace regatta;
    const auto options = bench::parse_options(argc, argv, 15);
    bench::bench_run run(options);
    constexpr unsigned races = 100;
    const auto* scheme = race::find_scheme("std_thread");
    const std::vector<race::entrant> entrants{{"one", scheme, true}, {"other", scheme, true}};
    unsigned called = 0;
    for (unsigned i = 0; i < races; ++i) {
        race::race_options how;
        how.work.size = 192;
        how.scheme.workers = available_cpus();
        how.rounds = options.rounds;
        how.seed = options.seed + i;
        how.baseline = "one";
        race::race_control control;
        const auto result = race::run_race(*race::find_workload("matmul"), entrants, how, control);
        const auto word = result.find("other")->word;
        if (result.leaders.size() == 1 || word == race::verdict::faster ||
            word == race::verdict::slower) {
            ++called;
        }
    }
    fmt::print(options.json == "-" ? stderr : stdout,
               "{} of {} races of a scheme against itself called a winner\n", called, races);
    const double share = double(called) / races;
    // "Fewer than 5 of 100".
    run.add({"winners called between equals",
             "races with a winner",
             "all races",
             {share, share, share, races},
             0.04,
             called < 5});
    return run.finish("aa");
}
