// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What pool_options.hpp promises of `hand_over`; each test quotes the sentence that it checks.

#include "support/pool_cases.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

using library_test::door;
using library_test::hold_worker;
using regatta::hand_over;
using regatta::task;

class pool_hand_over : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_hand_over, library_test::bounded_pools(), library_test::pool_name);

} // namespace

// "`receive` takes a `task`, one at a time".
TEST_P(pool_hand_over, gives_tasks_one_by_one) {
    std::vector<task> kept;
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 1, .capacity = 2, .when_full = hand_over([&](task t) {
                                                              kept.push_back(std::move(t));
                                                          })});
    door d;
    hold_worker(pool, d);
    for (int i = 0; i < 5; ++i) {
        pool.execute([&] { ++runs; });
    }
    EXPECT_EQ(kept.size(), 3u);
    std::vector<std::function<void()>> batch(4, [&] { ++runs; });
    pool.execute_batch(batch);
    EXPECT_EQ(kept.size(), 7u);
    EXPECT_FALSE(pool.try_execute([] {})); // A try hands nothing over.
    EXPECT_EQ(kept.size(), 7u);
    auto future = pool.submit([] { return 8; });
    ASSERT_EQ(kept.size(), 8u);
    EXPECT_FALSE(future.ready());
    d.open();
    pool.wait();
    EXPECT_EQ(runs.load(), 2);
    EXPECT_FALSE(future.ready());
    for (task& t : kept) {
        t();
    }
    EXPECT_EQ(runs.load(), 9);
    EXPECT_EQ(future.get(), 8);
    EXPECT_EQ(pool.stats().refused, 9u);
    EXPECT_EQ(pool.stats().submitted, 3u);
}

// "Copies share … the sink of `when_full`": it need not be copyable itself.
TEST_P(pool_hand_over, takes_a_sink_that_can_only_be_moved) {
    auto runs = std::make_unique<int>(0);
    int& count = *runs;
    regatta::pool_options options{
        .threads = 1, .capacity = 1, .when_full = hand_over([runs = std::move(runs)](task t) {
                                         t();
                                         ++*runs;
                                     })};
    const regatta::pool_options copy = options;
    for (const auto& o : {options, copy}) {
        auto [pool] = make_pool(o);
        door d;
        hold_worker(pool, d);
        pool.execute([] {});
        pool.execute([] {});
        d.open();
    }
    EXPECT_EQ(count, 2);
}

// "or a `std::span<task>` with all tasks that one call of the pool could not place".
TEST_P(pool_hand_over, gives_all_of_a_batch_at_once) {
    std::vector<std::size_t> sizes;
    std::atomic<int> runs{0};
    auto [pool] =
        make_pool({.threads = 1, .capacity = 2, .when_full = hand_over([&](std::span<task> some) {
                                                    sizes.push_back(some.size());
                                                    for (task& t : some) {
                                                        t();
                                                    }
                                                })});
    door d;
    hold_worker(pool, d);
    std::vector<std::function<void()>> batch(10, [&] { ++runs; });
    pool.execute_batch(batch);
    EXPECT_EQ(runs.load(), 8);
    auto futures = pool.submit_batch(std::vector<std::function<int()>>(3, [] { return 1; }));
    pool.execute([&] { ++runs; });
    EXPECT_EQ(sizes, (std::vector<std::size_t>{8, 3, 1}));
    EXPECT_EQ(futures.get(), (std::vector<int>{1, 1, 1}));
    EXPECT_EQ(pool.stats().refused, 12u);
    d.open();
    pool.wait();
    EXPECT_EQ(runs.load(), 11);
}

// What the sink does not take is gone: its futures are cancelled.
TEST_P(pool_hand_over, a_task_that_is_not_taken_is_cancelled) {
    auto [pool] =
        make_pool({.threads = 1, .capacity = 1, .when_full = hand_over([](std::span<task>) {})});
    door d;
    hold_worker(pool, d);
    pool.execute([] {});
    auto future = pool.submit([] {});
    EXPECT_TRUE(future.ready());
    EXPECT_THROW(future.get(), regatta::task_cancelled);
    d.open();
}

// "what `receive` throws reaches the caller."
TEST_P(pool_hand_over, what_the_sink_throws_reaches_the_caller) {
    auto [pool] = make_pool({.threads = 1, .capacity = 1, .when_full = hand_over([](const task&) {
                                                              throw std::length_error("no");
                                                          })});
    door d;
    hold_worker(pool, d);
    pool.execute([] {});
    EXPECT_THROW(pool.execute([] {}), std::length_error);
    EXPECT_THROW(static_cast<void>(pool.submit([] {})), std::length_error);
    EXPECT_THROW(pool.execute_batch(std::vector<std::function<void()>>(2, [] {})),
                 std::length_error);
    EXPECT_EQ(pool.stats().refused, 4u);
    d.open();
    pool.wait();
    EXPECT_EQ(pool.stats().errors, 0u);
}

// "so that a dynamic pool can serve as the overflow cache of a steady one".
TEST_P(pool_hand_over, a_dynamic_pool_takes_the_overflow) {
    std::atomic<int> runs{0};
    regatta::dynamic_pool cache({.threads = 1});
    auto [pool] = make_pool({.threads = 1, .capacity = 8, .when_full = hand_over([&](task t) {
                                                              cache.execute(std::move(t));
                                                          })});
    std::vector<regatta::future<int>> futures;
    for (int i = 0; i < 1000; ++i) {
        pool.execute([&] { ++runs; });
        futures.push_back(pool.submit([i] { return i; }));
    }
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(futures[static_cast<std::size_t>(i)].get(), i);
    }
    pool.wait();
    cache.wait();
    EXPECT_EQ(runs.load(), 1000);
    EXPECT_EQ(pool.stats().submitted + cache.stats().submitted, 2000u);
    EXPECT_EQ(pool.stats().refused, cache.stats().submitted);
}

// A worker's own submission is handed over likewise.
TEST_P(pool_hand_over, takes_what_tasks_submit) {
    std::atomic<int> handed{0};
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 1, .capacity = 3, .when_full = hand_over([&](task t) {
                                                              ++handed;
                                                              t();
                                                          })});
    pool.execute([&] {
        for (int i = 0; i < 10; ++i) {
            pool.execute([&] { ++runs; });
        }
    });
    pool.wait();
    EXPECT_EQ(handed.load(), 7);
    EXPECT_EQ(runs.load(), 10);
}
