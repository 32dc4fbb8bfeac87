// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What `run_loop` promises; each test quotes the sentence that it checks.

#include "support/pool_cases.hpp"

#include <regatta/core/coroutine.hpp>
#include <regatta/core/run_loop.hpp>
#include <regatta/core/strand.hpp>
#include <regatta/core/task_errors.hpp>
#include <regatta/pool/steady_pool.hpp>
#include <regatta/time/timer_scheduler.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::await;
using regatta::run_loop;
using namespace std::chrono_literals;

/// Far beyond the time that any of these waits takes.
constexpr auto long_time = 30s;

} // namespace

// "tasks begin in the order of submission"; "@returns how many".
TEST(run_loop, runs_tasks_in_order_where_it_is_polled) {
    run_loop loop;
    std::vector<int> order;
    const std::thread::id here = std::this_thread::get_id();
    std::thread([&] {
        for (int i = 0; i < 100; ++i) {
            loop.execute([&, i] {
                EXPECT_EQ(std::this_thread::get_id(), here);
                order.push_back(i);
            });
        }
    }).join();
    EXPECT_EQ(loop.size(), 100u);
    EXPECT_TRUE(order.empty());
    EXPECT_EQ(loop.poll(), 100u);
    ASSERT_EQ(order.size(), 100u);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
    }
    EXPECT_EQ(loop.poll(), 0u);
}

// "Runs the tasks that wait at the call, not those that they add".
TEST(run_loop, polls_no_task_that_a_task_adds) {
    run_loop loop;
    int runs = 0;
    std::function<void()> again = [&] {
        ++runs;
        loop.execute(again);
    };
    loop.execute(again);
    loop.execute(again);
    EXPECT_EQ(loop.poll(), 2u);
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(loop.size(), 2u);
}

// The same where the tasks of a task run within it.
TEST(run_loop, polls_no_task_that_is_added_while_polls_nest) {
    run_loop loop;
    int first = 0;
    int added = 0;
    loop.execute([&] { EXPECT_EQ(loop.poll(), 5u); });
    for (int i = 0; i < 5; ++i) {
        loop.execute([&] {
            ++first;
            loop.execute([&] { ++added; });
        });
    }
    EXPECT_EQ(loop.poll(), 1u);
    EXPECT_EQ(first, 5);
    EXPECT_EQ(added, 0);
}

// "Runs tasks until `finish` was called and none waits."
TEST(run_loop, runs_until_it_is_finished) {
    const library_test::time_limit limit("a loop that is finished");
    run_loop loop;
    std::atomic<int> runs{0};
    std::jthread feeder([&] {
        for (int i = 0; i < 1000; ++i) {
            loop.execute([&] { ++runs; });
        }
        loop.execute([&] { loop.finish(); });
    });
    EXPECT_EQ(loop.run(), 1001u);
    EXPECT_EQ(runs.load(), 1000);
    EXPECT_TRUE(loop.finished());
    EXPECT_EQ(loop.run(), 0u);
    EXPECT_FALSE(loop.run_one());
}

// "Waits for a task and runs it": whoever finds none sleeps until one comes, or the time is over.
TEST(run_loop, waits_for_one_task) {
    const library_test::time_limit limit("a loop that waits for a task");
    run_loop loop;
    EXPECT_FALSE(loop.run_one_for(1ms));
    EXPECT_EQ(loop.run_for(1ms), 0u);
    EXPECT_EQ(loop.run_until(std::chrono::steady_clock::now() - 1s), 0u);
    std::atomic<bool> ran{false};
    std::jthread later([&] { loop.execute([&] { ran = true; }); });
    EXPECT_TRUE(loop.run_one_for(long_time));
    EXPECT_TRUE(ran);
    std::jthread ends([&] { loop.finish(); });
    EXPECT_FALSE(loop.run_one_for(long_time));
}

// "Tasks run at once only if several threads run the loop": each runs once, whoever takes it, and
// no thread sleeps beside a task.
TEST(run_loop, several_threads_share_the_tasks) {
    const library_test::time_limit limit("a loop of several threads");
    run_loop loop;
    const int all = library_test::rounds(20'000);
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(all));
    std::atomic<std::size_t> ran{0};
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 2; ++t) {
            threads.emplace_back([&] { ran += loop.run(); });
        }
        threads.emplace_back([&] { // One that often leaves when its time is over.
            while (!loop.finished()) {
                ran += loop.run_one_for(std::chrono::microseconds(20)) ? 1 : 0;
            }
        });
        for (int i = 0; i < all; ++i) {
            loop.execute([&, i] { ++runs[static_cast<std::size_t>(i)]; });
            if (i % 16 == 0) {
                await([&] { return loop.size() == 0; }); // Nobody needs another task to wake up.
            }
        }
        loop.finish();
    }
    EXPECT_EQ(ran.load(), static_cast<std::size_t>(all));
    for (const auto& one : runs) {
        ASSERT_EQ(one.load(), 1);
    }
}

// "@returns the future of its result or exception"; "an exception of a task of `execute` goes to
// the error sink".
TEST(run_loop, gives_futures_and_reports_errors) {
    std::string told;
    run_loop loop([&](std::exception_ptr error) {
        try {
            std::rethrow_exception(error);
        } catch (const std::runtime_error& e) {
            told += e.what();
        }
    });
    auto sum = loop.submit([](int a, int b) { return a + b; }, 3, 4);
    auto fails = loop.submit([](std::stop_token) -> int { throw std::runtime_error("in future"); });
    loop.execute([] { throw std::runtime_error("out"); });
    EXPECT_EQ(loop.poll(), 3u);
    EXPECT_EQ(sum.get(), 7);
    EXPECT_THROW(fails.get(), std::runtime_error);
    EXPECT_EQ(told, "out");
}

// "After `finish`, `execute` and `submit` throw `task_rejected`; the task is destroyed."
TEST(run_loop, refuses_tasks_once_it_is_finished) {
    run_loop loop;
    int runs = 0;
    loop.execute([&] { ++runs; });
    loop.finish();
    const auto owned = std::make_shared<int>(0);
    try {
        loop.execute([owned] {});
        ADD_FAILURE() << "accepted";
    } catch (const regatta::task_rejected& e) {
        EXPECT_EQ(e.why(), regatta::task_rejected::reason::closed);
    }
    EXPECT_THROW(static_cast<void>(loop.submit([owned] { return 1; })), regatta::task_rejected);
    EXPECT_EQ(owned.use_count(), 1);
    EXPECT_EQ(loop.run(), 1u); // What was accepted runs.
    EXPECT_EQ(runs, 1);
}

// "Destroys the tasks that wait; their futures are cancelled."
TEST(run_loop, cancels_what_it_has_when_it_is_destroyed) {
    std::optional<run_loop> loop(std::in_place);
    const auto owned = std::make_shared<int>(0);
    auto never = loop->submit([owned] { return 1; });
    loop->execute([owned] {});
    loop.reset();
    EXPECT_EQ(owned.use_count(), 1);
    EXPECT_THROW(never.get(), regatta::task_cancelled);
}

// "`then(loop, f)`, `schedule_on(loop)`, `co_spawn(loop, task)`, `strand` and a `timer_scheduler`
// take it as an executor."
TEST(run_loop, is_an_executor) {
    const library_test::time_limit limit("what runs on a loop");
    regatta::steady_pool pool(1);
    run_loop loop;
    const std::thread::id here = std::this_thread::get_id();
    int runs = 0;
    const auto count = [&] {
        EXPECT_EQ(std::this_thread::get_id(), here);
        ++runs;
    };
    auto shown = pool.submit([] { return 5; }).then(loop, [&](int) { count(); });
    auto hops = [&]() -> regatta::co_task<void> {
        co_await regatta::schedule_on(pool);
        EXPECT_NE(std::this_thread::get_id(), here);
        co_await regatta::schedule_on(loop);
        count();
    };
    auto hopped = regatta::co_spawn(loop, hops());
    const regatta::strand serial(loop);
    for (int i = 0; i < 100; ++i) {
        serial.execute(count);
    }
    regatta::timer_scheduler timers(loop);
    timers.after(1ms, count);
    while (runs != 103) {
        ASSERT_TRUE(loop.run_one_for(long_time));
    }
    EXPECT_NO_THROW(shown.get());
    EXPECT_NO_THROW(hopped.get());
    timers.close();
}

// "A thread that must wait for a future runs the loop meanwhile".
TEST(run_loop, runs_while_its_thread_waits_for_a_pool) {
    const library_test::time_limit limit("a frame that needs its main thread");
    regatta::steady_pool pool(1);
    run_loop loop;
    auto frame = pool.submit([&] { return loop.submit([] { return 6; }).get() + 1; })
                     .then(loop, [](int result) { return result; });
    while (!frame.ready()) {
        static_cast<void>(loop.run_one_for(1ms));
    }
    EXPECT_EQ(frame.get(), 7);
}

namespace {

class pool_with_options : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_with_options, library_test::every_pool(), library_test::pool_name);

} // namespace

// "An executor that gives what it gets to a pool with options".
TEST_P(pool_with_options, has_its_priority) {
    auto [pool] = make_pool({.threads = 1});
    const regatta::executor_with_options low(pool, regatta::priority::low);
    const regatta::executor_with_options high(pool, regatta::priority::high);
    const regatta::strand serial(low);
    std::string order;
    library_test::door d;
    library_test::hold_worker(pool, d);
    low.execute([&] { order += 'l'; });
    serial.execute([&] { order += 's'; });
    auto spawned = regatta::co_spawn(low, [](std::string& to) -> regatta::co_task<void> {
        to += 'c';
        co_return;
    }(order));
    EXPECT_TRUE(low.try_execute([&] { order += 't'; }));
    pool.execute([&] { order += 'm'; });
    auto first = high.submit([&](char c) { order += c; }, 'h');
    d.open();
    pool.wait();
    first.get();
    spawned.get();
    EXPECT_EQ(order, "hmlsct");
}

// "its workers run what they wait for": a task may wait for a continuation at low priority.
TEST_P(pool_with_options, is_at_home_in_its_pool) {
    const library_test::time_limit limit("a continuation at low priority");
    auto [pool] = make_pool({.threads = 1});
    const regatta::executor_with_options low(pool, regatta::priority::low);
    EXPECT_EQ(
        pool.submit([&] {
                return pool.submit([] { return 1; }).then(low, [](int i) { return i + 1; }).get();
            })
            .get(),
        2);
}

// Also for each turn of a strand.
TEST_P(pool_with_options, stops_the_later_turns_of_a_strand) {
    auto [pool] = make_pool({.threads = 1});
    std::stop_source source;
    const regatta::executor_with_options loads(pool, source.get_token());
    const regatta::strand serial(loads);
    std::atomic<int> runs{0};
    library_test::door d;
    library_test::hold_worker(pool, d);
    for (int i = 0; i < 1000; ++i) {
        serial.execute([&] {
            ++runs;
            source.request_stop();
        });
    }
    d.open();
    pool.wait();
    EXPECT_LE(runs.load(), 16);
}

// A stop token is one of the options.
TEST_P(pool_with_options, has_its_stop_token) {
    auto [pool] = make_pool({.threads = 1});
    std::stop_source source;
    const regatta::executor_with_options loads(pool, {regatta::priority::low, source.get_token()});
    library_test::door d;
    library_test::hold_worker(pool, d);
    auto never = loads.submit([] { return 1; });
    source.request_stop();
    d.open();
    EXPECT_THROW(never.get(), regatta::task_cancelled);
}
