// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of timer_scheduler promises about when and where callbacks run; each test
// quotes the sentence that it checks. timer_periods_contract_test.cpp has periodic timers,
// timer_cancel_contract_test.cpp cancelling and the end.

#include "support/counted.hpp"
#include "support/manual_executor.hpp"
#include "support/threads.hpp"
#include "timer_gate.hpp"

#include <regatta/base/config.hpp>
#include <regatta/time/timer_scheduler.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using library_test::await;
using library_test::counted;
using library_test::manual_executor;
using library_test::plain_pool;
using library_test::timer_gate;
using regatta::missed_ticks;
using regatta::timer_id;
using regatta::timer_scheduler;
using clock_type = timer_scheduler::clock;

static_assert(regatta::timer_executor<manual_executor>);
static_assert(!regatta::timer_executor<int>);
static_assert(!regatta::timer_executor<timer_scheduler>);
static_assert(!std::is_copy_constructible_v<timer_scheduler>);

} // namespace

// "no callback runs before its time"
TEST(timer_scheduler, runs_nothing_before_its_time) {
    timer_scheduler timers;
    std::atomic<int> early{0};
    std::atomic<int> run{0};
    for (int i = 0; i < 50; ++i) {
        const auto delay = std::chrono::microseconds(i * 137 % 5000);
        const auto due = clock_type::now() + delay;
        timers.after(delay, [&, due] {
            early += clock_type::now() < due ? 1 : 0;
            ++run;
        });
        timers.at(due, [&, due] {
            early += clock_type::now() < due ? 1 : 0;
            ++run;
        });
    }
    await([&] { return run.load() == 100; });
    EXPECT_EQ(early.load(), 0);
}

// A callback is "callable as `void()`, or as `void(timer_id)`": a result is dropped, without a
// warning also if it is not to be ignored.
TEST(timer_scheduler, drops_results_of_callbacks) {
    struct [[nodiscard]] result {};
    std::atomic<int> calls{0};
    timer_scheduler timers;
    timers.after(0s, [&] {
        ++calls;
        return result{};
    });
    timers.after(0s, [&](timer_id) {
        ++calls;
        return result{};
    });
    timers.after(0s, [&](const regatta::timer_tick&) {
        ++calls;
        return result{};
    });
    await([&] { return calls == 3; });
}

// "callable as `void(timer_id)` …, as `void(const timer_tick&)`, or as `void()`; the first of these
// that it is"
TEST(timer_scheduler, gives_callbacks_what_they_take) {
    struct several {
        std::atomic<int>* took;
        void operator()() const { *took = 1; }
        void operator()(const regatta::timer_tick&) const { *took = 2; }
        void operator()(timer_id) const { *took = 3; }
    };
    static_assert(!regatta::timer_callback<void (*)(int*)>);
    timer_scheduler timers;
    std::atomic<int> took{0};
    timers.after(0s, several{&took});
    await([&] { return took != 0; });
    EXPECT_EQ(took.load(), 3);

    // "When the run was due", and for a timer that runs once nothing is missed.
    const auto due = clock_type::now() - 3ms;
    std::atomic<bool> ran{false};
    regatta::timer_tick seen;
    const auto id = timers.at(due, [&](const regatta::timer_tick& tick) {
        seen = tick;
        ran = true;
    });
    await([&] { return ran.load(); });
    EXPECT_EQ(seen.id, id);
    EXPECT_EQ(seen.time, due);
    EXPECT_EQ(seen.missed, 0u);
}

// "callbacks start, or are handed over, in the order of their times; at equal times in the order in
// which they were scheduled"
TEST(timer_scheduler, runs_in_the_order_of_times) {
    timer_scheduler timers;
    timer_gate closed(timers);
    std::vector<int> order; // of the timer thread, until all have run
    std::atomic<int> run{0};
    const auto now = clock_type::now();
    const auto add = [&](int number, auto due) {
        timers.at(due, [&, number] {
            order.push_back(number);
            ++run;
        });
    };
    add(3, now - 1ms);
    add(4, now - 1ms);
    add(1, now - 3ms);
    add(6, now);
    add(5, now - 1ms);
    add(0, now - 1h);
    add(2, now - 2ms);
    closed.open();
    await([&] { return run.load() == 7; });
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
}

// "immediately if `t` has passed"; "after `d`": a negative one has passed.
TEST(timer_scheduler, runs_at_once_what_is_past) {
    timer_scheduler timers;
    std::atomic<int> run{0};
    timers.at(clock_type::time_point::min(), [&] { ++run; });
    timers.after(-1h, [&] { ++run; });
    timers.after(std::chrono::nanoseconds::min(), [&] { ++run; });
    timers.after(0s, [&] { ++run; });
    const auto id = timers.every(
        1h, [&] { ++run; }, -1h);
    await([&] { return run.load() == 5; });
    EXPECT_TRUE(timers.cancel(id));
}

// Times beyond the end of the clock never come, and hold up nobody.
TEST(timer_scheduler, takes_delays_of_any_length) {
    timer_scheduler timers;
    std::atomic<bool> run{false};
    timers.after(std::chrono::hours::max(), [&] { ADD_FAILURE() << "ran"; });
    timers.after(std::chrono::duration<double>(std::numeric_limits<double>::infinity()),
                 [&] { ADD_FAILURE() << "ran"; });
    timers.every(std::chrono::years(290), [&] { ADD_FAILURE() << "ran"; });
    timers.every(
        1ms, [&] { ADD_FAILURE() << "ran"; }, std::chrono::hours::max());
    timers.at(clock_type::time_point::max(), [&] { ADD_FAILURE() << "ran"; });
    timers.after(0.0005s, [&] { run = true; });
    await([&] { return run.load(); });
    EXPECT_EQ(timers.pending(), 5u);
}

// "A timer due before all others wakes the timer thread; others do not": and for that it is.
TEST(timer_scheduler, wakes_for_an_earlier_timer) {
    timer_scheduler timers;
    std::atomic<int> run{0};
    for (int i = 0; i < 20; ++i) {
        timers.after(std::chrono::hours(20 - i), [] {});
        timers.after(0s, [&] { ++run; });
        await([&] { return run.load() == i + 1; });
    }
    EXPECT_EQ(timers.pending(), 20u);
}

// "A timer due before all others wakes the timer thread; others do not"; "An idle scheduler
// sleeps.": it has used no CPU time at all.
TEST(timer_scheduler, lets_its_thread_sleep) {
    timer_scheduler timers;
    library_test::observed_thread thread;
    timers.after(0s, [&] { thread.announce(); });
    thread.await_sleep();
    ASSERT_GE(thread.cpu_time(), 0);
    timers.after(1h, [] {}); // it may be woken for the first
    thread.await_rest([&] {
        std::vector<timer_id> ids;
        for (int i = 0; i < 1000; ++i) {
            const auto id = timers.after(std::chrono::hours(2 + i % 7), [] {});
            if (i % 2 == 0) {
                EXPECT_TRUE(timers.cancel(id));
            } else {
                ids.push_back(id);
            }
        }
        EXPECT_EQ(timers.pending(), 501u);
        for (const auto id : ids) {
            EXPECT_TRUE(timers.cancel(id));
        }
    });
}

// "on an executor or on its own thread"
TEST(timer_scheduler, runs_where_it_was_told_to) {
    timer_scheduler own;
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::atomic<int> run{0};
    for (int i = 0; i < 5; ++i) {
        own.after(0s, [&] {
            const std::lock_guard lock(mutex);
            threads.insert(std::this_thread::get_id());
            ++run;
        });
    }
    await([&] { return run.load() == 5; });
    EXPECT_EQ(threads.size(), 1u);
    EXPECT_FALSE(threads.contains(std::this_thread::get_id()));

    manual_executor executor;
    timer_scheduler elsewhere{executor};
    std::thread::id ran_on;
    elsewhere.after(0s, [&] { ran_on = std::this_thread::get_id(); });
    executor.await_received(1);
    EXPECT_TRUE(executor.run_one());
    EXPECT_EQ(ran_on, std::this_thread::get_id());
}

// "callable as `void()`, or as `void(timer_id)` with the timer's own id"; and callables that can
// only be moved; and what they return is of no interest.
TEST(timer_scheduler, takes_callbacks_of_both_kinds_and_such_as_cannot_be_copied) {
    timer_scheduler timers;
    std::atomic<int> alive{0};
    std::atomic<int> sum{0};
    std::atomic<timer_id> told{timer_id::none};
    timers.after(0s, [&, c = counted(alive, 5)] {
        sum += c.value();
        return 7;
    });
    timers.after(0s, [&, p = std::make_unique<int>(6), pad = std::array<char, 100>{}] {
        sum += *p + pad[0];
    });
    const auto id = timers.after(0s, [&](timer_id mine) { told = mine; });
    struct twice {
        std::atomic<int>& sum;
        void operator()() const { sum += 10; }
    };
    const twice kept{sum};
    timers.after(0s, kept);
    await([&] { return sum.load() == 21 && told.load() != timer_id::none; });
    EXPECT_EQ(told.load(), id);
    await([&] { return alive.load() == 0; });
}

// "A scheduler never reuses an id": also where places are used again.
TEST(timer_scheduler, gives_no_id_twice) {
    timer_scheduler timers;
    std::set<timer_id> ids{timer_id::none};
    for (int i = 0; i < 1000; ++i) {
        const auto id = timers.after(1h, [] {});
        EXPECT_TRUE(ids.insert(id).second);
        if (i % 3 != 0) {
            EXPECT_TRUE(timers.cancel(id));
        }
    }
}

// "The number of timers that still have a run to come."
TEST(timer_scheduler, counts_what_is_pending) {
    manual_executor executor;
    timer_scheduler timers{executor};
    EXPECT_EQ(timers.pending(), 0u);
    const auto id = timers.after(1h, [] {});
    std::size_t in_once = 9;
    timers.after(0s, [&] { in_once = timers.pending(); });
    executor.await_received(1);
    EXPECT_EQ(timers.pending(), 2u); // also the one that the executor has queued
    executor.run_one();
    EXPECT_EQ(in_once, 1u);
    std::size_t in_periodic = 9;
    timers.every(
        1h, [&] { in_periodic = timers.pending(); }, 0s);
    executor.await_received(2);
    executor.run_one();
    EXPECT_EQ(in_periodic, 2u);
    EXPECT_EQ(timers.pending(), 2u);
    timers.cancel(id);
    EXPECT_EQ(timers.pending(), 1u);
    const auto stats = timers.stats();
    EXPECT_EQ(stats.scheduled, 3u);
    EXPECT_EQ(stats.run, 2u);
    EXPECT_EQ(stats.cancelled, 1u);
    EXPECT_EQ(stats.pending, 1u);
    EXPECT_EQ(stats.refused + stats.errors, 0u);
}

// "A run that the executor does not accept or drops is lost. A periodic timer then waits for its
// next tick; a one-shot timer has ended"
TEST(timer_scheduler, loses_what_the_executor_drops) {
    manual_executor executor;
    timer_scheduler timers{executor};
    std::atomic<int> alive{0};
    const auto once = timers.after(0s, [c = counted(alive, 1)] { ADD_FAILURE() << "ran"; });
    executor.await_received(1);
    EXPECT_EQ(alive.load(), 1);
    EXPECT_TRUE(executor.drop_one());
    EXPECT_EQ(alive.load(), 0);
    EXPECT_FALSE(timers.cancel(once));
    EXPECT_EQ(timers.pending(), 0u);

    int run = 0;
    timers.every(1us, [&] { ++run; });
    executor.await_received(2);
    EXPECT_TRUE(executor.drop_one());
    executor.await_received(3);
    EXPECT_TRUE(executor.run_one());
    EXPECT_EQ(run, 1);
    EXPECT_EQ(timers.stats().refused, 2u);
}

// "The scheduling thread's earlier actions happen before the timer's runs. Each run happens before
// the next run of the same timer": plain variables, on several threads. (The thread sanitizer
// checks it.)
TEST(timer_scheduler, orders_runs_against_each_other) {
    plain_pool pool(3);
    timer_scheduler timers{pool};
    int plain = 0;
    std::atomic<int> seen{0};
    plain = 1;
    timers.every(1us, [&] { seen = ++plain; });
    await([&] { return seen.load() > 100; });
    timers.close();
    EXPECT_GT(plain, 100);
}

// Nothing is shared by two schedulers.
TEST(timer_scheduler, two_are_independent) {
    timer_scheduler one{{.name = "one"}};
    timer_scheduler other{{.name = "other"}};
    std::atomic<int> run{0};
    timer_gate closed(one);
    const auto id = one.after(0s, [&] { ++run; });
    other.after(0s, [&] {
        other.after(0s, [&] { ++run; });
        ++run;
    });
    await([&] { return run.load() == 2; });
    EXPECT_TRUE(one.cancel(id));
    closed.open();
    other.close();
    one.after(0s, [&] { ++run; });
    await([&] { return run.load() == 3; });
}

// A callback may schedule: also so many that the table and the heap grow under it.
TEST(timer_scheduler, may_be_used_by_its_callbacks) {
    timer_scheduler timers;
    std::atomic<int> run{0};
    timers.after(0s, [&] {
        for (int i = 0; i < 5000; ++i) {
            timers.after(std::chrono::microseconds(i % 7), [&] { ++run; });
        }
        EXPECT_GE(timers.pending(), 5000u);
    });
    await([&] { return run.load() == 5000; });
}

#if REGATTA_EXCEPTIONS
// "a callback's exception goes to `timer_scheduler_options::on_error`; its timer continues"
TEST(timer_scheduler, hands_exceptions_to_its_sink_and_goes_on) {
    std::atomic<int> errors{0};
    std::atomic<int> run{0};
    timer_scheduler timers{{.on_error = [&](const std::exception_ptr& e) {
        try {
            std::rethrow_exception(e);
        } catch (const std::runtime_error&) {
            ++errors;
        }
    }}};
    timers.every(1us, [&] {
        ++run;
        throw std::runtime_error("again");
    });
    timers.after(0s, [&] { throw std::runtime_error("once"); });
    await([&] { return run.load() >= 3 && errors.load() >= 4; });
    timers.close();
    EXPECT_EQ(timers.stats().errors, static_cast<std::uint64_t>(errors.load()));
}

// "An exception of the executor goes there, too"
TEST(timer_scheduler, hands_over_again_after_a_refusal) {
    std::atomic<int> errors{0};
    manual_executor executor;
    executor.refuses = true;
    timer_scheduler timers{executor, {.on_error = [&](std::exception_ptr) { ++errors; }}};
    timers.after(0s, [] { ADD_FAILURE() << "ran"; });
    await([&] { return errors.load() == 1; });
    EXPECT_EQ(timers.pending(), 0u);
    std::atomic<int> run{0};
    timers.every(1us, [&] { ++run; });
    await([&] { return errors.load() >= 3; });
    executor.refuses = false;
    executor.await_received(1);
    EXPECT_TRUE(executor.run_one());
    EXPECT_EQ(run.load(), 1);
    timers.close();
    EXPECT_EQ(timers.stats().refused, static_cast<std::uint64_t>(errors.load()));
}

// "Throws `std::invalid_argument` if the period is not positive."
TEST(timer_scheduler, refuses_a_period_that_is_none) {
    timer_scheduler timers;
    EXPECT_THROW(timers.every(0s, [] {}), std::invalid_argument);
    EXPECT_THROW(timers.every(
                     -1s, [] {}, 1s),
                 std::invalid_argument);
    EXPECT_THROW(timers.every(std::chrono::duration<double>(std::nan("")), [] {}),
                 std::invalid_argument);
    EXPECT_EQ(timers.pending(), 0u);
}
#endif

// "Runs `f` periodically", as short as the period may be.
TEST(timer_scheduler, takes_a_period_that_rounds_to_nothing) {
    timer_scheduler timers;
    std::atomic<int> runs{0};
    timers.every(std::chrono::duration<double, std::pico>(1e-300), [&] { ++runs; });
    await([&] { return runs.load() >= 3; });
}

// "Runs `f` once, at `t`", a time point of any duration: one beyond the clock never comes.
TEST(timer_scheduler, takes_time_points_of_any_duration) {
    timer_scheduler timers;
    std::atomic<int> runs{0};
    using coarse = std::chrono::time_point<clock_type, std::chrono::hours>;
    timers.at(coarse::max(), [&] { runs += 100; });
    timers.at(clock_type::now() + std::chrono::duration<double>(0.001), [&] { ++runs; });
    await([&] { return runs.load() != 0; });
    EXPECT_EQ(runs.load(), 1);
    EXPECT_EQ(timers.pending(), 1u);
}
