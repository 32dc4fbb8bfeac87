// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Calls, loops and reductions that divide themselves, beside the same on one thread.

#include "bench.hpp"
#include "fork_case.hpp"

#include <optional>
#include <string>
#include <vector>

namespace {

using namespace regatta;

/// A row: the member of the cases, and the bar of regatta over serial with that many threads.
struct fork_row {
    std::string title;
    std::string unit;
    bench::fork_sample bench::fork_case::*sample;
    unsigned threads;
    std::optional<double> bar;
};

void measure_row(bench::bench_run& run, const std::vector<bench::fork_case>& cases,
                 const fork_row& row) {
    std::vector<race::contender> contenders;
    std::vector<bench::comparison> comparisons;
    for (const auto& c : cases) {
        if (const bench::fork_sample sample = c.*row.sample) {
            contenders.push_back({c.name, [sample, n = row.threads] { return sample(n); }});
        }
    }
    for (std::size_t i = 1; i < contenders.size(); ++i) {
        const bool serial = contenders[i].name == "serial";
        comparisons.push_back({row.title + (serial ? "" : ", beside " + contenders[i].name),
                               contenders.front().name, contenders[i].name,
                               serial ? row.bar : std::nullopt});
    }
    run.measure(row.title, row.unit, std::move(contenders), comparisons);
}

} // namespace

int main(int argc, char** argv) {
    bench::bench_run run(bench::parse_options(argc, argv, 15));
    const std::vector<bench::fork_case> cases{bench::regatta_forks(), bench::serial_forks()};
    using bench::fork_case;
    const std::vector<fork_row> rows{
        {"fib, 1 thread: time a fork", "ns", &fork_case::fib, 1, 1.3},
        {"fib, 2 threads: time a fork", "ns", &fork_case::fib, 2, 0.7},
        {"tree of 1,048,575 nodes, 1 thread", "ns", &fork_case::tree, 1, 1.05},
        {"tree of 1,048,575 nodes, 2 threads", "ns", &fork_case::tree, 2, 0.5},
        {"tree of 1,023 nodes, 1 thread: time a tree", "ns", &fork_case::region, 1, 1.5},
        {"tree of 1,023 nodes, 2 threads: time a tree", "ns", &fork_case::region, 2, 1.5},
        {"two calls of 5 ms, 2 threads", "ns", &fork_case::coarse, 2, 0.51},
        {"loop of 2, 2 threads: time a loop", "ns", &fork_case::loop_2, 2, std::nullopt},
        {"loop of 100, 2 threads: time a loop", "ns", &fork_case::loop_100, 2, std::nullopt},
        {"loop of 1000, 2 threads: time a loop", "ns", &fork_case::loop_1000, 2, std::nullopt},
        {"loop of 14 us, 2 threads", "ns", &fork_case::loop_14us, 2, 1 / 1.8},
        {"loop of 62 us, 2 threads", "ns", &fork_case::loop_62us, 2, 1 / 1.93},
        {"loop of 250 us, 2 threads", "ns", &fork_case::loop_250us, 2, 1 / 1.97},
        {"loop of 14 us after 1 ms", "ns", &fork_case::paused_14us, 2, 1 / 1.3},
        {"loop of 62 us after 1 ms", "ns", &fork_case::paused_62us, 2, 1 / 1.7},
        {"loop of 250 us after 1 ms", "ns", &fork_case::paused_250us, 2, 1 / 1.9},
        {"uneven loop of 1,000,000, 2 threads", "ns", &fork_case::uneven, 2, 0.5},
        {"sum of 10,000,000 doubles, 2 threads", "ns", &fork_case::reduce, 2, std::nullopt},
        {"CPU time in the second after work, 2 threads", "ns", &fork_case::idle, 2, std::nullopt},
    };
    for (const fork_row& row : rows) {
        measure_row(run, cases, row);
    }
    return run.finish("fork");
}
