// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Forks, loops, graphs, sums and sorts that divide themselves: beside the same on one thread,
/// oneTBB, OpenMP and Rayon, by the bars they have to meet.

#include "bench.hpp"
#include "distance.hpp"
#include "fork_case.hpp"

#include "schemes/scheme.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

using namespace regatta;
using bench::comparison;
using bench::fork_case;

using sample_of = bench::fork_sample fork_case::*;

std::vector<fork_case> peers() {
    const std::string why = " was not found when this was built; install ";
    return {
        bench::spinning_halves(), bench::woken_half(),
#if REGATTA_BENCH_TBB
            bench::tbb_forks(), bench::tbb_equal_parts(), bench::tbb_undivided(),
#else
            {.name = "oneTBB", .absent = "oneTBB" + why + "libtbb-dev"},
#endif
#if REGATTA_BENCH_OPENMP
            bench::openmp_tasks(), bench::openmp_static(), bench::openmp_dynamic(),
#else
            {.name = "OpenMP", .absent = "OpenMP" + why + "libgomp1"},
#endif
    };
}

/// Adds a contender, unless it has no form for the row.
void add(std::vector<race::contender>& all, const fork_case& one, sample_of what,
         unsigned threads = 2, const std::string& name = {}) {
    if (const bench::fork_sample sample = one.*what) {
        all.push_back({name.empty() ? one.name : name, [=] { return sample(threads); }});
    }
}

/// Regatta, serial and the peers that have a form for it, two threads each.
std::vector<race::contender> field(sample_of what) {
    std::vector<race::contender> all;
    add(all, bench::regatta_forks(), what);
    add(all, bench::serial_forks(), what);
    for (const fork_case& one : peers()) {
        add(all, one, what);
    }
    return all;
}

/// The first contender beside all others; a bar where there is one for that peer.
std::vector<comparison> beside_all(const std::string& name,
                                   const std::vector<race::contender>& contenders,
                                   const std::vector<std::pair<std::string, double>>& bars) {
    std::vector<comparison> all;
    for (std::size_t i = 1; i < contenders.size(); ++i) {
        const std::string& peer = contenders[i].name;
        const std::string beside = peer == "serial" ? "" : ", " + peer;
        const auto bar = std::find_if(bars.begin(), bars.end(),
                                      [&](const auto& one) { return one.first == peer; });
        all.push_back({name + beside, contenders.front().name, peer,
                       bar != bars.end() ? std::optional(bar->second) : std::nullopt});
    }
    return all;
}

/// A row with two threads. `absolute`: also by the clock.
struct row {
    const char* name;
    const char* unit_of; ///< What the time is the time of.
    sample_of what;
    std::vector<std::pair<std::string, double>> bars;
    std::optional<bench::figure> absolute{};
};

void measure(bench::bench_run& run, const row& r) {
    const std::string title = std::string(r.name) + ", 2 threads: " + r.unit_of;
    bench::at_a_distance(run, title, [&](bench::distance) {
        const auto contenders = field(r.what);
        const auto result =
            run.measure(title, "ns", contenders, beside_all(r.name, contenders, r.bars));
        if (r.absolute) {
            run.add(*r.absolute, result->of("regatta"));
        }
    });
}

void measure_forks(bench::bench_run& run) {
    const fork_case ours = bench::regatta_forks();
    const fork_case serial = bench::serial_forks();
    const std::string one = "regatta, 1 thread";
    const std::string two = "regatta, 2 threads";
    const std::string title = "fib, no cut-off: time a fork";
    bench::at_a_distance(run, title, [&](bench::distance) {
        std::vector<race::contender> all;
        add(all, ours, &fork_case::fib, 1, one);
        add(all, ours, &fork_case::fib, 2, two);
        add(all, serial, &fork_case::fib);
        add(all, bench::serial_loops(), &fork_case::fib);
        const auto result = run.measure(
            title, "ns", all,
            {{"fib, 1 thread", one, "serial", 1.3}, {"fib, 2 threads", two, "serial", 0.7}});
        run.add({"fib, 1 thread: added to a call", "serial and 1 ns", 1, 1.0}, one,
                bench::added_time(result->of(one), result->of("serial")));
    });
    const std::string tree = "a balanced tree of 16777215 nodes: time a node";
    bench::at_a_distance(run, tree, [&](bench::distance) {
        std::vector<race::contender> all;
        add(all, ours, &fork_case::tree, 1, one);
        add(all, ours, &fork_case::tree, 2, two);
        add(all, serial, &fork_case::tree);
        add(all, bench::serial_loops(), &fork_case::tree);
        run.measure(tree, "ns", std::move(all),
                    {{"balanced tree, 1 thread", one, "serial", 1.05},
                     {"balanced tree, 2 threads", two, "serial", 0.5}});
    });
    const std::string region = "region, a tree of 1023 nodes: time a tree";
    bench::at_a_distance(run, region, [&](bench::distance) {
        std::vector<race::contender> all;
        add(all, ours, &fork_case::region, 1, one);
        add(all, ours, &fork_case::region, 2, two);
        add(all, bench::regatta_forks_in_task(), &fork_case::region);
        add(all, serial, &fork_case::region);
        add(all, bench::serial_loops(), &fork_case::region);
        for (const fork_case& peer : peers()) {
            add(all, peer, &fork_case::region);
        }
        std::vector<comparison> comparisons{
            {"region, 1 thread", one, "serial", 1.5},
            {"region, 2 threads", two, "serial", 1.5},
            {"region, 2 threads, in a task", "regatta, in a task", "serial", 1.5},
            {"region, 2 threads by 1", two, one, 1.0}};
        for (std::size_t i = 5; i < all.size(); ++i) {
            comparisons.push_back({"region, 2 threads, " + all[i].name, two, all[i].name, {}});
        }
        run.measure(region, "ns", std::move(all), comparisons);
    });
}

/// Schemes of the race over a workload. Ours stands first; each bar is its ratio to that scheme.
struct race_row {
    const char* workload;
    std::size_t size;
    unsigned workers;
    std::vector<const char*> schemes;
    std::vector<std::pair<std::string, double>> bars;
};

void measure_race(bench::bench_run& run, const race_row& r) {
    const std::string threads =
        std::to_string(r.workers) + (r.workers == 1 ? " thread" : " threads");
    const std::string name =
        std::string(r.workload) + " " + std::to_string(r.size) + ", " + threads;
    bench::scheme_race race{name + ": time a run", "ms", 1e-6, r.workload, r.schemes, {}};
    race.how.work.size = r.size;
    race.how.scheme.workers = r.workers;
    race.how.baseline = r.schemes.front();
    std::vector<comparison> comparisons;
    for (std::size_t i = 1; i < r.schemes.size(); ++i) {
        const auto bar = std::find_if(r.bars.begin(), r.bars.end(),
                                      [&](const auto& one) { return one.first == r.schemes[i]; });
        const std::string peer = r.schemes[i];
        comparisons.push_back({name + (peer == "serial" ? "" : ", " + peer), r.schemes.front(),
                               peer,
                               bar != r.bars.end() ? std::optional(bar->second) : std::nullopt});
    }
    bench::at_a_distance(run, race.title, [&](bench::distance) {
        try {
            run.measure(race, comparisons);
        } catch (const std::system_error& e) {
            run.skip(name, e.what());
        }
    });
}

void measure_races(bench::bench_run& run) {
    // The others take some seconds for a run of that tree.
    const std::vector<const char*> quick{"regatta_fork", "serial", "rayon"};
    const std::vector<const char*> forks{"regatta_fork", "serial", "tbb", "openmp", "rayon"};
    const std::vector<const char*> loops{"regatta_fork", "serial", "tbb",
                                         "openmp",       "rayon",  "std_par"};
    for (const race_row& r : std::vector<race_row>{
             {"tree_sum", 100'000'000, 1, quick, {{"serial", 1.05}}},
             {"tree_sum", 100'000'000, 2, quick, {{"serial", 0.5}}},
             {"fib", 30, 2, forks, {{"tbb", 0.1}, {"openmp", 0.1}}},
             {"skynet", 6, 2, forks, {{"tbb", 0.1}, {"openmp", 0.1}}},
             {"nqueens", 11, 2, forks, {{"tbb", 1.0}, {"openmp", 1.0}}},
             {"matmul_tree", 512, 2, forks, {{"tbb", 1.0}, {"openmp", 1.0}}},
             {"reduce", 100'000'000, 2, loops, {{"tbb", 1.0}}},
             {"sort", 10'000'000, 2, loops, {{"tbb", 0.55}}},
         }) {
        measure_race(run, r);
    }
}

void measure_loops(bench::bench_run& run) {
    const char* loop = "time a loop";
    const auto by_us = [](const char* name, double bar) {
        return bench::figure{name, "1 µs", 1e-3, bar};
    };
    for (const row& r : std::vector<row>{
             {"loop of 2", loop, &fork_case::loop_2, {}, by_us("loop of 2, by 1 µs", 0.1)},
             {"loop of 100",
              loop,
              &fork_case::loop_100,
              {{"oneTBB", 0.3}},
              by_us("loop of 100, by 1 µs", 0.25)},
             {"loop of 1000",
              loop,
              &fork_case::loop_1000,
              {{"oneTBB", 0.3}},
              by_us("loop of 1000, by 1 µs", 0.8)},
             {"loop of 14 µs", loop, &fork_case::loop_14us, {{"serial", 1 / 1.8}}},
             {"loop of 62 µs", loop, &fork_case::loop_62us, {{"serial", 1 / 1.93}}},
             {"loop of 250 µs", loop, &fork_case::loop_250us, {{"serial", 1 / 1.97}}},
             {"loop of 14 µs after 1 ms", loop, &fork_case::paused_14us, {{"serial", 1 / 1.3}}},
             {"loop of 62 µs after 1 ms", loop, &fork_case::paused_62us, {{"serial", 1 / 1.7}}},
             {"loop of 250 µs after 1 ms", loop, &fork_case::paused_250us, {{"serial", 1 / 1.9}}},
             {"uneven loop of 1,000,000", loop, &fork_case::uneven, {{"serial", 0.5}}},
         }) {
        measure(run, r);
    }
}

void measure_graphs(bench::bench_run& run) {
    measure(run, {"graph of 1024 tasks",
                  "time a task",
                  &fork_case::graph,
                  {{"oneTBB", 0.5}, {"OpenMP tasks", 0.5}}});
    measure(run,
            {"graph of 16 tasks of 10 µs", "time a run", &fork_case::frame, {{"serial", 0.6}}});
}

/// Figures of workers that have nothing to do.
void measure_idle(bench::bench_run& run, unsigned rounds) {
    run.measure({"workers' CPU time in pauses of 1 ms", "1 % of a CPU", 100, 1.0}, "%", rounds, 1,
                field(&fork_case::paused_cpu));
    run.measure({"workers' CPU time in the second after work", "1 ms", 1e-6, 1.0}, "ms",
                std::min(rounds, 5u), 1, field(&fork_case::idle));
}

} // namespace

int main(int argc, char** argv) {
    if (const auto status = race::run_as_worker(argc, argv)) {
        return *status;
    }
    const auto options = bench::parse_options(argc, argv, 15);
    bench::bench_run run(options);
    for (const fork_case& one : peers()) {
        if (!one.absent.empty()) {
            run.skip(one.name, one.absent);
        }
    }
    measure_forks(run);
    measure(run, {"two calls of 5 ms",
                  "time of both",
                  &fork_case::coarse,
                  {{"serial", 0.51}},
                  bench::figure{"two calls of 5 ms, by 1 ms", "1 ms", 1e-6, 5.1}});
    run.measure({"two calls of 5 ms, the longest of 100", "1 ms", 1e-6, 5.5}, "ms",
                std::min(options.rounds, 3u), 1, field(&fork_case::coarse_worst));
    measure_loops(run);
    measure_graphs(run);
    measure_races(run);
    measure_idle(run, options.rounds);
    return run.finish("fork");
}
