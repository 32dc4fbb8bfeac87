// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Worker processes beside worker threads on the same shared memory: a 512×512 matrix product by
/// rows, an empty job, and what a death costs.

#include "bench.hpp"
#include "process_pool_case.hpp"

#include "machine/load_meter.hpp"
#include "machine/quiesce.hpp"
#include "schemes/scheme.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/pool/steady_pool.hpp>
#include <regatta/process/process_pool.hpp>

#include <fmt/core.h>
#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <thread>
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
void race_rows(bench::bench_run& run, const char* kernel, const std::vector<const char*>& names,
               const std::vector<bar>& bars) {
    bench::scheme_race race{.title = std::string("512×512, kernel ") + kernel + ": time a product",
                            .unit = "ms",
                            .scale = 1e-6,
                            .workload = "matmul",
                            .schemes = names};
    race.how.work.size = 512;
    race.how.work.kernel = kernel;
    race.how.scheme.workers = available_cpus();
    std::vector<bench::comparison> comparisons;
    for (const bar& b : bars) {
        comparisons.push_back(
            {std::string(kernel) + ": " + b.subject + " / " + b.peer, b.subject, b.peer, b.most});
    }
    run.measure(race, comparisons);
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
        {{"round trip", "process_pool", "steady_pool", 1.2}});
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
            while (job.progress() < rows / 2) { // Asleep: the workers have all CPUs.
                std::this_thread::sleep_for(std::chrono::microseconds(50));
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
    run.add({"one SIGKILL, by 5 ms", "no death and 5 ms", 1 / 5e6, 1.0}, "one SIGKILL",
            bench::added_time(result.of("one SIGKILL"), result.of("no death")));
    run.note(fmt::format("{} deaths, mean time to the next worker {:.2f} ms", pool.stats().deaths,
                         static_cast<double>(pool.stats().mean_respawn.count()) * 1e-6));
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
                {{"zygote", "process_pool zygote", "process_pool", {}}});
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
    race_rows(run, "naive",
              {"steady", "process_pool", "process_pool_cold", "processes", "std_thread"},
              {{"process_pool", "steady", 1.05},
               {"process_pool_cold", "steady", 1.15},
               {"process_pool_cold", "processes", std::nullopt}});
    race_rows(run, "tiled", {"steady", "process_pool", "process_pool_cold"},
              {{"process_pool", "steady", 1.05}, {"process_pool_cold", "steady", std::nullopt}});
    race_rows(
        run, "blas",
        {"process_pool", "process_pool_cold", "python_processes_1blas", "python_pool_map_1blas"},
        {{"process_pool_cold", "python_processes_1blas", std::nullopt},
         {"process_pool_cold", "python_pool_map_1blas", std::nullopt}});
    measure_round_trips(run);
    measure_deaths(run, options);
    measure_respawn(run);
    process_bench::measure_python(run);
    return run.finish("process_pool");
}
