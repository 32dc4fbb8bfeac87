// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Workers that die exactly between two steps: no job hangs, no result is lost or wrong.

#include "support/pool_functions.hpp"

#include "process/process_pool/kill_point.hpp"
#include "process/process_pool/worker_maps.hpp"
#include <regatta/process/process_pool.hpp>

#include <gtest/gtest.h>

#include <signal.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <ostream>
#include <span>
#include <string>
#include <tuple>

namespace {

using regatta::detail::worker_step;

constexpr int kills = 20;

std::string name_of(worker_step step) {
    constexpr const char* names[] = {"none",     "started",   "mapped", "attached",
                                     "claiming", "claimed",   "ran",    "committed",
                                     "swept",    "completed", "rung",   "sleeping"};
    return names[static_cast<unsigned>(step)];
}

} // namespace

namespace regatta::detail {

/// For the name that ctest shows.
void PrintTo(worker_step step, std::ostream* out) {
    *out << name_of(step);
}

} // namespace regatta::detail

namespace killed_calls {

std::uint64_t mix(std::uint64_t x) {
    return pool_test::mixed(x);
}
/// Stops its worker in the first call, as if the attempt had begun after the parent's look at it.
unsigned begin_unseen(const regatta::process_task& task, std::span<int> calls) {
    if (calls[0]++ == 0) {
        const regatta::detail::worker_maps maps;
        maps.control().slots[task.worker].begun_ns.store(0);
        ::raise(SIGSTOP);
    }
    return task.attempt;
}

} // namespace killed_calls

using pool_test::process_pool;

/// At which step, and whether workers are copies of a zygote.
class killed_at : public testing::TestWithParam<std::tuple<worker_step, bool>> {
private:
    library_test::time_limit limit_{"jobs whose workers die at one step"};
};

TEST_P(killed_at, loses_nothing_twenty_times) {
    const std::string wish = std::to_string(static_cast<unsigned>(std::get<0>(GetParam()))) + ":" +
                             std::to_string(kills);
    ASSERT_EQ(::setenv(regatta::detail::kill_variable, wish.c_str(), 1), 0);
    regatta::process_pool pool({.workers = 2,
                                .attempts = 100,
                                .zygote = std::get<1>(GetParam()),
                                .longest_back_off = std::chrono::milliseconds(1),
                                .failed_starts = 100});
    ::unsetenv(regatta::detail::kill_variable);
    const auto in = pool.allocate_input<std::uint64_t>(16);
    const auto out = pool.allocate<std::uint64_t>(16);
    std::uint64_t jobs = 0;
    // Some steps come once in a job, so that 20 deaths take some jobs.
    library_test::eventually("20 deaths", [&] {
        std::iota(in.begin(), in.end(), jobs);
        const auto job = pool.map<killed_calls::mix>(in, out);
        auto one = pool.submit<killed_calls::mix>(jobs);
        if (jobs % 2 != 0) {
            one.wait(); // So that deaths meet a thread that attends the future, too.
        }
        job.get();
        for (std::size_t i = 0; i < out.size(); ++i) {
            EXPECT_EQ(out[i], pool_test::mixed(jobs + i));
        }
        EXPECT_EQ(one.get(), pool_test::mixed(jobs));
        ++jobs;
        return pool.stats().deaths == kills;
    });
    pool.wait();
    EXPECT_EQ(pool.stats().run, 17 * jobs);
    EXPECT_EQ(pool.stats().poisoned, 0u);
}

/// "A worker that a signal has stopped while it had no task, and that is wanted for one, is killed"
class stopped_at : public testing::TestWithParam<worker_step> {
private:
    library_test::time_limit limit_{"jobs whose workers are stopped at one step"};
};

TEST_P(stopped_at, keeps_no_job_from_its_end) {
    const std::string wish =
        std::to_string(static_cast<unsigned>(GetParam())) + ":2:" + std::to_string(SIGSTOP);
    ASSERT_EQ(::setenv(regatta::detail::kill_variable, wish.c_str(), 1), 0);
    regatta::process_pool pool({.workers = 2, .deadline = std::chrono::milliseconds(50)});
    ::unsetenv(regatta::detail::kill_variable);
    const auto in = pool.allocate_input<std::uint64_t>(3);
    const auto out = pool.allocate<std::uint64_t>(3);
    library_test::eventually("two workers that were stopped", [&] {
        auto one = pool.submit<killed_calls::mix>(std::uint64_t{7});
        pool.map<killed_calls::mix>(in, out).get();
        EXPECT_EQ(one.get(), pool_test::mixed(7));
        return pool.stats().deadline_kills >= 2;
    });
}

// "no attempt is charged", also where the worker has begun one when it is killed.
TEST_F(process_pool, a_task_is_not_to_blame_for_a_worker_that_was_stopped_before_it) {
    regatta::process_pool pool(
        {.workers = 1, .attempts = 1, .deadline = std::chrono::milliseconds(50)});
    const auto calls = pool.allocate<int>(1);
    // "Each attempt has … a number of its own": also one that is not charged.
    EXPECT_EQ(pool.submit<killed_calls::begin_unseen>(calls).get(), 2u);
    EXPECT_EQ(calls[0], 2);
    EXPECT_EQ(pool.stats().reruns, 1u);
}

INSTANTIATE_TEST_SUITE_P(process_pool, stopped_at,
                         testing::Values(worker_step::mapped, worker_step::attached,
                                         worker_step::claiming, worker_step::claimed,
                                         worker_step::ran, worker_step::committed,
                                         worker_step::swept, worker_step::completed,
                                         worker_step::rung),
                         [](const auto& one) { return name_of(one.param); });

INSTANTIATE_TEST_SUITE_P(
    process_pool, killed_at,
    testing::Combine(testing::Values(worker_step::started, worker_step::mapped,
                                     worker_step::attached, worker_step::claiming,
                                     worker_step::claimed, worker_step::ran, worker_step::committed,
                                     worker_step::swept, worker_step::completed, worker_step::rung,
                                     worker_step::sleeping),
                     testing::Bool()),
    [](const auto& one) {
        return name_of(std::get<0>(one.param)) + (std::get<1>(one.param) ? "_copied" : "");
    });
