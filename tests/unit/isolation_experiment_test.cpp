// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "isolation/computation.hpp"
#include "isolation/experiment.hpp"
#include "isolation/noise.hpp"
#include "isolation/noise_process.hpp"
#include "isolation/worker_room.hpp"
#include "isolation/workers.hpp"
#include "schemes/process_team.hpp"

#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/affinity.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace regatta;
using namespace regatta::race;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;

namespace {

isolation_options short_options() {
    isolation_options options;
    options.rounds = 2;
    options.work = std::chrono::milliseconds(20);
    return options;
}

bool has_children() {
    return ::waitpid(-1, nullptr, WNOHANG) != -1;
}

/// The noise that the main thread has started.
std::vector<pid_t> noise_of_this_process() {
    const std::string self = std::to_string(::getpid());
    std::ifstream children("/proc/" + self + "/task/" + self + "/children");
    std::vector<pid_t> all;
    for (pid_t child = 0; children >> child;) {
        const std::string words =
            regatta::detail::read_small_file("/proc/" + std::to_string(child) + "/cmdline")
                .value_or("");
        if (words.find(noise_flag) != std::string::npos) {
            all.push_back(child);
        }
    }
    return all;
}

} // namespace

TEST(isolation_computation, depends_on_the_seed_and_the_units_alone) {
    const auto result_of = [](std::uint64_t seed, int units) {
        computation task(seed);
        for (int i = 0; i < units; ++i) {
            task.run_unit();
        }
        return task.result();
    };
    EXPECT_EQ(result_of(1, 3), result_of(1, 3));
    EXPECT_NE(result_of(1, 3), result_of(1, 4));
    EXPECT_NE(result_of(1, 3), result_of(2, 3));
}

TEST(isolation_workers, each_enters_under_its_number_and_does_the_same_amount) {
    std::atomic<unsigned> sum{0};
    const team_run run = run_team(
        {.workers = 3, .units = 50, .seed = 7, .enter = [&](unsigned i) { sum += i + 1; }});
    EXPECT_EQ(sum, 6u);
    ASSERT_EQ(run.results.size(), 3u);
    computation expected(8);
    for (int i = 0; i < 50; ++i) {
        expected.run_unit();
    }
    EXPECT_EQ(run.results[1], expected.result());
    EXPECT_GT(run.figures.cpu_ns, 0);
    EXPECT_GE(run.figures.worker_wall_ns, run.figures.wall_ns);
    EXPECT_LE(run.figures.worker_wall_ns, 3 * run.figures.wall_ns);
    EXPECT_GT(run.figures.cpu_share(), 0);
    EXPECT_LE(run.figures.cpu_share(), 1);
}

TEST(isolation_workers, who_cannot_enter_ends_the_run_with_its_reason) {
    EXPECT_THROW(run_team({.workers = 2,
                           .units = 1,
                           .enter =
                               [](unsigned i) {
                                   if (i == 1) {
                                       throw std::runtime_error("no");
                                   }
                               }}),
                 std::runtime_error);
}

TEST(isolation_workers, a_stop_ends_the_work) {
    std::atomic<int> asked{0};
    run_team({.units = ~std::uint64_t{0}, .stop = [&] { return ++asked > 5; }});
    EXPECT_EQ(asked, 6);
}

TEST(isolation_workers, more_time_is_more_units) {
    EXPECT_EQ(units_for(0), 1u);
    EXPECT_GT(units_for(1e9), units_for(1e6));
}

TEST(isolation_room, a_pinned_worker_may_run_on_its_cpu_alone) {
    const cpu_set allowed = affinity_of_this_thread();
    const unsigned cpu = *allowed.begin();
    const auto room = pinned_room({.worker_cpus = {cpu}, .cpus = {cpu}, .noise = {}});
    cpu_set inside;
    run_team({.enter = [&](unsigned worker) {
        room->enter(worker);
        inside = affinity_of_this_thread();
    }});
    room->close();
    EXPECT_EQ(inside, cpu_set{cpu});
    EXPECT_EQ(affinity_of_this_thread(), allowed);
}

TEST(isolation_room, owning_a_cpu_keeps_the_noise_out_and_then_lets_it_back) {
    const cpu_set usable = affinity_of_this_thread();
    unsigned cpu = 0;
    for (const unsigned each : usable) {
        cpu = each;
    }
    noise some({noise_kind::hostile, 1}, {cpu}, this_program());
    const pid_t process = some.processes().front();
    const room_request request{{cpu}, {cpu}, {process}};
    if (const auto answer = try_exclusive_room(request); !answer.available) {
        GTEST_SKIP() << "CPUs cannot be owned here: " << answer.reason;
    }
    EXPECT_EQ(affinity_of_thread(process), cpu_set{cpu}); // Trying left nothing behind.
    const auto room = exclusive_room(request);
    EXPECT_FALSE(affinity_of_thread(process).contains(cpu));
    cpu_set inside;
    run_team({.enter = [&](unsigned worker) {
        room->enter(worker);
        inside = affinity_of_this_thread();
    }});
    EXPECT_EQ(inside, cpu_set{cpu});
    room->close();
    EXPECT_EQ(affinity_of_thread(process), cpu_set{cpu});
    EXPECT_EQ(affinity_of_this_thread(), usable);
    some.stop();
}

TEST(isolation_experiment, measures_every_mode_that_can_be_had) {
    const cpu_set before = affinity_of_this_thread();
    race_control control;
    const isolation_result result = run_isolation(short_options(), control);
    EXPECT_FALSE(has_children());
    EXPECT_EQ(affinity_of_this_thread(), before);
    EXPECT_EQ(result.rounds, 2u);
    EXPECT_EQ(result.workers, 1u);
    EXPECT_EQ(result.control.samples.size(), 2u);
    for (const mode_result& mode : result.modes) {
        if (mode.mode == isolation_mode::exclusive && mode.status == mode_status::unavailable) {
            EXPECT_FALSE(mode.reason.empty());
            continue;
        }
        EXPECT_EQ(mode.status, mode_status::ok) << to_string(mode.mode) << ": " << mode.reason;
        EXPECT_EQ(mode.measured.samples.size(), 2u);
        ASSERT_EQ(mode.runs.size(), 2u);
        EXPECT_GT(mode.runs[0].cpu_ns, 0);
        // Elsewhere on a busy machine noise may get no CPU time for as long as a sample takes.
        const double noise_ns = mode.runs[0].noise_cpu_ns;
        EXPECT_TRUE(mode.mode == isolation_mode::alone    ? noise_ns == 0
                    : mode.mode == isolation_mode::pinned ? noise_ns > 0
                                                          : noise_ns >= 0)
            << to_string(mode.mode) << ": " << noise_ns;
    }
    // Two processes that never sleep stand in line with the worker: however busy the machine is, it
    // has its CPU for a third of the time at most, save for the slice with which it begins.
    EXPECT_LT(result.of(isolation_mode::pinned).cpu_share.median, 0.75);
}

// Whether its workers get more of an owned CPU depends on who else is busy there. What does not:
// the noise, which pins itself to that CPU, may not run there.
TEST(isolation_experiment, owned_cpus_keep_the_noise_out) {
    unsigned cpu = 0;
    for (const unsigned each : affinity_of_this_thread()) {
        cpu = each;
    }
    isolation_options options = short_options();
    options.cpus = {cpu};
    options.rounds = 20; // or until it was seen
    race_control control;
    std::atomic<bool> kept_out{false};
    std::jthread watcher([&](const std::stop_token& stop) {
        while (!stop.stop_requested() && !kept_out) {
            for (const pid_t process : noise_of_this_process()) {
                cpu_set allowed;
                if (try_affinity_of_thread(process, allowed) == 0 && !allowed.contains(cpu)) {
                    kept_out = true;
                }
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        control.request_stop();
    });
    const isolation_result result = run_isolation(options, control);
    const mode_result& owned = result.of(isolation_mode::exclusive);
    if (owned.status == mode_status::unavailable) {
        GTEST_SKIP() << "CPUs cannot be owned here: " << owned.reason;
    }
    EXPECT_TRUE(kept_out) << owned.reason;
    EXPECT_FALSE(owned.level.empty());
    EXPECT_FALSE(owned.explanation.empty());
}

TEST(isolation_experiment, one_that_was_stopped_says_so) {
    race_control control;
    isolation_options options = short_options();
    options.rounds = 1000;
    const isolation_result result = run_isolation(options, control, [&](const progress& now) {
        if (!now.warm_up && now.round == 1) {
            control.request_stop();
        }
    });
    EXPECT_TRUE(result.stopped);
    EXPECT_EQ(result.rounds, 1u);
    EXPECT_FALSE(has_children());
    for (const mode_result& mode : result.modes) {
        EXPECT_EQ(mode.runs.size(), mode.measured.samples.size());
    }
}

TEST(isolation_experiment, noise_that_cannot_be_made_fails_the_modes_that_need_it) {
    race_control control;
    isolation_options options = short_options();
    options.noise_program = "/bin/true";
    const isolation_result result = run_isolation(options, control);
    EXPECT_EQ(result.of(isolation_mode::alone).status, mode_status::ok);
    EXPECT_EQ(result.of(isolation_mode::alone).measured.samples.size(), 2u);
    for (const isolation_mode mode :
         {isolation_mode::unpinned, isolation_mode::pinned, isolation_mode::exclusive}) {
        EXPECT_EQ(result.of(mode).status, mode_status::failed);
        EXPECT_THAT(result.of(mode).reason, HasSubstr("the noise does not run"));
    }
}

// "The CPUs that others used on average in each mode", and contaminated is by the CPU time of "the
// timed stretch": what the noise takes to begin is no part of it.
TEST(isolation_experiment, looks_at_the_load_of_others_while_the_workers_compute) {
    constexpr double start_ns = 500e6;
    const std::string program = testing::TempDir() + "slow_noise." + std::to_string(::getpid());
    std::ofstream(program) << "#!/bin/sh\nsleep 0.5\nexec " << this_program() << " \"$@\"\n";
    ASSERT_EQ(::chmod(program.c_str(), 0700), 0);
    isolation_options options = short_options();
    options.rounds = 1;
    options.warm_up = 0;
    options.noise = {noise_kind::spread, 1};
    options.work = std::chrono::milliseconds(1);
    options.noise_program = program;
    race_control control;
    const isolation_result result = run_isolation(options, control);
    ::unlink(program.c_str());
    const mode_result& unpinned = result.of(isolation_mode::unpinned);
    ASSERT_TRUE(unpinned.ran()) << unpinned.reason;
    const sample& one = unpinned.measured.samples.front();
    const double cpus = affinity_of_this_thread().count();
    EXPECT_GE(static_cast<double>(one.load.available_ns), one.ns * cpus);
    // What the computation takes more than its millisecond on a busy machine is in both.
    EXPECT_LT(static_cast<double>(one.load.available_ns), (one.ns + start_ns) * cpus);
    EXPECT_FALSE(has_children());
}

TEST(isolation_experiment, refuses_what_cannot_be) {
    race_control control;
    isolation_options options = short_options();
    options.rounds = 0;
    EXPECT_THROW(run_isolation(options, control), std::invalid_argument);
    options = short_options();
    options.workers = 100'000;
    EXPECT_THROW(run_isolation(options, control), std::invalid_argument);
    options = short_options();
    options.cpus = {cpu_set::max_width - 1};
    EXPECT_THROW(run_isolation(options, control), std::invalid_argument);
}

TEST(isolation_experiment, a_program_runs_in_every_mode_on_the_cpus_of_its_workers) {
    const std::string file = testing::TempDir() + "isolation_cpus." + std::to_string(::getpid());
    isolation_options options = short_options();
    options.rounds = 1;
    options.warm_up = 0;
    options.noise = {noise_kind::spread, 1};
    options.program = {"sh", "-c",
                       "echo {workers} $(grep Cpus_allowed_list /proc/self/status) >> " + file};
    race_control control;
    const isolation_result result = run_isolation(options, control);
    EXPECT_EQ(result.units, 0u);
    EXPECT_THAT(result.program.back(), HasSubstr("echo 1 "));
    unsigned ran = 1; // alone once more
    for (const mode_result& mode : result.modes) {
        EXPECT_NE(mode.status, mode_status::failed) << mode.reason;
        if (mode.ran()) {
            ++ran;
            EXPECT_GT(mode.runs.front().wall_ns, 0);
            EXPECT_FALSE(mode.migrations);
        }
    }
    std::ifstream written(file);
    unsigned lines = 0;
    unsigned on_its_cpu = 0;
    const std::string only = "Cpus_allowed_list: " + std::to_string(result.worker_cpus.front());
    for (std::string line; std::getline(written, line); ++lines) {
        on_its_cpu += line == "1 " + only ? 1 : 0;
    }
    ::unlink(file.c_str());
    EXPECT_EQ(lines, ran);
    if (affinity_of_this_thread().count() > 1) {
        const unsigned placed = result.of(isolation_mode::exclusive).ran() ? 2 : 1;
        EXPECT_EQ(on_its_cpu, placed);
    }
    EXPECT_FALSE(has_children());
}

TEST(isolation_experiment, a_program_that_fails_fails_its_modes_with_what_it_said) {
    isolation_options options = short_options();
    options.noise = {noise_kind::spread, 1};
    options.program = {"sh", "-c", "echo no luck >&2; exit 3"};
    race_control control;
    const isolation_result result = run_isolation(options, control);
    EXPECT_EQ(result.of(isolation_mode::pinned).status, mode_status::failed);
    EXPECT_THAT(result.of(isolation_mode::pinned).reason,
                testing::AllOf(HasSubstr("status 3"), HasSubstr("no luck")));
}
