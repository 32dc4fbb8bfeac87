// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of `worker_index` promises, of every pool; each test quotes the sentence
// that it checks.

#include "messages.hpp"
#include "support/meeting.hpp"
#include "support/pool_cases.hpp"

#include <regatta/fork.hpp>
#include <regatta/message/worker_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

namespace {

using library_test::await;
using library_test::barrier;
using library_test::door;
using library_test::row;
using library_test::time_limit;
using number = std::optional<unsigned>;

class pool_worker_index : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_worker_index, library_test::every_pool(), library_test::pool_name);

/// The numbers that as many tasks have that run at once.
template<class Pool>
std::set<number> numbers_of(Pool& pool, unsigned tasks) {
    door all;
    std::mutex guard;
    std::set<number> numbers;
    for (unsigned i = 0; i < tasks; ++i) {
        pool.execute([&] {
            {
                const std::lock_guard lock(guard);
                numbers.insert(pool.worker_index());
            }
            all.pass();
        });
    }
    all.await_inside(static_cast<int>(tasks));
    all.open();
    pool.wait();
    return numbers;
}

/// Two halves of a join on the pool that wait for each other. @returns the numbers of both threads.
std::pair<number, number> two_halves(regatta::thread_pool& pool) {
    barrier both(2);
    const auto half = [&] {
        both.arrive_and_wait();
        return pool.worker_index();
    };
    return regatta::join(pool, half, half);
}

} // namespace

// "The number of the calling thread among this pool's workers, from 0"; "The numbers are below the
// number of workers that the pool was made with."
TEST_P(pool_worker_index, is_another_one_on_each_worker) {
    const time_limit limit("tasks on all workers");
    auto [pool] = make_pool(3);
    for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(numbers_of(pool, 3), (std::set<number>{0, 1, 2}));
    }
    const auto twice = [&] { return std::pair(pool.worker_index(), pool.worker_index()); };
    const auto [first, second] = pool.submit(twice).get();
    EXPECT_TRUE(first.has_value());
    EXPECT_EQ(first, second);
}

// "nothing on any other thread, a worker of another pool included."
TEST_P(pool_worker_index, is_nothing_elsewhere) {
    const time_limit limit("tasks of two pools");
    auto [pool] = make_pool(1);
    auto [other] = make_pool(2);
    EXPECT_EQ(pool.worker_index(), std::nullopt);
    EXPECT_EQ(other.submit([&] { return pool.worker_index(); }).get(), std::nullopt);
    EXPECT_EQ(other.submit([&] { return other.worker_index().has_value(); }).get(), true);
    number of_thread = 0;
    std::thread([&] { of_thread = pool.worker_index(); }).join();
    EXPECT_EQ(of_thread, std::nullopt);
    pool.close();
    EXPECT_EQ(pool.worker_index(), std::nullopt);
}

// "`on_start` and `on_stop` have theirs."
TEST_P(pool_worker_index, is_valid_in_hooks) {
    const time_limit limit("hooks");
    std::atomic<regatta::thread_pool*> made{nullptr};
    std::atomic<int> right{0};
    const auto check = [&](unsigned worker) {
        await([&] { return made.load() != nullptr; });
        right += made.load()->worker_index() == worker ? 1 : 0;
    };
    {
        auto [pool] = make_pool({.threads = 3, .on_start = check, .on_stop = check});
        made = &pool;
        pool.close();
    }
    EXPECT_EQ(right.load(), 6);
}

// "A worker that helps with a fork has its number. A thread from outside has none, also where it
// takes part in a fork on the pool."
TEST_P(pool_worker_index, is_that_of_the_thread_in_a_fork) {
    const time_limit limit("two threads in a fork");
    auto [pool] = make_pool(2);
    for (int round = 0; round < 20; ++round) {
        auto [a, b] = two_halves(pool); // This thread, and a worker.
        EXPECT_NE(a.has_value(), b.has_value());
        EXPECT_LT(a ? *a : *b, 2u);
        std::tie(a, b) = pool.submit([&pool = pool] { return two_halves(pool); }).get();
        EXPECT_EQ((std::set<number>{a, b}), (std::set<number>{0, 1}));
    }
    // Workers of another pool that fork on this one are outside.
    auto [other] = make_pool(1);
    const auto [a, b] = other.submit([&pool = pool] { return two_halves(pool); }).get();
    EXPECT_NE(a.has_value(), b.has_value());
}

// "A thread from outside has none, also where it … runs a task by `overflow::run_here`."
TEST(steady_pool_worker_index, is_nothing_where_the_caller_runs_the_task) {
    const time_limit limit("a task that its caller runs");
    door d;
    std::set<number> numbers;
    regatta::steady_pool pool(
        {.threads = 1, .capacity = 1, .when_full = regatta::overflow::run_here});
    library_test::hold_worker(pool, d);
    pool.execute([] {});
    pool.execute([&] { numbers.insert(pool.worker_index()); });
    EXPECT_EQ(numbers, (std::set<number>{std::nullopt}));
    d.open();
}

// "A task that waits, or forks, may run another one on the same thread meanwhile".
TEST_P(pool_worker_index, is_the_same_in_a_task_that_a_wait_runs) {
    const time_limit limit("a task that waits for another");
    auto [pool] = make_pool(1);
    const auto inner = [&] { return pool.worker_index(); };
    const auto outer = [&] {
        const number within = pool.submit(inner).get();
        return std::pair(within, pool.worker_index());
    };
    EXPECT_EQ(pool.submit(outer).get(), std::pair(number(0), number(0)));
}

// "a worker that is added gets a number that none had before": also if others have left.
TEST(dynamic_pool_worker_index, of_an_added_worker_is_a_new_one) {
    const time_limit limit("workers that come and go");
    regatta::dynamic_pool pool(2);
    EXPECT_EQ(numbers_of(pool, 2), (std::set<number>{0, 1}));
    for (unsigned round = 0; round < 3; ++round) {
        pool.resize(0);
        pool.wait_for_threads();
        pool.add_threads(2);
        EXPECT_EQ(numbers_of(pool, 2), (std::set<number>{2 * round + 2, 2 * round + 3}));
    }
}

// "as a handler gets it; nothing on any other thread. For tasks, as of a thread pool".
TEST(worker_pool_worker_index, is_that_of_the_handlers) {
    const time_limit limit("handlers and tasks");
    regatta::worker_pool<row> pool(2);
    std::atomic<int> right{0};
    barrier both(2);
    pool.on<row>([&](row&, unsigned worker) {
            right += pool.worker_index() == worker ? 1 : 0;
            both.arrive_and_wait();
        })
        .start();
    for (int i = 0; i < 10; ++i) {
        pool.submit(row{i});
    }
    pool.wait();
    EXPECT_EQ(right.load(), 10);
    EXPECT_EQ(numbers_of(pool, 2), (std::set<number>{0, 1}));
    EXPECT_EQ(pool.worker_index(), std::nullopt);
    regatta::steady_pool other(1);
    EXPECT_EQ(other.submit([&] { return pool.worker_index(); }).get(), std::nullopt);
}
