// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What task_queues and the pools promise of order and priority; each test quotes the sentence that
// it checks.

#include "support/meeting.hpp"
#include "support/pool_cases.hpp"

#include <regatta/fork/parallel_for.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace {

using library_test::door;
using library_test::hold_worker;
using regatta::priority;

class pool_priority : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_priority, library_test::every_pool(), library_test::pool_name);

} // namespace

// "whichever worker is free begins the one that has waited longest".
TEST_P(pool_priority, one_worker_runs_tasks_in_order) {
    auto [pool] = make_pool({.threads = 1});
    for (const auto level : {priority::medium, priority::high, priority::low}) {
        std::vector<int> order;
        for (int i = 0; i < 500; ++i) {
            pool.execute(level, [&order, i] { order.push_back(i); });
        }
        std::vector<std::function<void()>> batch;
        for (int i = 500; i < 700; ++i) {
            batch.emplace_back([&order, i] { order.push_back(i); });
        }
        pool.execute_batch(batch, level);
        pool.wait();
        ASSERT_EQ(order.size(), 700u);
        EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    }
}

// "A worker takes from the high queue, then its own, … and the low queue."
TEST_P(pool_priority, the_higher_comes_first) {
    auto [pool] = make_pool({.threads = 1});
    std::string order;
    pool.pause();
    for (const auto& [level, letter] : {std::pair(priority::low, 'l'),
                                        {priority::medium, 'm'},
                                        {priority::high, 'h'},
                                        {priority::low, 'L'},
                                        {priority::medium, 'M'},
                                        {priority::high, 'H'}}) {
        pool.execute(level, [&order, c = letter] { order += c; });
    }
    pool.resume();
    pool.wait();
    EXPECT_EQ(order, "hHmMlL");
}

// "A `task_options` … may precede the callable": each way in keeps the priority, with a token or
// not.
TEST_P(pool_priority, counts_whichever_way_a_task_comes_in) {
    std::stop_source source;
    const regatta::task_options ways[] = {priority::high, {priority::high, source.get_token()}};
    for (const regatta::task_options& high : ways) {
        const auto comes_first = [](const char* way, const auto& enter) {
            auto [pool] = make_pool({.threads = 1});
            std::string order;
            pool.pause();
            pool.execute([&order] { order += 'm'; });
            enter(pool, [&order] { order += 'h'; });
            pool.resume();
            pool.wait();
            EXPECT_EQ(order, "hm") << way;
        };
        comes_first("execute", [&](auto& pool, auto f) { pool.execute(high, f); });
        comes_first("try_execute",
                    [&](auto& pool, auto f) { EXPECT_TRUE(pool.try_execute(high, f)); });
        comes_first("execute_batch", [&](auto& pool, auto f) {
            const std::vector batch{f};
            pool.execute_batch(batch, high);
        });
        comes_first("execute_batch of an rvalue",
                    [&](auto& pool, auto f) { pool.execute_batch(std::vector{f}, high); });
        comes_first("submit",
                    [&](auto& pool, auto f) { EXPECT_TRUE(pool.submit(high, f).valid()); });
        comes_first("submit_batch", [&](auto& pool, auto f) {
            EXPECT_EQ(pool.submit_batch(std::vector{f}, high).size(), 1u);
        });
    }
}

// "To prevent starvation, every 8th take of a worker tries the medium queues before the high one.
// Every 32nd take tries the low queue first."
TEST_P(pool_priority, none_starves) {
    auto [pool] = make_pool({.threads = 1});
    std::string order;
    pool.pause();
    for (int i = 0; i < 640; ++i) {
        pool.execute(priority::high, [&order] { order += 'h'; });
        pool.execute(priority::medium, [&order] { order += 'm'; });
        pool.execute(priority::low, [&order] { order += 'l'; });
    }
    pool.resume();
    pool.wait();
    const auto begin = order.substr(0, 320);
    EXPECT_EQ(std::count(begin.begin(), begin.end(), 'l'), 10);
    EXPECT_EQ(std::count(begin.begin(), begin.end(), 'm'), 30);
    EXPECT_EQ(std::count(begin.begin(), begin.end(), 'h'), 280);
}

// … however long the others keep coming.
TEST_P(pool_priority, a_low_task_runs_among_endless_high_ones) {
    auto [pool] = make_pool({.threads = 1});
    std::atomic<bool> reached{false};
    std::function<void()> endless = [&] {
        if (!reached.load()) {
            pool.execute(priority::high, std::ref(endless));
        }
    };
    std::function<void()> endless_medium = [&] {
        if (!reached.load()) {
            pool.execute(std::ref(endless_medium));
        }
    };
    pool.execute(priority::high, std::ref(endless));
    pool.execute(std::ref(endless_medium));
    pool.execute(priority::low, [&] { reached = true; });
    pool.wait();
    EXPECT_TRUE(reached.load());
}

// "at every 32nd task at the common one first": tasks of tasks do not keep those from outside back.
TEST_P(pool_priority, a_task_from_outside_runs_among_endless_ones_of_tasks) {
    auto [pool] = make_pool({.threads = 1});
    std::atomic<int> rounds{0};
    std::atomic<int> submitted_at{0};
    std::atomic<int> reached_at{0};
    std::function<void()> endless = [&] {
        if (++rounds < 100'000 && reached_at == 0) {
            pool.execute(std::ref(endless));
        }
    };
    pool.execute([&] {
        endless();
        library_test::await([&] { return submitted_at != 0; });
    });
    library_test::await([&] { return rounds != 0; });
    pool.execute([&] { reached_at = rounds.load(); });
    submitted_at = 1;
    pool.wait();
    EXPECT_GT(reached_at, 0);
    EXPECT_LE(reached_at, 64);
}

// A task whose worker is held is run by another.
TEST_P(pool_priority, a_long_task_holds_up_nobody_else) {
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 2});
    door d;
    hold_worker(pool, d);
    for (int i = 0; i < 500; ++i) {
        pool.execute([&] { ++runs; });
        pool.execute(static_cast<priority>(i % 3), [&] { ++runs; });
    }
    library_test::await([&] { return runs.load() == 1000; });
    d.open();
}

// "Tasks of `priority::low` wait until no fork wants help": the loops of a task get help beside low
// ones without end.
TEST_P(pool_priority, forks_come_before_the_low) {
    auto [pool] = make_pool({.threads = 2});
    std::atomic<bool> done{false};
    std::function<void()> again = [&] {
        if (!done) {
            pool.execute(priority::low, again);
        }
    };
    for (int i = 0; i < 4; ++i) {
        pool.execute(priority::low, again);
    }
    pool.submit([&] {
            for (int i = 0; i < 20; ++i) {
                library_test::barrier both(2);
                regatta::parallel_for(0, 2, [&](int) { both.arrive_and_wait(); });
            }
        })
        .get();
    done = true;
    pool.wait();
}

// "but for every 32nd look": forks without end do not keep the low from running.
TEST_P(pool_priority, forks_leave_the_low_their_turn) {
    auto [pool] = make_pool({.threads = 2});
    std::atomic<bool> ran{false};
    std::atomic<int> loops{0};
    auto loop = pool.submit([&] {
        while (!ran) {
            regatta::parallel_for(
                0, 64, [&](int) { std::atomic_signal_fence(std::memory_order_seq_cst); });
            ++loops;
        }
    });
    library_test::await([&] { return loops.load() > 10; });
    pool.execute(priority::low, [&] { ran = true; });
    loop.get();
    EXPECT_TRUE(ran);
}
