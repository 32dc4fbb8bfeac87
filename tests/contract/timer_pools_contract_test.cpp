// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// timer_scheduler on each of the library's pools; each test quotes the sentence of its doc comment
// that it checks.

#include "support/counted.hpp"
#include "support/pool_cases.hpp"
#include "support/threads.hpp"

#include <regatta/time/timer_scheduler.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <stdexcept>

namespace {

using namespace std::chrono_literals;
using library_test::await;
using library_test::counted;
using regatta::timer_id;
using regatta::timer_scheduler;

class timer_pools : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, timer_pools, library_test::every_pool(), library_test::pool_name);

} // namespace

// "Runs callbacks at given times, on an executor …"; "It never overlaps itself".
TEST_P(timer_pools, run_callbacks) {
    auto [pool] = make_pool({.threads = 2});
    timer_scheduler timers{pool};
    std::atomic<int> run{0};
    std::atomic<int> inside{0};
    std::atomic<int> overlaps{0};
    std::atomic<int> once{0};
    timers.every(1us, [&] {
        overlaps += ++inside != 1 ? 1 : 0;
        ++run;
        --inside;
    });
    for (int i = 0; i < 100; ++i) {
        timers.after(std::chrono::microseconds(i), [&] { ++once; });
    }
    await([&] { return run.load() >= 100 && once.load() == 100; });
    EXPECT_EQ(overlaps.load(), 0);
}

// "Ends a timer: no run of it begins any more, not even one queued by the executor."
TEST_P(timer_pools, let_go_of_what_is_cancelled) {
    auto [pool] = make_pool({.threads = 1});
    pool.pause();
    std::atomic<int> alive{0};
    timer_scheduler timers{pool};
    const auto id = timers.after(0s, [c = counted(alive, 1)] { ADD_FAILURE() << "ran"; });
    await([&] { return pool.queued() == 1; });
    EXPECT_TRUE(timers.cancel(id));
    EXPECT_EQ(alive.load(), 0);
    pool.resume();
    pool.wait();
}

// "On return no callback runs or will run": though the pool has them queued, and goes on.
TEST_P(timer_pools, may_outlive_the_scheduler) {
    auto [pool] = make_pool({.threads = 1});
    pool.pause();
    std::atomic<int> alive{0};
    {
        timer_scheduler timers{pool};
        timers.after(0s, [c = counted(alive, 1)] { ADD_FAILURE() << "ran"; });
        timers.every(
            1h, [c = counted(alive, 1)] { ADD_FAILURE() << "ran"; }, 0s);
        await([&] { return pool.queued() == 2; });
    }
    EXPECT_EQ(alive.load(), 0);
    pool.resume();
    pool.wait();
}

// "A run that the executor does not accept or drops is lost": as a pool does that is full, or
// stopped and discards what it has.
TEST_P(timer_pools, may_refuse_and_drop) {
    std::atomic<int> errors{0};
    std::atomic<int> alive{0};
    auto [pool] = make_pool({.threads = 1});
    pool.pause();
    timer_scheduler timers{pool, {.on_error = [&](std::exception_ptr) { ++errors; }}};
    timers.after(0s, [c = counted(alive, 1)] { ADD_FAILURE() << "ran"; });
    const auto periodic = timers.every(1ms, [c = counted(alive, 1)] { ADD_FAILURE() << "ran"; });
    await([&] { return pool.queued() == 2; });
    pool.stop(regatta::stop_mode::discard);
    await([&] { return alive.load() == 1; });  // the periodic one
    await([&] { return errors.load() >= 3; }); // it tries again at each of its ticks
    EXPECT_TRUE(timers.cancel(periodic));
    EXPECT_EQ(alive.load(), 0);
    EXPECT_GE(timers.stats().refused, 5u);
}

// "a callback's exception goes to `timer_scheduler_options::on_error`": and not to the pool's.
TEST_P(timer_pools, see_no_exception_of_a_callback) {
    std::atomic<int> errors{0};
    std::atomic<int> errors_of_pool{0};
    auto [pool] =
        make_pool({.threads = 1, .on_error = [&](std::exception_ptr) { ++errors_of_pool; }});
    timer_scheduler timers{pool, {.on_error = [&](std::exception_ptr) { ++errors; }}};
    timers.after(0s, [] { throw std::runtime_error("once"); });
    await([&] { return errors.load() == 1; });
    timers.close();
    pool.close();
    EXPECT_EQ(errors_of_pool.load(), 0);
}

// A callback that helps its pool may run another timer's, and both may cancel what they like.
TEST_P(timer_pools, may_nest_callbacks) {
    auto [pool] = make_pool({.threads = 1});
    timer_scheduler timers{pool};
    std::atomic<int> right{0};
    timers.every(
        1us,
        [&](timer_id outer) {
            if (timers.pending() != 1) {
                return;
            }
            std::atomic<bool> inner_ran{false};
            timers.after(0s, [&, outer](timer_id) {
                right += timers.cancel_and_wait(outer) ? 1 : 0; // runs on this very thread
                inner_ran = true;
            });
            while (!inner_ran.load()) {
                pool.wait();
            }
            ++right;
        },
        0s);
    await([&] { return right.load() == 2; });
}
