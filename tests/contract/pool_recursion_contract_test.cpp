// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Tasks that wait for tasks of their own, again and again: what becomes of those that a wait has
// run before their turn.

#include "support/eventually.hpp"
#include "support/pool_cases.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using library_test::door;
using library_test::hold_worker;

class pool_recursion : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_recursion, library_test::every_pool(), library_test::pool_name);
class bounded_pool_recursion : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, bounded_pool_recursion, library_test::bounded_pools(),
                         library_test::pool_name);

/// Submits that many tasks, one after the other, and waits for each.
template<class Pool>
void submit_and_wait(Pool& pool, int count) {
    for (int i = 0; i < count; ++i) {
        EXPECT_EQ(pool.submit([i] { return i; }).get(), i);
    }
}

/// Calls a function at its end.
class at_end {
public:
    explicit at_end(std::function<void()> call) : call_(std::move(call)) {}
    at_end(at_end&& other) noexcept : call_(std::exchange(other.call_, nullptr)) {}
    at_end& operator=(at_end&&) = delete;
    ~at_end() {
        if (call_) {
            call_();
        }
    }

private:
    std::function<void()> call_;
};
/// Waits for a task and leaves its result behind. That calls `at_its_end` where it ends: with the
/// place of the task in the queue.
template<class Pool>
void leave_a_result(Pool& pool, std::function<void()> at_its_end) {
    pool.submit([call = std::move(at_its_end)]() mutable { return at_end(std::move(call)); })
        .wait();
}

/// Sums up a range by halves, a task for each.
template<class Pool>
long sum_of(Pool& pool, long first, long last) {
    if (last - first < 2) {
        return first;
    }
    const long middle = first + (last - first) / 2;
    auto left = pool.submit([&pool, first, middle] { return sum_of(pool, first, middle); });
    auto right = pool.submit([&pool, middle, last] { return sum_of(pool, middle, last); });
    const long sum = right.get();
    return sum + left.get();
}

} // namespace

// "The pools take the tasks of one queue in the order in which they were put in."
TEST_P(pool_recursion, keeps_the_order_of_tasks_that_wait) {
    auto [pool] = make_pool({.threads = 1});
    std::string order;
    const auto put = [&](char letter) { pool.execute([&order, letter] { order += letter; }); };
    pool.submit([&] {
            put('a');
            submit_and_wait(pool, 100);
            put('b');
            std::thread([&] { put('c'); }).join();
            submit_and_wait(pool, 500);
            put('d');
            std::thread([&] { put('e'); }).join();
            submit_and_wait(pool, 100);
            put('f');
        })
        .get();
    pool.wait();
    if (makes<regatta::balanced_pool>()) { // Which has a queue for tasks from outside.
        std::string outside;
        std::erase_if(order, [&](char letter) {
            const bool apart = letter == 'c' || letter == 'e';
            outside.append(apart ? 1 : 0, letter);
            return apart;
        });
        EXPECT_EQ(order, "abdf");
        EXPECT_EQ(outside, "ce");
    } else {
        EXPECT_EQ(order, "abcdef");
    }
}

// "each that was taken is run", once, by whichever worker, and counted as one.
TEST_P(pool_recursion, runs_each_task_once_on_several_workers) {
    auto [pool] = make_pool({.threads = 3});
    std::vector<regatta::future<long>> sums;
    for (int i = 0; i < 8; ++i) {
        sums.push_back(pool.submit([&pool] { return sum_of(pool, 0, 2000); }));
    }
    for (auto& sum : sums) {
        EXPECT_EQ(sum.get(), 1999 * 1000);
    }
    pool.wait();
    const auto stats = pool.stats();
    EXPECT_EQ(stats.submitted, 8u * (2 * 1999 + 1));
    EXPECT_EQ(stats.run, stats.submitted);
    EXPECT_EQ(stats.cancelled, 0u);
    EXPECT_EQ(stats.queued, 0u);
}

// A task that was set aside still wakes a worker, and is one of those that `queued` tells of.
TEST_P(pool_recursion, leaves_what_waits_to_the_other_workers) {
    auto [pool] = make_pool({.threads = 2});
    door other;
    hold_worker(pool, other);
    std::atomic<bool> ran{false};
    pool.submit([&] {
            pool.execute([&] { ran = true; });
            submit_and_wait(pool, 300);
            EXPECT_GE(pool.queued(), 1u);
            EXPECT_LE(pool.queued(), 200u);
            other.open();
            library_test::eventually("the other worker runs the task", [&] { return ran.load(); });
        })
        .get();
}

// The result of a task may do what a task may: its destructor waits for one that another worker
// runs, and that lay beside it in the queue.
TEST_P(pool_recursion, leaves_what_waits_to_the_other_workers_while_a_result_ends) {
    auto [made_pool] = make_pool({.threads = 2});
    auto& pool = made_pool;
    door other;
    hold_worker(pool, other);
    std::atomic<bool> ran{false};
    bool ended = false;
    pool.submit([&] {
            leave_a_result(pool, [&] {
                other.open();
                library_test::eventually("the other worker runs the task",
                                         [&] { return ran.load(); });
                ended = true;
            });
            pool.execute([&] { ran = true; });
            submit_and_wait(pool, 300);
            EXPECT_TRUE(ended);
        })
        .get();
}

// "A task that calls it runs others while it waits."
TEST_P(pool_recursion, waits_for_the_pool_where_a_result_ends) {
    auto [made_pool] = make_pool({.threads = 1});
    auto& pool = made_pool;
    bool ran = false;
    bool idle = false;
    pool.submit([&] {
            leave_a_result(pool, [&] { idle = pool.wait_for(library_test::patience()) && ran; });
            pool.execute([&] { ran = true; });
            submit_and_wait(pool, 300);
        })
        .get();
    EXPECT_TRUE(idle);
    pool.wait();
    EXPECT_EQ(pool.stats().run, 303u);
}

// "`discard` destroys what has not begun …; futures of it throw `task_cancelled`."
TEST_P(pool_recursion, discards_what_waits) {
    auto [pool] = make_pool({.threads = 1});
    door d;
    regatta::future<void> queued;
    pool.execute([&] {
        queued = pool.submit([] {});
        submit_and_wait(pool, 300);
        d.pass();
    });
    d.await_inside(1);
    std::thread stopping([&] { pool.stop(regatta::stop_mode::discard); });
    library_test::eventually("the pool is closed", [&] { return pool.closed(); });
    d.open();
    stopping.join();
    EXPECT_THROW(queued.get(), regatta::task_cancelled);
    EXPECT_EQ(pool.stats().cancelled, 1u);
    EXPECT_EQ(pool.stats().run, 301u);
}

// A task that a wait has run takes no room.
TEST_P(bounded_pool_recursion, has_room_as_long_as_few_tasks_wait) {
    for (const std::size_t capacity : {1u, 2u, 3u, 10u, 100u}) {
        auto [pool] =
            make_pool({.threads = 1, .capacity = capacity, .when_full = regatta::overflow::reject});
        pool.submit([&] { submit_and_wait(pool, 300); }).get();
        pool.wait();
        EXPECT_EQ(pool.stats().refused, 0u);
        EXPECT_EQ(pool.stats().run, 301u);
    }
}

// "It also does so when it finds the pool full": whichever call finds that.
TEST_P(bounded_pool_recursion, gives_the_room_of_tasks_that_waits_have_run_to_every_call) {
    std::atomic<int> handed_over{0};
    std::atomic<int> runs{0};
    const auto run = [&] { ++runs; };
    auto [pool] =
        make_pool({.threads = 1, .capacity = 8, .when_full = regatta::hand_over([&](regatta::task) {
                                                    ++handed_over;
                                                })});
    pool.submit([&] {
            for (int i = 0; i < 5; ++i) {
                pool.execute(regatta::priority::low, run);
            }
            submit_and_wait(pool, 3); // Fewer than half of the capacity.
            EXPECT_TRUE(pool.try_execute(run));
            submit_and_wait(pool, 2);
            pool.execute_batch(std::vector(2, run));
        })
        .get();
    pool.wait();
    EXPECT_EQ(handed_over.load(), 0);
    EXPECT_EQ(runs.load(), 8);
    EXPECT_EQ(pool.stats().refused, 0u);
}

// "a worker of the pool runs other tasks while it waits" for room: also where a result ends.
TEST_P(bounded_pool_recursion, finds_room_where_a_result_ends) {
    auto [made_pool] = make_pool({.threads = 1, .capacity = 8});
    auto& pool = made_pool;
    std::atomic<int> runs{0};
    const auto run = [&] { ++runs; };
    const library_test::time_limit limit("room for tasks");
    pool.submit([&] {
            leave_a_result(pool, [&] {
                for (int i = 0; i < 20; ++i) {
                    pool.execute(run);
                }
            });
            for (int i = 0; i < 4; ++i) {
                pool.execute(run);
            }
            submit_and_wait(pool, 50); // After three the pool is full, and half of it over.
        })
        .get();
    pool.wait();
    EXPECT_EQ(runs.load(), 24);
}
