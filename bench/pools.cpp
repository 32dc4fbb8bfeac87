// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// The thread pools beside those of other libraries: what a task costs, what waking costs, what an
/// idle pool costs, and what becomes of it with many more workers than CPUs.

#include "bench.hpp"
#include "pools_case.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace regatta;
using bench::pool_case;

constexpr unsigned workers = 2;
constexpr std::size_t many = 1'000'000;
constexpr std::size_t wakes = 50;
constexpr std::size_t lives = 200;

using row = bench::pool_sample pool_case::*;

std::vector<pool_case> field() {
    std::vector<pool_case> all = bench::regatta_pools();
    all.insert(all.end(), {bench::tbb_task_group(), bench::tbb_enqueue(), bench::asio_pool(),
                           bench::eigen_pool(), bench::mutex_pool(), bench::std_async_threads()});
    return all;
}

race::contender contender_of(const pool_case& one, row what, std::size_t tasks,
                             unsigned with = workers) {
    const auto share = static_cast<std::size_t>(static_cast<double>(tasks) * one.share);
    return {one.name, [=, sample = one.*what] { return sample(with, share); }};
}

void measure(bench::bench_run& run, const std::string& title, row what, std::size_t tasks,
             const std::vector<bench::comparison>& comparisons,
             const std::vector<race::contender>& more = {}, unsigned times_rounds = 1) {
    std::vector<race::contender> all;
    for (const pool_case& one : field()) {
        if (one.*what != nullptr) {
            all.push_back(contender_of(one, what, tasks));
        }
    }
    all.insert(all.end(), more.begin(), more.end());
    run.measure(title, "ns", std::move(all), comparisons, times_rounds);
}

void measure_tasks(bench::bench_run& run) {
    const pool_case steady = bench::regatta_pools().front();
    std::vector<race::contender> single;
    for (const pool_case& one : bench::regatta_pools()) {
        single.push_back(contender_of(one, &pool_case::execute, many));
        single.back().name += ", single";
    }
    single.push_back(contender_of(bench::tbb_task_group(), &pool_case::execute, many));
    measure(run, "execute, one outside thread, empty tasks: time a task", &pool_case::execute, many,
            {{"execute", "steady_pool", "oneTBB task_group", 0.30},
             {"execute, enqueue", "steady_pool", "oneTBB enqueue", {}},
             {"execute, Asio", "steady_pool", "Boost.Asio thread_pool", 0.15},
             {"execute, balanced", "balanced_pool", "oneTBB task_group", 0.45},
             {"execute, dynamic", "dynamic_pool", "oneTBB task_group", 0.60},
             {"execute, Eigen", "steady_pool", "Eigen ThreadPool", {}},
             {"execute, mutex and queue", "steady_pool", "mutex and queue", {}},
             {"execute, std::async", "steady_pool", "std::async", {}}});
    measure(run, "batches of ten where there are any beside single tasks: time a task",
            &pool_case::batches, many,
            {{"batches of 10", "steady_pool", "oneTBB task_group", 0.18},
             {"batches of 10, balanced", "balanced_pool", "oneTBB task_group", {}},
             {"batches of 10, dynamic", "dynamic_pool", "oneTBB task_group", {}},
             {"batches of 10, enqueue", "steady_pool", "oneTBB enqueue", {}},
             {"batches of 10, single", "steady_pool", "steady_pool, single", 0.5},
             {"batches of 10, balanced, single", "balanced_pool", "balanced_pool, single", 0.5},
             {"batches of 10, dynamic, single", "dynamic_pool", "dynamic_pool, single", 0.5}},
            single);
    race::contender empty = contender_of(steady, &pool_case::execute, many);
    empty.name = "steady_pool, empty";
    measure(run, "64-byte capture: time a task", &pool_case::capture, many,
            {{"64-byte capture", "steady_pool", "steady_pool, empty", 1.15},
             {"64-byte capture, TBB", "steady_pool", "oneTBB task_group", {}}},
            {std::move(empty)});
    measure(run, "submitted by a task, queued: time a task", &pool_case::within, many,
            {{"within a worker", "steady_pool", "oneTBB task_group", 0.08},
             {"within a worker, balanced", "balanced_pool", "oneTBB task_group", {}},
             {"within a worker, dynamic", "dynamic_pool", "oneTBB task_group", {}}});
    measure(run, "submit, then get all: time a task", &pool_case::futures, 100'000,
            {{"futures", "steady_pool", "oneTBB enqueue", 0.25},
             {"futures, balanced", "balanced_pool", "oneTBB enqueue", {}},
             {"futures, dynamic", "dynamic_pool", "oneTBB enqueue", {}}});
    measure(run, "allocate, a vector of 100 ints: time a task", &pool_case::allocate, many,
            {{"allocate", "steady_pool", "oneTBB task_group", 0.40},
             {"allocate, enqueue", "steady_pool", "oneTBB enqueue", {}},
             {"allocate, balanced", "balanced_pool", "oneTBB task_group", {}},
             {"allocate, dynamic", "dynamic_pool", "oneTBB task_group", {}}});
    // The best peer is one of them.
    measure(run, "uneven: time a task", &pool_case::uneven, 10'000,
            {{"uneven, task_group", "balanced_pool", "oneTBB task_group", 1.0},
             {"uneven, enqueue", "balanced_pool", "oneTBB enqueue", 1.0},
             {"uneven, Asio", "balanced_pool", "Boost.Asio thread_pool", 1.0},
             {"uneven, Eigen", "balanced_pool", "Eigen ThreadPool", 1.0},
             {"uneven, mutex and queue", "balanced_pool", "mutex and queue", 1.0},
             {"uneven, steady", "steady_pool", "balanced_pool", {}}});
}

/// Of the tables of waking, whose bars are close to 1: a sample takes 0.1 s.
constexpr unsigned more_rounds = 3;

void measure_waking(bench::bench_run& run) {
    struct table {
        std::string title;
        std::string name;
        row what;
    };
    const table tables[] = {
        {"submission to begin after 2 ms of idleness, on another CPU", "wake", &pool_case::wake},
        {"the call that submits after 2 ms of idleness, to another CPU", "submit call",
         &pool_case::submit_call},
        {"submission to begin after 2 ms of idleness, on the same CPU", "switch",
         &pool_case::switch_to},
        {"the call that submits after 2 ms of idleness, to the same CPU", "switch call",
         &pool_case::switch_call},
    };
    for (const auto& [title, name, what] : tables) {
        measure(run, title + ", the median of 50", what, wakes,
                {{name, "steady_pool", "bare futex", 1.1},
                 {name + ", balanced", "balanced_pool", "bare futex", 1.1},
                 {name + ", dynamic", "dynamic_pool", "bare futex", 1.1},
                 {name + ", TBB", "steady_pool", "oneTBB task_group", {}}},
                {contender_of(bench::bare_futex(), what, wakes)}, more_rounds);
    }
}

void measure_lives(bench::bench_run& run) {
    measure(run, "a pool of 2 threads is made, runs one task and is closed, the median of 200",
            &pool_case::life, lives,
            {{"life", "steady_pool", "mutex and queue", 1.5},
             {"life, balanced", "balanced_pool", "mutex and queue", 1.5},
             {"life, dynamic", "dynamic_pool", "mutex and queue", 1.5},
             {"life, Asio", "steady_pool", "Boost.Asio thread_pool", {}},
             {"life, Eigen", "steady_pool", "Eigen ThreadPool", {}}});
}

void measure_figures(bench::bench_run& run) {
    const auto all_with = [](row what, std::size_t tasks) {
        std::vector<race::contender> all;
        for (const pool_case& one : field()) {
            if (one.*what != nullptr) {
                all.push_back(contender_of(one, what, tasks));
            }
        }
        return all;
    };
    const std::size_t ours = bench::regatta_pools().size();
    run.measure({"heap calls of 1000 tasks of 64 bytes", "one", 1000, 1.0}, "", 3, ours,
                all_with(&pool_case::heap_calls, many / 10));
    run.measure(
        {"wake, spinning by option", "1 µs", 1e-3, 1.0}, "µs", 15, 1,
        {{"balanced_pool, one worker", [] { return bench::regatta_spinning_wake(1, 50); }}});
    run.measure({"idle for 5 s: CPU time", "1 % of a CPU", 100, 0.1}, "%", 1, ours,
                all_with(&pool_case::idle, 1000));
}

void measure_oversubscribed(bench::bench_run& run) {
    const std::pair<const char*, std::pair<row, std::size_t>> rows[] = {
        {"execute", {&pool_case::execute, many}},
        {"batches of 10", {&pool_case::batches, many}},
        {"64-byte capture", {&pool_case::capture, many}},
        {"within a worker", {&pool_case::within, many}},
        {"futures", {&pool_case::futures, 100'000}},
        {"allocate", {&pool_case::allocate, many}},
        {"uneven", {&pool_case::uneven, 10'000}},
        {"wake", {&pool_case::wake, wakes}},
        {"submit call", {&pool_case::submit_call, wakes}},
        {"switch", {&pool_case::switch_to, wakes}},
        {"switch call", {&pool_case::switch_call, wakes}},
    };
    for (const auto& [name, what] : rows) {
        std::vector<race::contender> all;
        std::vector<bench::comparison> comparisons;
        for (const pool_case& one : bench::regatta_pools()) {
            const std::string two = one.name + ", 2";
            for (const unsigned threads : {2u, 16u, 64u}) {
                race::contender more = contender_of(one, what.first, what.second, threads);
                more.name = one.name + ", " + std::to_string(threads);
                if (threads != 2) {
                    comparisons.push_back(
                        {std::string(name) + ", " + std::to_string(threads) + " workers", more.name,
                         two, 2.0});
                }
                all.push_back(std::move(more));
            }
        }
        run.measure(std::string(name) + " with more workers: time a task", "ns", std::move(all),
                    comparisons);
    }
}

} // namespace

int main(int argc, char** argv) {
    bench::bench_run run(bench::parse_options(argc, argv, 11));
    for (const char* name : {"Taskflow", "BS::thread_pool", "dispenso"}) {
        run.skip(name, "not a package of Debian 12");
    }
    run.skip("Eigen ThreadPool, within a worker",
             "a worker runs what finds its queue of 1024 full at once");
    measure_tasks(run);
    measure_waking(run);
    measure_lives(run);
    measure_figures(run);
    measure_oversubscribed(run);
    return run.finish("pools");
}
