// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of timer_scheduler promises about periodic timers; each test quotes the
// sentence that it checks.

#include "support/manual_executor.hpp"
#include "support/threads.hpp"
#include "timer_gate.hpp"

#include <regatta/time/timer_scheduler.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using library_test::await;
using library_test::manual_executor;
using library_test::plain_pool;
using library_test::timer_gate;
using regatta::missed_ticks;
using regatta::timer_scheduler;
using clock_type = timer_scheduler::clock;

} // namespace

// "A periodic timer is due at first, first + period, first + 2 periods …, however late or long its
// runs are: it does not drift."
TEST(timer_scheduler, repeats_without_drift) {
    timer_scheduler timers;
    std::atomic<int> run{0};
    std::atomic<int> early{0};
    std::atomic<bool> caught_up{false};
    timer_gate closed(timers);
    // The first tick lies between these two, wherever this thread is held up.
    const auto first = clock_type::now() + 1ms;
    auto latest = first; // Written before the gate opens, read by runs.
    timers.every(
        1ms,
        [&] {
            const auto begin = clock_type::now();
            early += begin < first + run.load() * 1ms ? 1 : 0;
            if (run.load() < 10) { // takes longer than its period
                await([&] { return clock_type::now() >= begin + 2ms; });
            }
            ++run;
            // Had each long run moved those after it, there would be fewer for ever. It is asked
            // here, as another thread may always come too late to see it on a busy machine.
            if (run.load() > 10 && run.load() >= (clock_type::now() - latest) / 1ms) {
                caught_up = true;
            }
        },
        missed_ticks::catch_up);
    latest = clock_type::now() + 1ms;
    closed.open();
    await([&] { return caught_up.load(); });
    EXPECT_EQ(early.load(), 0);
}

// "Each gets a run, one after the other, until the timer is on time again."
TEST(timer_scheduler, catches_up) {
    timer_scheduler timers;
    std::atomic<int> run{0};
    std::atomic<int> in_time{-1};
    timer_gate closed(timers);
    timers.every(
        100us, [&] { ++run; }, 0s, missed_ticks::catch_up);
    const auto latest = clock_type::now(); // That its first tick can be for.
    timers.at(latest + 4ms, [&] { in_time = run.load(); });
    await([&] { return clock_type::now() >= latest + 5ms; });
    closed.open();
    await([&] { return run.load() >= 50; });
    EXPECT_EQ(timers.stats().skipped, 0u);
    // One that was due meanwhile did not wait until the other had caught up.
    EXPECT_EQ(in_time.load(), 1);
}

// "They are skipped; the next run is for the first tick that has not passed."
TEST(timer_scheduler, skips_missed_ticks) {
    timer_scheduler timers;
    std::atomic<int> run{0};
    timer_gate closed(timers);
    const auto earliest = clock_type::now(); // Between these two lies the first tick.
    timers.every(
        1ms, [&] { ++run; }, 0s);
    const auto latest = clock_type::now();
    await([&] { return clock_type::now() >= latest + 20ms; });
    closed.open();
    await([&] { return run.load() >= 2; });
    // The second tick that ran lies 20 ticks after the first, or more.
    const int ran = run.load();
    const auto skipped = timers.stats().skipped;
    EXPECT_GE(skipped, 19u);
    // Only now is the clock looked at: it goes on, and so does the timer.
    EXPECT_LE(ran + static_cast<int>(skipped), (clock_type::now() - earliest) / 1ms + 1);
}

// "The ticks of this timer since its last run that got none": those skipped, and those lost by the
// executor. So no tick is unaccounted for.
TEST(timer_scheduler, says_which_ticks_were_missed) {
    manual_executor executor;
    timer_scheduler timers{executor};
    std::vector<regatta::timer_tick> ticks;
    std::uint64_t told = 0;
    const auto id = timers.every(
        1ms,
        [&](const regatta::timer_tick& tick) {
            ticks.push_back(tick);
            told += tick.missed;
            const auto stats = timers.stats();
            EXPECT_EQ(told, stats.skipped + stats.refused);
        },
        0s);
    executor.await_received(1);
    EXPECT_TRUE(executor.run_one());
    EXPECT_EQ(ticks.back().missed, 0u);
    EXPECT_LE(ticks.back().time, clock_type::now());

    executor.await_received(2);
    const auto waited_from = clock_type::now();
    await([&] { return clock_type::now() >= waited_from + 5ms; });
    EXPECT_TRUE(executor.drop_one()); // The second run is lost, and ticks have passed.
    executor.await_received(3);
    EXPECT_TRUE(executor.run_one());
    EXPECT_GE(ticks.back().missed, 5u);
    executor.await_received(4);
    EXPECT_TRUE(executor.run_one());

    for (std::size_t i = 1; i < ticks.size(); ++i) {
        EXPECT_EQ(ticks[i].id, id);
        EXPECT_EQ(ticks[i].time - ticks[i - 1].time, (ticks[i].missed + 1) * 1ms);
    }
}

// "It never overlaps itself: its next run is handed over after the last one has ended."
TEST(timer_scheduler, never_overlaps_a_timer_with_itself) {
    manual_executor executor;
    timer_scheduler timers{executor};
    int run = 0;
    timers.every(
        1us, [&] { ++run; }, 0s, missed_ticks::catch_up);
    executor.await_received(1);
    timers.after(0s, [] {});
    executor.await_received(2);
    EXPECT_EQ(executor.queued(), 2u); // though more of its ticks have passed by now
    EXPECT_TRUE(executor.run_one());
    EXPECT_EQ(run, 1);
    executor.await_received(3);

    plain_pool pool(3);
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::atomic<int> runs{0};
    timer_scheduler on_pool{pool};
    on_pool.every(1us, [&] {
        most = std::max(most.load(), ++inside);
        std::this_thread::yield();
        --inside;
        ++runs;
    });
    await([&] { return runs.load() >= library_test::rounds(1000); });
    on_pool.close();
    EXPECT_EQ(most.load(), 1);
}

// Periods may be of any length: the first tick comes, the second is beyond the end of the clock.
TEST(timer_scheduler, takes_periods_of_any_length) {
    timer_scheduler timers;
    std::atomic<int> run{0};
    for (const auto missed : {missed_ticks::skip, missed_ticks::catch_up}) {
        for (const auto first : {0h, -1h, std::chrono::hours::min()}) {
            timers.every(
                std::chrono::hours::max(), [&] { ++run; }, first, missed);
            timers.every(
                std::chrono::nanoseconds::max(), [&] { ++run; }, first, missed);
        }
    }
    await([&] { return run.load() == 12; });
    std::atomic<bool> later{false};
    timers.after(1ms, [&] { later = true; });
    await([&] { return later.load(); });
    EXPECT_EQ(run.load(), 12);
    EXPECT_EQ(timers.pending(), 12u);
    EXPECT_EQ(timers.stats().skipped, 0u);
}
