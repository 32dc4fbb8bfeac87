// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What pool_options.hpp and thread_pool promise of a bounded pool that is full; each test quotes
// the sentence that it checks. pool_room_contract_test.cpp has the waits for room.

#include "full_pool.hpp"
#include "support/pool_cases.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::await;
using library_test::door;
using library_test::fill;
using library_test::hold_worker;
using regatta::overflow;
using regatta::priority;
using regatta::task;
using regatta::task_rejected;

class pool_overflow : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_overflow, library_test::bounded_pools(), library_test::pool_name);

} // namespace

// "The limit of waiting tasks, in all queues together; 0: no limit."
TEST_P(pool_overflow, has_the_capacity_that_it_was_given) {
    for (const std::size_t capacity : {1u, 2u, 5u, 100u}) {
        std::atomic<int> runs{0};
        auto [pool] = make_pool({.threads = 2, .capacity = capacity});
        EXPECT_EQ(pool.capacity(), capacity);
        pool.pause();
        std::size_t taken = 0;
        while (pool.try_execute(static_cast<priority>(taken % 3), [&] { ++runs; })) {
            ++taken;
        }
        EXPECT_EQ(taken, capacity);
        EXPECT_EQ(pool.queued(), capacity);
        pool.resume();
        pool.wait();
        EXPECT_EQ(runs.load(), static_cast<int>(capacity));
    }
    EXPECT_EQ(make_pool({.threads = 1}).get<0>().capacity(), 0u);
    // More than any memory holds, as in `capacity = -1`, is a limit that nothing reaches.
    auto [vast] = make_pool({.threads = 1, .capacity = std::numeric_limits<std::size_t>::max()});
    EXPECT_TRUE(vast.try_execute([] {}));
}

// `reject`: "The caller gets `task_rejected`."; "false if full or closed: f untouched".
TEST_P(pool_overflow, reject_tells_the_caller) {
    std::atomic<int> runs{0};
    auto [pool] =
        make_pool({.threads = 1, .capacity = 2, .when_full = overflow::reject, .name = "small"});
    door d;
    hold_worker(pool, d);
    fill(pool, runs);
    try {
        pool.execute([&] { ++runs; });
        ADD_FAILURE() << "a full pool took it";
    } catch (const task_rejected& error) {
        EXPECT_EQ(error.why(), task_rejected::reason::full);
        EXPECT_STREQ(error.what(), "the pool 'small' rejected the task: it is full");
    }
    EXPECT_THROW(static_cast<void>(pool.submit([] {})), task_rejected);
    EXPECT_THROW(pool.execute(priority::high, [] {}), task_rejected);
    auto owner = [p = std::make_unique<int>(7), &runs] { runs += *p; };
    EXPECT_FALSE(pool.try_execute(std::move(owner)));
    EXPECT_FALSE(pool.try_execute(std::stop_source().get_token(), std::move(owner)));
    EXPECT_FALSE(
        pool.try_execute([large = std::array<char, 1000>{}] { static_cast<void>(large); }));
    auto large = [p = std::make_unique<int>(5), bytes = std::array<char, 1000>{}, &runs] {
        runs += *p + bytes[0];
    };
    EXPECT_FALSE(pool.try_execute(std::move(large)));
    EXPECT_EQ(pool.stats().refused, 8u); // fill() had one refused, too.
    d.open();
    pool.wait();
    EXPECT_EQ(runs.load(), 2);
    owner(); // It is as it was.
    large();
    EXPECT_EQ(runs.load(), 14);
    pool.execute([&] { ++runs; }); // There is room again.
    pool.wait();
    EXPECT_EQ(runs.load(), 15);
}

// "It also does so when it finds the pool full, if they are about half of a queue that it submits
// to": here fewer than half of the capacity, but all that a queue holds.
TEST_P(pool_overflow, what_a_wait_has_run_takes_no_room) {
    auto [pool] = make_pool({.threads = 1, .capacity = 3, .when_full = overflow::reject});
    pool.submit([&pool = pool] {
            pool.submit([] {}).get(); // Runs here, before its turn.
            pool.execute(priority::high, [] {});
            pool.execute(priority::high, [] {});
            EXPECT_NO_THROW(pool.execute([] {}));
            EXPECT_THROW(pool.execute([] {}), task_rejected);
        })
        .get();
}

// `run_here`: "The caller runs the task"
TEST_P(pool_overflow, run_here_runs_it_in_the_caller) {
    std::atomic<int> runs{0};
    std::atomic<int> errors{0};
    auto [pool] = make_pool({.threads = 1,
                             .capacity = 1,
                             .when_full = overflow::run_here,
                             .on_error = [&](const std::exception_ptr&) { ++errors; }});
    door d;
    hold_worker(pool, d);
    fill(pool, runs);
    const auto me = std::this_thread::get_id();
    bool here = false;
    pool.execute([&] { here = std::this_thread::get_id() == me; });
    EXPECT_TRUE(here);
    EXPECT_EQ(pool.submit([] { return 5; }).get(), 5);
    EXPECT_EQ(pool.submit([me] { return std::this_thread::get_id() == me; }).get(), true);
    // What it throws goes where it would go in a worker.
    EXPECT_NO_THROW(pool.execute([] { throw std::runtime_error("here"); }));
    EXPECT_EQ(errors.load(), 1);
    EXPECT_THROW(pool.submit([] { throw std::runtime_error("here"); }).get(), std::runtime_error);
    std::vector<std::function<void()>> batch(5, [&] { ++runs; });
    pool.execute_batch(batch);
    EXPECT_EQ(runs.load(), 5);
    EXPECT_FALSE(pool.try_execute([] {}));
    // 1 in fill, 5 of one task, 5 of the batch, 1 just now.
    EXPECT_EQ(pool.stats().refused, 12u);
    d.open();
    pool.wait();
    EXPECT_EQ(pool.stats().submitted, pool.stats().run);
}

// "The oldest waiting task of the lowest waiting priority is dropped unrun".
TEST_P(pool_overflow, drop_oldest_drops_the_oldest) {
    std::vector<int> order;
    auto [pool] = make_pool({.threads = 1, .capacity = 3, .when_full = overflow::drop_oldest});
    door d;
    hold_worker(pool, d);
    std::vector<regatta::future<void>> futures;
    for (int i = 0; i < 8; ++i) {
        futures.push_back(pool.submit([&order, i] { order.push_back(i); }));
    }
    EXPECT_EQ(pool.queued(), 3u);
    EXPECT_FALSE(pool.try_execute([] {})); // It drops nothing for a try.
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_TRUE(futures[i].ready());
        EXPECT_THROW(futures[i].get(), regatta::task_cancelled);
    }
    d.open();
    pool.wait();
    EXPECT_EQ(order, (std::vector<int>{5, 6, 7}));
    const auto stats = pool.stats();
    EXPECT_EQ(stats.submitted, 9u);
    EXPECT_EQ(stats.run, 4u);
    EXPECT_EQ(stats.cancelled, 5u);
    EXPECT_EQ(stats.refused, 1u);
}

// "In a `balanced_pool` one from outside before those of tasks"
TEST(pool_overflow_of_balanced, drop_oldest_drops_tasks_from_outside_first) {
    std::vector<int> order;
    regatta::balanced_pool pool{{.threads = 1, .capacity = 2, .when_full = overflow::drop_oldest}};
    door before;
    door after;
    pool.execute([&] {
        before.pass();
        pool.execute([&] { order.push_back(2); });
        after.pass();
    });
    before.await_inside(1);
    pool.execute([&] { order.push_back(1); });
    before.open();
    after.await_inside(1);
    pool.execute([&] { order.push_back(3); });
    after.open();
    pool.wait();
    EXPECT_EQ(order, (std::vector<int>{2, 3}));
}

// "if all waiting tasks are more important": tasks that other producers are just appending are not.
TEST_P(pool_overflow, drop_oldest_takes_every_task_of_equal_priority) {
    const library_test::time_limit limit("producers that drop each other's tasks");
    auto [pool] = make_pool({.threads = 1, .capacity = 1, .when_full = overflow::drop_oldest});
    door d;
    hold_worker(pool, d);
    std::atomic<int> refused{0};
    std::vector<std::thread> producers;
    for (int p = 0; p < 4; ++p) {
        producers.emplace_back([&] {
            for (int i = 0; i < library_test::rounds(10'000); ++i) {
                try {
                    pool.execute([] {});
                } catch (const task_rejected&) {
                    ++refused;
                }
            }
        });
    }
    for (auto& producer : producers) {
        producer.join();
    }
    EXPECT_EQ(refused.load(), 0);
    d.open();
}

// What continues a task that is dropped is submitted by whoever drops it.
TEST_P(pool_overflow, drop_oldest_may_submit_in_turn) {
    for (const std::size_t capacity : {1u, 2u}) {
        std::atomic<int> runs{0};
        auto [pool] =
            make_pool({.threads = 1, .capacity = capacity, .when_full = overflow::drop_oldest});
        door d;
        hold_worker(pool, d);
        std::vector<regatta::future<void>> ends;
        for (int i = 0; i < 10; ++i) {
            ends.push_back(pool.submit([&] { ++runs; }).then(pool, [&] { ++runs; }));
        }
        d.open();
        int cancelled = 0;
        for (auto& end : ends) {
            try {
                end.get();
            } catch (const regatta::task_cancelled&) {
                ++cancelled;
            }
        }
        EXPECT_GE(cancelled, 8);
        pool.wait();
        EXPECT_EQ(pool.stats().submitted, pool.stats().run + pool.stats().cancelled);
    }
}

// `wait`: "also in what a task runs when it is destroyed unrun".
TEST_P(pool_overflow, what_a_dropped_task_runs_cannot_wait_for_the_pool) {
    const library_test::time_limit limit("a dropped task that waits for its pool");
    for (const bool discard : {false, true}) {
        auto [pool] = make_pool({.threads = 1, .capacity = 1, .when_full = overflow::drop_oldest});
        auto [other] = make_pool({.threads = 1});
        door d;
        hold_worker(pool, d);
        int told = 0;
        const auto refused = [&](auto&& call) {
            try {
                call();
            } catch (const std::system_error& e) {
                told += e.code() == std::errc::resource_deadlock_would_occur ? 1 : 0;
            }
        };
        auto at_end = [&](int*) {
            other.wait(); // Not its own.
            refused([&] { pool.wait(); });
            // "In what a task runs when it is destroyed unrun it returns at once", or throws "while
            // the pool is open".
            refused([&] { pool.close(); });
            refused([&] { pool.stop(regatta::stop_mode::discard); });
        };
        int owned = 0;
        pool.execute([end = std::unique_ptr<int, decltype(at_end)>(&owned, at_end)] {});
        if (discard) {
            std::thread opens([&] {
                await([&] { return pool.queued() == 0; });
                d.open();
            });
            pool.stop(regatta::stop_mode::discard);
            opens.join();
        } else {
            pool.execute([] {});
            d.open();
            pool.wait();
        }
        EXPECT_EQ(told, discard ? 1 : 3);
    }
}

TEST_P(pool_overflow, drop_oldest_drops_one_task_that_another_continues) {
    std::atomic<int> ran{0};
    std::atomic<int> continued{0};
    auto [pool] = make_pool({.threads = 1, .capacity = 50, .when_full = overflow::drop_oldest});
    pool.pause();
    std::vector<regatta::future<void>> results;
    for (int i = 0; i < 50; ++i) {
        results.push_back(pool.submit([&] { ++ran; }).then(pool, [&] { ++continued; }));
    }
    pool.execute([] {});
    EXPECT_EQ(pool.stats().cancelled, 1u);
    EXPECT_THROW(results.front().get(), regatta::task_cancelled);
    pool.resume();
    pool.wait();
    EXPECT_EQ(ran.load(), 49);
    EXPECT_EQ(continued.load(), 49);
}

// "If all waiting tasks are more important than the new one, the caller gets `task_rejected`."
// "A pool that is closed meanwhile takes the new task, for which an accepted one was dropped": and
// ends only when that has run.
TEST_P(pool_overflow, a_task_for_which_one_was_dropped_is_taken_by_a_pool_that_closes) {
    const library_test::time_limit limit("a pool that closes while a task is dropped");
    /// Its destructor comes between the drop and the new task.
    struct at_end {
        std::function<void()> call;
        ~at_end() {
            if (call) {
                call();
            }
        }
    };
    for (const priority level : {priority::low, priority::medium, priority::high}) {
        door d;
        std::atomic<int> runs{0};
        std::thread closes;
        auto [pool] = make_pool({.threads = 1, .capacity = 1, .when_full = overflow::drop_oldest});
        hold_worker(pool, d);
        auto dropped = std::make_unique<at_end>();
        dropped->call = [&, p = &pool] {
            closes = std::thread([p] { p->close(); });
            await([&] { return p->closed(); });
        };
        pool.execute(priority::low, [held = std::move(dropped)] {});
        pool.execute(level, [&] { ++runs; });
        EXPECT_THROW(pool.execute([&] { ++runs; }), task_rejected);
        d.open();
        closes.join();
        EXPECT_EQ(runs.load(), 1);
        EXPECT_EQ(pool.stats().cancelled, 1u);
    }
}

TEST_P(pool_overflow, drop_oldest_spares_the_more_important) {
    std::vector<int> order;
    auto [pool] = make_pool({.threads = 1, .capacity = 3, .when_full = overflow::drop_oldest});
    door d;
    hold_worker(pool, d);
    const auto append = [&](priority level, int i) {
        pool.execute(level, [&order, i] { order.push_back(i); });
    };
    append(priority::low, 1);
    append(priority::medium, 2);
    append(priority::high, 3);
    append(priority::high, 4);   // for 1
    append(priority::medium, 5); // for 2
    append(priority::high, 6);   // for 5
    EXPECT_THROW(append(priority::medium, 7), task_rejected);
    EXPECT_THROW(append(priority::low, 8), task_rejected);
    append(priority::high, 9); // for 3
    d.open();
    pool.wait();
    EXPECT_EQ(order, (std::vector<int>{4, 6, 9}));
}

// A closed pool that is still at work drops nothing of what it has promised to run.
TEST_P(pool_overflow, a_closed_pool_refuses_whatever_the_policy) {
    std::atomic<int> handed{0};
    const regatta::overflow_policy policies[] = {
        overflow::block, overflow::reject, overflow::run_here, overflow::drop_oldest,
        regatta::hand_over([&](const task&) { ++handed; })};
    for (const auto& policy : policies) {
        std::atomic<int> runs{0};
        auto [pool] = make_pool({.threads = 1, .capacity = 2, .when_full = policy});
        door d;
        hold_worker(pool, d);
        fill(pool, runs);
        std::thread closer([&] { pool.close(); });
        await([&] { return pool.closed(); });
        const auto refused = [&](auto&& call) {
            try {
                call();
            } catch (const task_rejected& error) {
                return error.why() == task_rejected::reason::closed;
            }
            return false;
        };
        EXPECT_TRUE(refused([&] { pool.execute([&] { ++runs; }); }));
        EXPECT_TRUE(refused([&] { static_cast<void>(pool.submit([&] { ++runs; })); }));
        EXPECT_TRUE(refused(
            [&] { pool.execute_batch(std::vector<std::function<void()>>(3, [&] { ++runs; })); }));
        d.open();
        closer.join();
        EXPECT_EQ(runs.load(), 2);
        EXPECT_EQ(pool.stats().cancelled, 0u);
        EXPECT_EQ(pool.stats().refused, 6u);
    }
    EXPECT_EQ(handed.load(), 0);
}
