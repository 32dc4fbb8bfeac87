// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "isolation/workers.hpp"

#include "isolation/computation.hpp"
#include "machine/thread_usage.hpp"
#include "schemes/run_log.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <latch>
#include <thread>
#include <utility>

namespace regatta::race {
namespace {

/// What one worker leaves behind; written by it alone, read after it was joined.
struct worker_record {
    thread_usage before;
    thread_usage after;
    std::int64_t end_ns = 0;
    std::uint64_t migrations = 0;
    std::uint64_t result = 0;
    std::exception_ptr failure;
};

void work_as(unsigned number, const team_work& work, std::latch& ready, std::latch& go,
             worker_record& mine) {
    computation task(work.seed + number);
    try {
        if (work.enter) {
            work.enter(number);
        }
    } catch (...) {
        mine.failure = std::current_exception();
    }
    mine.before = usage_of_this_thread();
    ready.count_down();
    go.wait();
    if (mine.failure) {
        return;
    }
    int cpu = ::sched_getcpu();
    for (std::uint64_t unit = 0; unit < work.units && !(work.stop && work.stop()); ++unit) {
        task.run_unit();
        const int now = ::sched_getcpu();
        mine.migrations += now != cpu ? 1 : 0;
        cpu = now;
    }
    mine.end_ns = detail::monotonic_ns();
    mine.after = usage_of_this_thread();
    mine.result = task.result();
}

worker_figures figures_of(const worker_record& one, std::int64_t begin_ns) {
    const auto difference = [&](std::int64_t thread_usage::*counter) {
        return static_cast<double>(one.after.*counter - one.before.*counter);
    };
    worker_figures mine;
    mine.wall_ns = static_cast<double>(one.end_ns - begin_ns);
    mine.cpu_ns = difference(&thread_usage::cpu_ns);
    mine.user_ns = difference(&thread_usage::user_ns);
    mine.system_ns = difference(&thread_usage::system_ns);
    mine.voluntary_switches = difference(&thread_usage::voluntary_switches);
    mine.involuntary_switches = difference(&thread_usage::involuntary_switches);
    mine.migrations = static_cast<double>(one.migrations);
    if (one.before.run_delay_ns && one.after.run_delay_ns) {
        mine.run_delay_ns = static_cast<double>(*one.after.run_delay_ns - *one.before.run_delay_ns);
    }
    return mine;
}

/// Nothing where one of the two is not known.
std::optional<double> sum(const std::optional<double>& one, const std::optional<double>& other) {
    return one && other ? std::optional(*one + *other) : std::nullopt;
}

} // namespace

double worker_figures::cpu_share() const noexcept {
    return wall_ns > 0 ? std::min(1.0, cpu_ns / wall_ns) : 0;
}

team_figures sum_of(std::vector<worker_figures> workers) {
    team_figures all;
    all.run_delay_ns = 0;
    all.migrations = 0;
    for (const worker_figures& one : workers) {
        all.wall_ns = std::max(all.wall_ns, one.wall_ns);
        all.worker_wall_ns += one.wall_ns;
        all.cpu_ns += one.cpu_ns;
        all.user_ns += one.user_ns;
        all.system_ns += one.system_ns;
        all.voluntary_switches += one.voluntary_switches;
        all.involuntary_switches += one.involuntary_switches;
        all.run_delay_ns = sum(all.run_delay_ns, one.run_delay_ns);
        all.migrations = sum(all.migrations, one.migrations);
    }
    all.workers = std::move(workers);
    return all;
}

double team_figures::cpu_share() const noexcept {
    // The clock of the CPU time is read a little later than that of the wall time.
    return worker_wall_ns > 0 ? std::min(1.0, cpu_ns / worker_wall_ns) : 0;
}

double team_figures::displaced_ns() const noexcept {
    return std::max(0.0, worker_wall_ns - cpu_ns);
}

team_run run_team(const team_work& work) {
    std::vector<worker_record> records(work.workers);
    std::latch ready(work.workers);
    std::latch go(1);
    std::vector<std::jthread> threads;
    try {
        for (unsigned i = 0; i < work.workers; ++i) {
            threads.emplace_back([&, i] { work_as(i, work, ready, go, records[i]); });
        }
    } catch (...) {
        // Those that began wait for the signal and are joined; what they do is not measured.
        go.count_down();
        throw;
    }
    ready.wait();
    const std::int64_t begin_ns = detail::monotonic_ns();
    go.count_down();
    threads.clear(); // joins
    team_run run;
    std::vector<worker_figures> figures;
    for (const worker_record& one : records) {
        if (one.failure) {
            std::rethrow_exception(one.failure);
        }
        run.results.push_back(one.result);
        figures.push_back(figures_of(one, begin_ns));
    }
    run.figures = sum_of(std::move(figures));
    return run;
}

std::uint64_t units_for(double cpu_ns) {
    computation task(1);
    const auto time_of = [&](std::uint64_t units) {
        const std::int64_t before = usage_of_this_thread().cpu_ns;
        for (std::uint64_t i = 0; i < units; ++i) {
            task.run_unit();
        }
        return static_cast<double>(usage_of_this_thread().cpu_ns - before);
    };
    std::uint64_t units = 64;
    double taken = time_of(units);
    while (taken < 30e6) { // short enough not to be noticed, long against a tick of the clock
        units *= 2;
        taken = time_of(units);
    }
    return static_cast<std::uint64_t>(
        std::max(1.0, std::round(cpu_ns / taken * static_cast<double>(units))));
}

} // namespace regatta::race
