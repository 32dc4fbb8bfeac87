// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comments of thread_pool and future promise of waiting; each test quotes the sentence
// that it checks.

#include "support/pool_cases.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
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

template<class Pool>
class pool_waiting : public testing::Test {};
TYPED_TEST_SUITE(pool_waiting, library_test::every_pool, library_test::pool_names);

} // namespace

// "Waits until no task waits or runs."
TYPED_TEST(pool_waiting, outside_waits_for_all) {
    const library_test::time_limit limit("wait to return");
    std::atomic<int> runs{0};
    TypeParam pool({.threads = 2});
    pool.wait(); // Nothing to wait for.
    std::function<void(int)> chain = [&](int left) {
        ++runs;
        if (left != 0) {
            pool.execute(chain, left - 1);
        }
    };
    for (int i = 0; i < 20; ++i) {
        runs = 0;
        pool.execute(chain, 200); // Each task submits the next: it is never idle in between.
        pool.wait();
        ASSERT_EQ(runs.load(), 201);
    }
}

TYPED_TEST(pool_waiting, several_threads_wait_at_once) {
    const library_test::time_limit limit("each wait to return");
    TypeParam pool({.threads = 2});
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
TYPED_TEST(pool_waiting, with_a_limit_it_tells_whether_the_pool_is_idle) {
    TypeParam pool({.threads = 1});
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

// "A task that calls it runs others while it waits."
TYPED_TEST(pool_waiting, a_task_runs_others_meanwhile) {
    const library_test::time_limit limit("a wait in a task to return");
    for (const unsigned threads : {1u, 2u, 3u}) {
        std::atomic<int> runs{0};
        TypeParam pool({.threads = threads});
        std::atomic<bool> complete{false};
        pool.execute([&] {
            for (int i = 0; i < 100; ++i) {
                pool.execute([&] { ++runs; });
            }
            pool.wait();
            complete = runs.load() == 100;
        });
        pool.wait();
        EXPECT_TRUE(complete.load());
    }
}

// "and tasks that wait like it count as done; 64 may do so within each other on one worker."
TYPED_TEST(pool_waiting, waits_nest_on_one_thread) {
    const library_test::time_limit limit("nested waits to return");
    for (const unsigned threads : {1u, 2u}) {
        for (const int depth : {10, 64}) {
            TypeParam pool({.threads = threads});
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
TYPED_TEST(pool_waiting, one_wait_too_deep_is_refused) {
    TypeParam pool({.threads = 1});
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

// Many tasks of which each submits others and waits, on few threads.
TYPED_TEST(pool_waiting, many_tasks_wait_at_once) {
    const library_test::time_limit limit("the waits of all tasks to return");
    std::atomic<int> runs{0};
    TypeParam pool({.threads = 3});
    for (int i = 0; i < 30; ++i) {
        pool.execute([&] {
            for (int k = 0; k < 5; ++k) {
                pool.execute([&] { ++runs; });
            }
            try {
                pool.wait();
            } catch (const std::system_error&) {
                ADD_FAILURE() << "30 waits are not too many";
            }
        });
    }
    pool.wait();
    EXPECT_EQ(runs.load(), 150);
}

// A task's wait with a limit returns at the limit.
TYPED_TEST(pool_waiting, a_task_waits_for_a_limited_time) {
    TypeParam pool({.threads = 2});
    door d;
    hold_worker(pool, d);
    auto late = pool.submit([&] { return pool.wait_for(milliseconds(2)); });
    EXPECT_FALSE(late.get());
    auto at_once = pool.submit([&] { return pool.wait_for(milliseconds(0)); });
    EXPECT_FALSE(at_once.get());
    d.open();
    pool.wait();
    EXPECT_TRUE(pool.submit([&] { return pool.wait_for(std::chrono::hours(1)); }).get());
    EXPECT_TRUE(pool.submit([&] { return pool.wait_for(std::chrono::hours::max()); }).get());
}

// "A worker of the task's own pool that waits runs the task itself if it has not started. So tasks
// may wait for tasks on a single thread."
TYPED_TEST(pool_waiting, futures_are_waited_for_ten_deep_on_one_thread) {
    TypeParam pool({.threads = 1});
    std::function<int(int)> count = [&](int depth) -> int {
        return depth == 0 ? 0 : 1 + pool.submit(count, depth - 1).get();
    };
    EXPECT_EQ(pool.submit(count, 10).get(), 10);
    EXPECT_EQ(pool.submit(count, 100).get(), 100);
    std::function<int(int)> tree = [&](int depth) -> int {
        if (depth == 0) {
            return 1;
        }
        auto left = pool.submit(tree, depth - 1);
        auto right = pool.submit(tree, depth - 1);
        return left.get() + right.get();
    };
    EXPECT_EQ(pool.submit(tree, 8).get(), 256);
    pool.wait();
    EXPECT_EQ(pool.stats().run, pool.stats().submitted);
}

TYPED_TEST(pool_waiting, a_task_waits_for_what_continues_on_its_pool) {
    TypeParam pool({.threads = 1});
    auto sum = pool.submit([&] {
        auto first = pool.submit([] { return 1; });
        auto then = std::move(first).then(pool, [](int i) { return i + 1; });
        auto last = std::move(then).then([](int i) { return i + 1; });
        return last.get();
    });
    EXPECT_EQ(sum.get(), 3);
    pool.wait();
}

// "A wait that could never end throws `std::system_error`".
TYPED_TEST(pool_waiting, a_task_that_waits_for_itself_is_told) {
    for (const unsigned threads : {1u, 3u}) {
        TypeParam pool({.threads = threads});
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

TYPED_TEST(pool_waiting, tasks_that_wait_for_each_other_are_told) {
    TypeParam pool({.threads = 2});
    std::array<regatta::future<bool>, 2> futures;
    std::atomic<int> begun{0};
    std::atomic<bool> set{false};
    for (std::size_t i = 0; i < 2; ++i) {
        futures[i] = pool.submit([&, i] {
            ++begun;
            await([&] { return begun.load() == 2 && set.load(); });
            return would_deadlock([&] { futures[1 - i].wait(); });
        });
    }
    set = true;
    pool.wait(); // Only then is nobody else in a wait of these.
    const bool first = futures[0].get();
    const bool second = futures[1].get();
    EXPECT_NE(first, second); // One is told; then the other's wait ends.
}

// The same for a limited time: not for one that runs on top of it, on the same worker.
TYPED_TEST(pool_waiting, a_task_that_waits_for_one_beneath_it_is_told) {
    TypeParam pool({.threads = 1});
    door d;
    hold_worker(pool, d);
    auto beneath = pool.submit([&] { return pool.wait_for(std::chrono::milliseconds(100)); });
    auto on_top =
        pool.submit([&] { return beneath.ready() || would_deadlock([&] { beneath.wait(); }); });
    d.open();
    EXPECT_TRUE(on_top.get());
    beneath.wait();
}

// "`std::system_error` (`resource_deadlock_would_occur`) in a task of the pool."
TYPED_TEST(pool_waiting, a_task_cannot_end_its_own_pool) {
    TypeParam pool({.threads = 2});
    EXPECT_TRUE(pool.submit([&] { return would_deadlock([&] { pool.close(); }); }).get());
    for (const auto mode : {regatta::stop_mode::drain, regatta::stop_mode::discard}) {
        EXPECT_TRUE(pool.submit([&] { return would_deadlock([&] { pool.stop(mode); }); }).get());
    }
    EXPECT_FALSE(pool.closed());
    EXPECT_EQ(pool.submit([] { return 1; }).get(), 1);
}

// "Workers of other pools and all other threads just wait."
TYPED_TEST(pool_waiting, a_task_waits_for_another_pool) {
    TypeParam one({.threads = 1});
    TypeParam other({.threads = 1});
    std::atomic<int> runs{0};
    auto all = one.submit([&] {
        for (int i = 0; i < 10; ++i) {
            other.execute([&] { ++runs; });
        }
        other.wait();
        return runs.load() + other.submit([] { return 5; }).get();
    });
    EXPECT_EQ(all.get(), 15);
}

// "They may submit tasks but not wait for the pool".
TYPED_TEST(pool_waiting, hooks_submit_but_do_not_wait) {
    std::atomic<int> told{0};
    std::atomic<int> runs{0};
    std::atomic<TypeParam*> here{nullptr};
    {
        const auto hook = [&](unsigned) {
            await([&] { return here.load() != nullptr; });
            TypeParam& pool = *here.load();
            pool.execute([&] { ++runs; });
            const auto future = pool.submit([&] { ++runs; });
            told += would_deadlock([&] { pool.wait(); }) ? 1 : 0;
            told += would_deadlock([&] { pool.close(); }) ? 1 : 0;
            future.wait();
            pool.execute([&] { pool.execute([&] { ++runs; }); });
        };
        TypeParam pool({.threads = 2, .on_start = hook, .on_stop = hook});
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
