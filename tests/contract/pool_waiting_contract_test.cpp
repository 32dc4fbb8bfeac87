// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comments of thread_pool and future promise of waiting, beyond what holds of every
// executor (executor_contract_test.cpp); each test quotes the sentence that it checks.

#include "support/pool_cases.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::await;
using library_test::door;
using library_test::hold_worker;
using library_test::would_deadlock;
using std::chrono::milliseconds;

class pool_waiting : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_waiting, library_test::every_pool(), library_test::pool_name);

/// Runs each task at once.
struct counting_executor {
    int calls = 0;
    template<class F>
    void execute(F&& f) {
        ++calls;
        f();
    }
};

} // namespace

TEST_P(pool_waiting, several_threads_wait_at_once) {
    const library_test::time_limit limit("each wait to return");
    auto [pool] = make_pool({.threads = 2});
    door d;
    hold_worker(pool, d);
    std::atomic<int> back{0};
    std::vector<library_test::observed_thread> seen(3);
    std::vector<std::thread> waiters;
    for (auto& s : seen) {
        waiters.emplace_back([&] {
            s.announce();
            pool.wait();
            ++back;
        });
    }
    for (const auto& s : seen) {
        s.await_sleep();
    }
    EXPECT_EQ(back.load(), 0);
    d.open();
    for (auto& w : waiters) {
        w.join();
    }
    EXPECT_EQ(back.load(), 3);
}

// "The same, for at most `limit`. @returns whether the pool became idle."
TEST_P(pool_waiting, with_a_limit_it_tells_whether_the_pool_is_idle) {
    auto [pool] = make_pool({.threads = 1});
    EXPECT_TRUE(pool.wait_for(milliseconds(0)));
    door d;
    hold_worker(pool, d);
    EXPECT_FALSE(pool.wait_for(milliseconds(0)));
    EXPECT_FALSE(pool.wait_for(milliseconds(-5)));
    EXPECT_FALSE(pool.wait_for(std::chrono::duration<double>(0.001)));
    EXPECT_FALSE(pool.wait_until(std::chrono::steady_clock::now() + milliseconds(2)));
    EXPECT_FALSE(pool.wait_until(std::chrono::steady_clock::time_point::min()));
    using hours = std::chrono::time_point<std::chrono::steady_clock, std::chrono::hours>;
    EXPECT_FALSE(pool.wait_until(hours::min()));
    EXPECT_FALSE(pool.wait_for(std::chrono::hours::min()));
    d.open();
    EXPECT_TRUE(pool.wait_until(hours::max()));
    EXPECT_TRUE(pool.wait_for(std::chrono::hours::max())); // More than the clock can count.
    EXPECT_TRUE(pool.wait_for(std::chrono::duration<double>(1e300)));
    EXPECT_TRUE(pool.wait_until(std::chrono::steady_clock::time_point::max()));
}

// "and tasks that wait like it count as done; 64 may do so within each other on one worker."
TEST_P(pool_waiting, waits_nest_on_one_thread) {
    const library_test::time_limit limit("nested waits to return");
    for (const unsigned threads : {1u, 2u}) {
        for (const int depth : {10, 64}) {
            auto [pool] = make_pool({.threads = threads});
            std::atomic<int> deepest{0};
            std::function<void(int)> nest = [&](int level) {
                if (level == depth) {
                    return;
                }
                pool.execute([&, level] { nest(level + 1); });
                pool.wait();
                ++deepest;
            };
            pool.execute(nest, 0);
            pool.wait();
            EXPECT_EQ(deepest.load(), depth);
        }
    }
}

// … and one more is told that it cannot.
TEST_P(pool_waiting, one_wait_too_deep_is_refused) {
    auto [pool] = make_pool({.threads = 1});
    std::atomic<int> waits{0};
    std::atomic<int> refused{0};
    std::function<void(int)> nest = [&](int level) {
        if (level == 70) {
            return;
        }
        pool.execute([&, level] { nest(level + 1); });
        if (would_deadlock([&] { pool.wait(); })) {
            ++refused;
        } else {
            ++waits;
        }
    };
    pool.execute(nest, 0);
    pool.wait();
    EXPECT_EQ(waits.load() + refused.load(), 70);
    EXPECT_GE(waits.load(), 64);
    EXPECT_GE(refused.load(), 1);
}

TEST_P(pool_waiting, a_task_waits_for_what_continues_on_its_pool) {
    auto [pool] = make_pool({.threads = 1});
    auto sum = pool.submit([&] {
        auto first = pool.submit([] { return 1; });
        auto then = std::move(first).then(pool, [](int i) { return i + 1; });
        auto last = std::move(then).then([](int i) { return i + 1; });
        return last.get();
    });
    EXPECT_EQ(sum.get(), 3);
    pool.wait();
}

// "A continuation that has nothing to call does not reach it: it was cancelled before …": its
// executor may be gone by then.
TEST_P(pool_waiting, a_cancelled_continuation_does_not_reach_its_executor) {
    counting_executor executor;
    auto [pool] = make_pool({.threads = 1});
    door d;
    hold_worker(pool, d);
    auto next = pool.submit([] {}).then(executor, [] {});
    EXPECT_TRUE(next.cancel());
    d.open();
    pool.wait();
    EXPECT_EQ(executor.calls, 0);
}

// "… or the task was, or threw".
TEST_P(pool_waiting, a_skipped_continuation_does_not_reach_its_executor) {
    counting_executor executor;
    auto [pool] = make_pool({.threads = 1});
    door d;
    hold_worker(pool, d);
    auto failed = pool.submit([] { throw std::runtime_error("no"); });
    auto after_failed = std::move(failed).then(executor, [] {}).then(executor, [] {});
    std::stop_source stop;
    auto cancelled = pool.submit(stop.get_token(), [] { return 1; });
    auto after_cancelled = std::move(cancelled).then(executor, [](int) {}).then(executor, [] {});
    auto good = pool.submit([] { return 1; });
    auto after_good = std::move(good).then(executor, [](int i) { return i + 1; });
    stop.request_stop();
    d.open();
    EXPECT_THROW(after_failed.get(), std::runtime_error);
    EXPECT_THROW(after_cancelled.get(), regatta::task_cancelled);
    EXPECT_EQ(after_good.get(), 2);
    pool.wait();
    EXPECT_EQ(executor.calls, 1);
}

// "A wait that could never end throws `std::system_error`".
TEST_P(pool_waiting, a_task_that_waits_for_itself_is_told) {
    for (const unsigned threads : {1u, 3u}) {
        auto [pool] = make_pool({.threads = threads});
        regatta::future<bool> mine;
        std::atomic<bool> set{false};
        mine = pool.submit([&] {
            await([&] { return set.load(); });
            return would_deadlock([&] { mine.wait(); });
        });
        set = true;
        EXPECT_TRUE(mine.get());
    }
}

// The same for a limited time: not for one that runs on top of it, on the same worker.
TEST_P(pool_waiting, a_task_that_waits_for_one_beneath_it_is_told) {
    auto [pool] = make_pool({.threads = 1});
    door d;
    hold_worker(pool, d);
    auto beneath = pool.submit([&] { return pool.wait_for(std::chrono::milliseconds(100)); });
    auto on_top =
        pool.submit([&] { return beneath.ready() || would_deadlock([&] { beneath.wait(); }); });
    d.open();
    EXPECT_TRUE(on_top.get());
    beneath.wait();
}

// The same for one that is cancelled beneath it, and whose closure waits when it is destroyed.
TEST_P(pool_waiting, a_task_that_waits_for_one_cancelled_beneath_it_is_told) {
    struct waiter {
        void operator()(regatta::thread_pool* pool) const {
            static_cast<void>(pool->wait_for(std::chrono::milliseconds(100)));
        }
    };
    for (const bool by_token : {true, false}) {
        const library_test::time_limit limit("a wait for a task that is destroyed beneath it");
        auto [pool] = make_pool({.threads = 1});
        door d;
        std::stop_source stop;
        regatta::future<void> beneath;
        hold_worker(pool, d);
        auto first = pool.submit([&] { return !by_token && beneath.cancel(); });
        beneath =
            pool.submit(stop.get_token(),
                        [last = std::unique_ptr<regatta::thread_pool, waiter>(&pool)] { FAIL(); });
        auto on_top =
            pool.submit([&] { return beneath.ready() || would_deadlock([&] { beneath.wait(); }); });
        by_token ? static_cast<void>(stop.request_stop()) : void();
        d.open();
        EXPECT_NE(first.get(), by_token);
        EXPECT_TRUE(on_top.get());
        EXPECT_THROW(beneath.get(), regatta::task_cancelled);
    }
}

// "`std::system_error` (`resource_deadlock_would_occur`) in a task of the pool."
TEST_P(pool_waiting, a_task_cannot_end_its_own_pool) {
    auto [pool] = make_pool({.threads = 2});
    EXPECT_TRUE(pool.submit([&] { return would_deadlock([&] { pool.close(); }); }).get());
    for (const auto mode : {regatta::stop_mode::drain, regatta::stop_mode::discard}) {
        EXPECT_TRUE(pool.submit([&] { return would_deadlock([&] { pool.stop(mode); }); }).get());
    }
    EXPECT_FALSE(pool.closed());
    EXPECT_EQ(pool.submit([] { return 1; }).get(), 1);
}

// "They may submit tasks but not wait for the pool".
TEST_P(pool_waiting, hooks_submit_but_do_not_wait) {
    std::atomic<int> told{0};
    std::atomic<int> runs{0};
    std::atomic<regatta::thread_pool*> here{nullptr};
    {
        const auto hook = [&](unsigned) {
            await([&] { return here.load() != nullptr; });
            regatta::thread_pool& pool = *here.load();
            pool.execute([&] { ++runs; });
            const auto future = pool.submit([&] { ++runs; });
            told += would_deadlock([&] { pool.wait(); }) ? 1 : 0;
            told += would_deadlock([&] { pool.close(); }) ? 1 : 0;
            future.wait();
            pool.execute([&] { pool.execute([&] { ++runs; }); });
        };
        auto [pool] = make_pool({.threads = 2, .on_start = hook, .on_stop = hook});
        here = &pool;
        for (int i = 0; i < 50; ++i) {
            pool.execute([&] { ++runs; });
        }
        pool.wait();
        pool.close();
        EXPECT_EQ(pool.stats().submitted, 66u);
        EXPECT_EQ(pool.stats().run, 66u);
    }
    EXPECT_EQ(told.load(), 8);
    EXPECT_EQ(runs.load(), 62);
}
