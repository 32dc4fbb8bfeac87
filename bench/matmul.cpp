// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// The schemes of the race over a 512×512 naive matrix product, with as many workers as CPUs, by
/// the bars they have to meet.

#include "bench.hpp"

#include "sampling/race.hpp"
#include "sampling/race_control.hpp"
#include "schemes/scheme.hpp"
#include "workloads/workload.hpp"

#include <regatta/cpu/available_cpus.hpp>

#include <optional>
#include <string>
#include <vector>

namespace {

using namespace regatta;

struct bar {
    const char* subject;
    const char* peer;
    std::optional<double> most;
    bool within_noise;
};

constexpr bar bars[] = {
    {"worker_pool", "std_thread", 1.05, false},
    {"processes", "std_thread", 1.15, false},
    {"std_thread", "openmp_dynamic", 1.0, true},
    {"std_thread", "tbb", 1.0, true},
    {"worker_pool", "openmp_dynamic", 1.0, true},
    {"worker_pool", "tbb", 1.0, true},
    {"worker_pool", "asio", std::nullopt, false},
    {"worker_pool", "zmq_inproc", std::nullopt, false},
};

} // namespace

int main(int argc, char** argv) {
    if (const auto status = race::run_as_worker(argc, argv)) {
        return *status;
    }
    const auto options = bench::parse_options(argc, argv, 31);
    bench::bench_run run(options);
    std::vector<race::entrant> entrants;
    for (const char* name : {"serial", "std_thread", "worker_pool", "processes", "openmp_dynamic",
                             "tbb", "asio", "zmq_inproc"}) {
        if (const auto* scheme = race::find_scheme(name)) {
            entrants.push_back({name, scheme, false});
        }
    }
    race::race_options how;
    how.work.size = 512;
    how.scheme.workers = available_cpus();
    how.rounds = options.rounds;
    how.seed = options.seed;
    race::race_control control;
    const auto result = race::run_race(*race::find_workload("matmul"), entrants, how, control);
    for (const auto& s : result.schemes) {
        if (!s.ok()) {
            run.skip(s.name, s.reason);
        }
    }
    run.show("512×512 naive, " + std::to_string(how.scheme.workers) + " workers: time a product",
             "ms", 1e-6, result.floor.distance, [&] {
                 std::vector<race::series> all;
                 for (const auto& s : result.schemes) {
                     all.push_back(s.measured);
                 }
                 return all;
             }());
    for (const bar& b : bars) {
        const auto* subject = result.find(b.subject);
        const auto* peer = result.find(b.peer);
        if (subject != nullptr && peer != nullptr && subject->ok() && peer->ok()) {
            run.compare({std::string(b.subject) + " / " + b.peer, b.subject, b.peer, b.most,
                         b.within_noise},
                        subject->measured, peer->measured, result.floor.distance);
        }
    }
    return run.finish("matmul");
}
