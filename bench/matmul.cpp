// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// The schemes of the race over a 512×512 naive matrix product, with as many workers as CPUs, by
/// the bars they have to meet.

#include "bench.hpp"

#include "schemes/scheme.hpp"

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
};

constexpr bar bars[] = {
    {"worker_pool", "std_thread", 1.05},    {"processes", "std_thread", 1.15},
    {"std_thread", "openmp_dynamic", 1.0},  {"std_thread", "tbb", 1.0},
    {"worker_pool", "openmp_dynamic", 1.0}, {"worker_pool", "tbb", 1.0},
    {"worker_pool", "asio", std::nullopt},  {"worker_pool", "zmq_inproc", std::nullopt},
};

} // namespace

int main(int argc, char** argv) {
    if (const auto status = race::run_as_worker(argc, argv)) {
        return *status;
    }
    bench::bench_run run(bench::parse_options(argc, argv, 31));
    const unsigned workers = available_cpus();
    bench::scheme_race race{.title = "512×512 naive, " + std::to_string(workers) +
                                     " workers: time a product",
                            .unit = "ms",
                            .scale = 1e-6,
                            .workload = "matmul",
                            .schemes = {"serial", "std_thread", "worker_pool", "processes",
                                        "openmp_dynamic", "tbb", "asio", "zmq_inproc"}};
    race.how.work.size = 512;
    race.how.scheme.workers = workers;
    std::vector<bench::comparison> comparisons;
    for (const bar& b : bars) {
        comparisons.push_back({std::string(b.subject) + " / " + b.peer, b.subject, b.peer, b.most});
    }
    run.measure(race, comparisons);
    return run.finish("matmul");
}
