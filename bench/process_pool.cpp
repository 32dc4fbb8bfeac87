// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Worker processes beside worker threads on the same shared memory: a 512×512 matrix product by
/// rows, an empty job, and what a death costs.

#include "bench.hpp"
#include "process_pool_case.hpp"

#include "machine/load_meter.hpp"
#include "machine/quiesce.hpp"
#include "sampling/race.hpp"
#include "sampling/race_control.hpp"
#include "sampling/signed_ranks.hpp"
#include "schemes/scheme.hpp"
#include "workloads/workload.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/pool/steady_pool.hpp>
#include <regatta/process/process_pool.hpp>

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace regatta;

namespace process_bench {

/// A row of some microseconds.
std::uint64_t row(std::uint64_t x) {
    for (int i = 0; i < 20'000; ++i) {
        x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u + 1;
    }
    return x;
}

std::uint64_t same(std::uint64_t x) {
    return x;
}

void nothing(const process_task&, std::span<const std::byte>, std::span<std::byte>) {}

} // namespace process_bench

namespace {

struct bar {
    const char* subject;
    const char* peer;
    std::optional<double> most;
};

/// A race of schemes over the product, with a kernel.
void race_rows(bench::bench_run& run, const bench::bench_options& options, const char* kernel,
               const std::vector<const char*>& names, const std::vector<bar>& bars) {
    const std::string title = std::string("512×512, kernel ") + kernel + ": time a product";
    if (!run.wants(title)) {
        return;
    }
    std::vector<race::entrant> entrants;
    for (const char* name : names) {
        if (const auto* scheme = race::find_scheme(name)) {
            entrants.push_back({name, scheme, false});
        }
    }
    race::race_options how;
    how.work.size = 512;
    how.work.kernel = kernel;
    how.scheme.workers = available_cpus();
    how.rounds = options.rounds;
    how.seed = options.seed;
    race::race_control control;
    const auto result = race::run_race(*race::find_workload("matmul"), entrants, how, control);
    std::vector<race::series> all;
    for (const auto& s : result.schemes) {
        all.push_back(s.measured);
        if (!s.ok()) {
            run.skip(s.name, s.reason);
        }
    }
    run.show(title, "ms", 1e-6, result.floor.distance, all);
    for (const bar& b : bars) {
        const auto* subject = result.find(b.subject);
        const auto* peer = result.find(b.peer);
        if (subject != nullptr && peer != nullptr && subject->ok() && peer->ok()) {
            run.compare({std::string(kernel) + ": " + b.subject + " / " + b.peer, b.subject, b.peer,
                         b.most, false},
                        subject->measured, peer->measured, result.floor.distance);
        }
    }
}

/// One job of no work after the other, each waited for.
void measure_round_trips(bench::bench_run& run) {
    constexpr int trips = 2000;
    process_pool processes({.workers = 1});
    steady_pool threads(1);
    const auto time_of = [](auto&& trip) {
        const std::int64_t begin = detail::monotonic_ns();
        for (int i = 0; i < trips; ++i) {
            trip();
        }
        return race::outcome{static_cast<double>(detail::monotonic_ns() - begin) / trips};
    };
    run.measure(
        "an empty job to one warm worker and back", "ns",
        {{"steady_pool", [&] { return time_of([&] { threads.submit([] {}).get(); }); }},
         {"process_pool",
          [&] {
              return time_of([&] { processes.map<process_bench::nothing>({}, {}, 1).wait(); });
          }},
         {"process_pool submit",
          [&] { return time_of([&] { processes.submit<process_bench::same>(1).get(); }); }}},
        {{"round trip", "process_pool", "steady_pool", 1.2, false}});
}

/// Jobs of 512 rows with and without a SIGKILL in the middle.
void measure_deaths(bench::bench_run& run, const bench::bench_options& options) {
    const std::string title = "512 rows: time a job";
    if (!run.wants(title)) {
        return;
    }
    constexpr std::size_t rows = 512;
    process_pool pool({.workers = available_cpus(), .attempts = 1000});
    const auto in = pool.allocate_input<std::uint64_t>(rows);
    const auto out = pool.allocate<std::uint64_t>(rows);
    const auto job_with = [&](bool death) {
        // Both workers are there when it begins.
        while (pool.stats().workers < pool.size()) {
        }
        const std::int64_t begin = detail::monotonic_ns();
        const auto job = pool.map<process_bench::row>(in, out);
        if (death) {
            while (job.progress() < rows / 2) {
            }
            pool.signal_worker(0, SIGKILL);
        }
        job.get();
        return race::outcome{static_cast<double>(detail::monotonic_ns() - begin)};
    };
    const race::load_meter meter;
    const auto result = race::measure(
        {{"no death", [&] { return job_with(false); }},
         {"one SIGKILL", [&] { return job_with(true); }}},
        {.rounds = options.rounds, .seed = options.seed, .meter = &meter, .settle = [] {
             race::quiesce();
         }});
    run.show(title, "ms", 1e-6, std::nullopt, result.all);
    std::map<unsigned, double> calm;
    for (const race::sample& one : result.of("no death").usable()) {
        calm[one.round] = one.ns;
    }
    std::vector<double> costs;
    for (const race::sample& one : result.of("one SIGKILL").usable()) {
        if (calm.contains(one.round)) {
            costs.push_back((one.ns - calm[one.round]) / 5e6);
        }
    }
    const race::estimate cost = race::signed_ranks(std::move(costs)).interval();
    run.add({"one SIGKILL, by 5 ms", "one SIGKILL", "no death", cost, 1.0, cost.median <= 1.0});
    std::printf("%llu deaths, mean time to the next worker %.2f ms\n\n",
                static_cast<unsigned long long>(pool.stats().deaths),
                static_cast<double>(pool.stats().mean_respawn.count()) * 1e-6);
}

/// From the kill of an idle worker to the answer of the next one in its place.
void measure_respawn(bench::bench_run& run) {
    const std::string title = "a worker that is killed: time to the answer of the next one";
    if (!run.wants(title)) {
        return;
    }
    process_pool started({.workers = 1, .attempts = 1000});
    process_pool copied({.workers = 1, .attempts = 1000, .zygote = true});
    const auto replace = [](process_pool& pool) {
        pool.submit<process_bench::same>(1).get();
        const std::uint64_t deaths = pool.stats().deaths;
        const std::int64_t begin = detail::monotonic_ns();
        pool.signal_worker(0, SIGKILL);
        while (pool.stats().deaths == deaths) {
        }
        pool.submit<process_bench::same>(1).get();
        return race::outcome{static_cast<double>(detail::monotonic_ns() - begin)};
    };
    run.measure(title, "ns",
                {{"process_pool", [&] { return replace(started); }},
                 {"process_pool zygote", [&] { return replace(copied); }}},
                {{"zygote", "process_pool zygote", "process_pool", {}, false}});
    if (copied.stats().copied == 0) {
        run.note("the zygote could not copy itself here: both start their workers alike");
    }
}

} // namespace

int main(int argc, char** argv) {
    if (const auto status = race::run_as_worker(argc, argv)) {
        return *status;
    }
    const auto options = bench::parse_options(argc, argv, 21);
    bench::bench_run run(options);
    race_rows(run, options, "naive",
              {"steady", "process_pool", "process_pool_cold", "processes", "std_thread"},
              {{"process_pool", "steady", 1.05},
               {"process_pool_cold", "steady", 1.15},
               {"process_pool_cold", "processes", std::nullopt}});
    race_rows(run, options, "tiled", {"steady", "process_pool", "process_pool_cold"},
              {{"process_pool", "steady", 1.05}, {"process_pool_cold", "steady", std::nullopt}});
    race_rows(
        run, options, "blas",
        {"process_pool", "process_pool_cold", "python_processes_1blas", "python_pool_map_1blas"},
        {{"process_pool_cold", "python_processes_1blas", std::nullopt},
         {"process_pool_cold", "python_pool_map_1blas", std::nullopt}});
    measure_round_trips(run);
    measure_deaths(run, options);
    measure_respawn(run);
    process_bench::measure_python(run);
    return run.finish("process_pool");
}
