// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Producers that wait for room in a worker_pool, and messages that many producers bring at once.

#include "messages.hpp"
#include "support/door.hpp"
#include "support/observed_thread.hpp"
#include "support/threads.hpp"

#include <regatta/core/detail/block_cache.hpp>
#include <regatta/core/future.hpp>
#include <regatta/message/worker_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::await;
using library_test::door;
using library_test::observed_thread;
using library_test::row;

} // namespace

// "`submit` … waits for room": one free place is room, also if there never is more. Here the
// handler of m1 needs what the producer does after its `submit` of m5.
TEST(worker_pool, a_producer_is_woken_for_the_only_free_place) {
    const library_test::time_limit limit("a producer for which there is room");
    door d;
    std::atomic<bool> submitted{false};
    std::atomic<int> handled{0};
    regatta::worker_pool<row> pool({.threads = 1, .capacity = 4});
    pool.on<row>([&](row& m) {
            if (m.index == 0) {
                d.pass();
            } else if (m.index == 1) {
                await([&] { return submitted.load(); });
            }
            ++handled;
        })
        .start();
    pool.submit(row{0});
    d.await_inside(1);
    for (int i = 1; i <= 4; ++i) {
        EXPECT_TRUE(pool.try_submit(row{i}));
    }
    observed_thread producer;
    std::thread blocked([&] {
        producer.announce();
        EXPECT_TRUE(pool.submit(row{5}));
        submitted = true;
    });
    producer.await_sleep();
    d.open();
    blocked.join();
    pool.drain();
    EXPECT_EQ(handled.load(), 6);
}

// "No message waits beside workers that sleep": P1 has claimed a place and has not yet filled it,
// and P2's messages behind it woke workers that found nothing. The first message needs the second.
TEST(worker_pool, messages_behind_one_on_its_way_in_wake_further_workers) {
    using library_test::slow_message;
    const library_test::time_limit limit("workers for all messages");
    for (int round = 0; round < 20; ++round) {
        slow_message::door slow;
        std::atomic<int> inside{0};
        regatta::worker_pool<slow_message> pool({.threads = 4});
        pool.on<slow_message>([&](slow_message&) {
                ++inside;
                await([&] { return inside.load() == 4; });
            })
            .start();
        std::thread first([&] { EXPECT_TRUE(pool.submit(slow_message(slow))); });
        await([&] { return slow.reached.load(); });
        for (int i = 0; i < 3; ++i) {
            EXPECT_TRUE(pool.submit(slow_message()));
        }
        slow.open = true;
        first.join();
        pool.drain();
        EXPECT_EQ(inside.load(), 4);
    }
}

namespace {

/// By futures, with one task for each call.
int fibonacci(regatta::worker_pool<row>& pool, int n) {
    if (n < 2) {
        return n;
    }
    auto one = pool.submit([&pool, n] { return fibonacci(pool, n - 1); });
    auto other = pool.submit([&pool, n] { return fibonacci(pool, n - 2); });
    return one.get() + other.get();
}

} // namespace

// "At 32 waits within each other the worker runs the task at once": a recursion through futures
// that has far more tasks than the ring has room.
TEST(worker_pool, a_recursion_through_futures_ends_in_a_small_ring) {
    const library_test::time_limit limit("a recursion through futures");
    for (const unsigned threads : {1u, 2u}) {
        regatta::worker_pool<row> pool({.threads = threads, .capacity = 32});
        pool.on<row>([](row&) {}).start();
        EXPECT_EQ(pool.submit([&] { return fibonacci(pool, 17); }).get(), 1597);
        pool.wait();
        const auto figures = pool.stats();
        EXPECT_EQ(figures.errors, 0u);
        EXPECT_EQ(figures.tasks, 5167u); // The calls of fibonacci(17).
        EXPECT_EQ(figures.handled, 5167u);
        EXPECT_EQ(figures.submitted, 5167u);
        EXPECT_EQ(figures.queued, 0u);
    }
}

// "Messages accepted": those included that found no room and had been cancelled before.
TEST(worker_pool, counts_cancelled_tasks_without_room_as_submitted) {
    std::atomic<int> run{0};
    std::atomic<std::uint64_t> cancelled{0};
    regatta::detail::block_cache blocks(nullptr);
    regatta::worker_pool<row> pool({.threads = 1, .capacity = 2});
    pool.on<row>([](row&) {}).start();
    std::function<void()> flood = [&] {
        ++run;
        for (int i = 0; i < 3 && run.load() < 100; ++i) {
            pool.execute(std::ref(flood));
            auto [future, job] = regatta::make_future_task(blocks, {}, [] {});
            cancelled += future.cancel() ? 1u : 0u;
            pool.execute(std::move(job));
        }
    };
    pool.execute(std::ref(flood));
    pool.wait();
    const auto figures = pool.stats();
    EXPECT_GT(cancelled.load(), 0u);
    EXPECT_EQ(figures.cancelled, cancelled.load());
    EXPECT_EQ(figures.handled, cancelled.load() + static_cast<std::uint64_t>(run.load()));
    EXPECT_EQ(figures.submitted, figures.handled);
    EXPECT_EQ(figures.errors, 0u);
}

// "Waits for room as a message does": in the order of submission, also from within a task.
TEST(worker_pool, a_task_without_room_does_not_overtake) {
    std::vector<int> order;
    regatta::worker_pool<row> pool({.threads = 1, .capacity = 2});
    pool.on<row>([](row&) {}).start();
    pool.execute([&] {
        for (int i = 0; i < 5; ++i) {
            pool.execute([&order, i] { order.push_back(i); });
        }
    });
    pool.wait();
    EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
}

// "waits for room, at most until `deadline`"; "a refused message is unchanged".
TEST(worker_pool, submits_with_a_deadline) {
    const library_test::time_limit limit("a producer for which room is made");
    using std::chrono::hours;
    using std::chrono::milliseconds;
    struct owner {
        std::unique_ptr<int> held;
    };
    door d;
    std::atomic<int> handled{0};
    regatta::worker_pool<row, owner> pool({.threads = 1, .capacity = 2});
    pool.on<row>([&](row&) {
            d.pass();
            ++handled;
        })
        .on<owner>([&](owner& o) { handled += *o.held; });
    owner mine{std::make_unique<int>(10)};
    auto task = [&handled, p = std::make_unique<int>(100)] { handled += *p; };
    const row one;
    EXPECT_TRUE(pool.try_submit_for(one, hours(1)));
    EXPECT_TRUE(pool.try_submit_for(row{}, hours(1)));
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(pool.try_submit_for(std::move(mine), milliseconds(25)));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(25));
    EXPECT_FALSE(pool.try_execute_until(std::move(task), begin + milliseconds(50)));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(50));
    EXPECT_FALSE(pool.try_execute_for([action = std::function<void()>([] {})] { action(); },
                                      milliseconds(1)));
    EXPECT_EQ(pool.stats().refused, 3u);
    observed_thread producer;
    std::thread blocked([&] {
        producer.announce();
        EXPECT_TRUE(pool.try_submit_for(std::move(mine), hours::max()));
        EXPECT_TRUE(pool.try_execute_for(std::move(task), hours::max()));
    });
    producer.await_sleep();
    pool.start();
    d.open();
    blocked.join();
    pool.drain();
    EXPECT_EQ(handled.load(), 112);
    EXPECT_EQ(pool.stats().refused, 3u);
    pool.close();
    EXPECT_FALSE(pool.try_submit_for(one, hours(1)));
    EXPECT_FALSE(pool.try_execute_for([] {}, hours(1)));
}

// "A handler handles other messages while it waits …; at 32 waits within each other it does not
// wait."
TEST(worker_pool, a_handler_that_submits_with_a_deadline_handles_others) {
    const library_test::time_limit limit("handlers that submit with a deadline");
    std::atomic<unsigned> accepted{0};
    std::atomic<unsigned> refused{0};
    regatta::worker_pool<row> pool({.threads = 1, .capacity = 2});
    pool.on<row>([&](row& m) {
            for (int i = 0; i < 3 && m.index < 60 && refused.load() == 0; ++i) {
                ++(pool.try_submit_for(row{m.index + 1}, std::chrono::hours(1)) ? accepted
                                                                                : refused);
            }
        })
        .start();
    pool.submit(row{0});
    pool.wait();
    EXPECT_GT(accepted.load(), 32u);
    EXPECT_GT(refused.load(), 0u);
    EXPECT_EQ(pool.stats().handled, 1 + accepted.load());
    EXPECT_EQ(pool.stats().refused, refused.load());
    EXPECT_EQ(pool.stats().errors, 0u);
}

// … and it gives up when its deadline has passed: here another worker has all that it could handle.
TEST(worker_pool, a_handler_gives_up_at_its_deadline) {
    const library_test::time_limit limit("a handler that gives up");
    std::atomic<int> full{0};
    regatta::worker_pool<row> pool({.threads = 1, .capacity = 2});
    pool.on<row>([&](row& m) {
            if (m.index == 0) {
                while (pool.try_submit(row{1})) {
                }
                full +=
                    pool.try_submit_until(row{1}, std::chrono::steady_clock::time_point()) ? 0 : 1;
            }
        })
        .start();
    pool.submit(row{0});
    pool.wait();
    EXPECT_EQ(full.load(), 1);
    EXPECT_EQ(pool.stats().handled, 3u);
}

#if REGATTA_EXCEPTIONS
// "At 256 such tasks within each other it throws": tasks that each make more than one further.
TEST(worker_pool, tasks_that_flood_the_pool_are_told) {
    std::atomic<int> run{0};
    std::atomic<std::uint64_t> deadlocks{0};
    regatta::worker_pool<row> pool(
        {.threads = 1, .capacity = 2, .on_error = [&](std::exception_ptr error) {
             try {
                 std::rethrow_exception(std::move(error));
             } catch (const std::system_error& e) {
                 EXPECT_EQ(e.code(), std::errc::resource_deadlock_would_occur);
                 ++deadlocks;
             }
         }});
    pool.on<row>([](row&) {}).start();
    std::function<void()> flood = [&] {
        ++run;
        for (int i = 0; i < 3 && run.load() < 20000; ++i) {
            pool.execute(std::ref(flood));
        }
    };
    pool.execute(std::ref(flood));
    pool.wait();
    EXPECT_GT(deadlocks.load(), 0u);
    EXPECT_EQ(pool.stats().errors, deadlocks.load());
    EXPECT_EQ(pool.stats().refused, deadlocks.load());
    EXPECT_EQ(pool.stats().handled, static_cast<std::uint64_t>(run.load()));
}
#endif
