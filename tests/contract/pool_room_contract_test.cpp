// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What `overflow::block` promises: how producers wait for room in a bounded pool; each test quotes
// the sentence that it checks.

#include "full_pool.hpp"
#include "support/pool_cases.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
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
using regatta::task_rejected;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

class pool_room : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_room, library_test::bounded_pools(), library_test::pool_name);

} // namespace

// `block`: "The caller waits for room".
TEST_P(pool_room, block_waits_for_room) {
    const library_test::time_limit limit("a submitter that goes on when there is room");
    for (const std::size_t capacity : {1u, 2u, 3u, 10u}) {
        std::atomic<int> runs{0};
        std::atomic<int> through{0};
        auto [pool] = make_pool({.threads = 1, .capacity = capacity});
        door d;
        hold_worker(pool, d);
        fill(pool, runs);
        std::vector<library_test::observed_thread> seen(3);
        std::vector<std::thread> producers;
        for (auto& s : seen) {
            producers.emplace_back([&] {
                s.announce();
                pool.execute([&] { ++runs; });
                ++through;
            });
        }
        for (const auto& s : seen) {
            s.await_sleep();
        }
        EXPECT_EQ(through.load(), 0);
        EXPECT_EQ(pool.queued(), capacity);
        d.open();
        for (auto& p : producers) {
            p.join();
        }
        pool.wait();
        EXPECT_EQ(runs.load(), static_cast<int>(capacity) + 3);
        EXPECT_EQ(pool.stats().refused, 1u);
    }
}

// … as soon as there is some: a task may wait for the producer that waits.
TEST_P(pool_room, block_goes_on_with_the_first_room) {
    const library_test::time_limit limit("a submitter that goes on with the first room");
    auto [pool] = make_pool({.threads = 1, .capacity = 10});
    door first;
    hold_worker(pool, first);
    std::atomic<bool> through{false};
    library_test::observed_thread seen;
    pool.execute([&] { await([&] { return through.load(); }); });
    std::atomic<int> runs{0};
    fill(pool, runs);
    std::thread producer([&] {
        seen.announce();
        pool.execute([] {});
        through = true;
    });
    seen.await_sleep();
    first.open(); // Its worker takes one task, which ends when the producer has got through.
    producer.join();
    pool.wait();
    EXPECT_TRUE(through.load());
}

// "a worker of the pool runs other tasks while it waits": tasks that submit do not deadlock.
TEST_P(pool_room, block_lets_a_worker_run_others) {
    for (const unsigned threads : {1u, 2u}) {
        std::atomic<int> runs{0};
        auto [pool] = make_pool({.threads = threads, .capacity = 2});
        for (int i = 0; i < 10; ++i) {
            pool.execute([&] {
                for (int k = 0; k < 50; ++k) {
                    pool.execute([&] { ++runs; });
                }
                auto future = pool.submit([&] { ++runs; });
                future.get();
            });
        }
        pool.wait();
        EXPECT_EQ(runs.load(), 510);
    }
}

// "At most 64 tasks may wait within each other on one worker": the next is refused, and counted as
// that.
TEST_P(pool_room, block_refuses_who_waits_too_deep) {
    for (const std::size_t batch : {0u, 3u}) {
        std::atomic<unsigned> offered{1};
        std::atomic<unsigned> told{0};
        auto [pool] = make_pool({.threads = 1, .capacity = 1});
        std::function<void()> submit = [&] {
            const auto offer = [&](unsigned count, auto&& call) {
                offered += count;
                told += library_test::would_deadlock(call) ? 1u : 0u;
            };
            if (told.load() == 0) { // The first takes the room; who takes it does the same.
                offer(1, [&] { pool.execute(submit); });
                if (batch == 0) {
                    offer(1, [&] { pool.execute(submit); });
                } else {
                    offer(3, [&] { pool.execute_batch(std::vector(batch, submit)); });
                }
            }
        };
        pool.execute(submit);
        pool.wait();
        EXPECT_GE(told.load(), 1u);
        const auto stats = pool.stats();
        EXPECT_GE(stats.refused, told.load());
        EXPECT_EQ(stats.run + stats.cancelled + stats.refused, offered.load());
        EXPECT_EQ(stats.submitted, stats.run);
    }
}

// Close ends the wait: "`task_rejected` for a task that the pool does not take".
TEST_P(pool_room, close_wakes_who_waits_for_room) {
    const library_test::time_limit limit("a submitter that gives up when the pool is closed");
    for (const auto mode : {regatta::stop_mode::drain, regatta::stop_mode::discard}) {
        std::atomic<int> runs{0};
        std::atomic<int> refused{0};
        std::atomic<int> taken{0};
        auto [pool] = make_pool({.threads = 1, .capacity = 2});
        door d;
        hold_worker(pool, d);
        fill(pool, runs);
        std::vector<library_test::observed_thread> seen(3);
        std::vector<std::thread> producers;
        for (auto& s : seen) {
            producers.emplace_back([&] {
                s.announce();
                try {
                    pool.execute([&] { ++runs; });
                    ++taken;
                } catch (const task_rejected& error) {
                    refused += error.why() == task_rejected::reason::closed ? 1 : 0;
                }
            });
        }
        for (const auto& s : seen) {
            s.await_sleep();
        }
        std::thread closer([&] { pool.stop(mode); });
        await([&] { return refused.load() + taken.load() == 3; });
        d.open();
        closer.join();
        for (auto& p : producers) {
            p.join();
        }
        EXPECT_EQ(refused.load(), 3);
        EXPECT_EQ(runs.load(), mode == regatta::stop_mode::drain ? 2 : 0);
        EXPECT_EQ(pool.stats().refused, 4u);
    }
}

// `try_execute_until`: "waits for room, at most until `deadline`, whatever the policy".
TEST_P(pool_room, a_deadline_bounds_the_wait_for_room) {
    const library_test::time_limit limit("a submitter for which room is made");
    for (const auto policy : {overflow::block, overflow::reject, overflow::drop_oldest}) {
        std::atomic<int> runs{0};
        auto [pool] = make_pool({.threads = 1, .capacity = 2, .when_full = policy});
        door d;
        hold_worker(pool, d);
        fill(pool, runs);
        auto mine = [&runs, p = std::make_unique<int>(10)] { runs += *p; };
        const auto begin = steady_clock::now();
        EXPECT_FALSE(pool.try_execute_for(std::move(mine), milliseconds(25)));
        EXPECT_GE(steady_clock::now() - begin, milliseconds(25));
        EXPECT_FALSE(pool.try_execute_until(priority::high, std::move(mine), begin));
        EXPECT_FALSE(pool.try_execute_for(
            [large = std::array<char, 1000>{}] { static_cast<void>(large); }, hours::min()));
        EXPECT_EQ(pool.stats().refused, 4u); // fill() had one refused, too.
        library_test::observed_thread seen;
        std::thread producer([&] {
            seen.announce();
            EXPECT_TRUE(pool.try_execute_for(std::move(mine), hours(1)));
            EXPECT_TRUE(pool.try_execute_for(
                std::stop_token(), [&] { ++runs; }, hours::max()));
        });
        seen.await_sleep();
        d.open();
        producer.join();
        pool.wait();
        EXPECT_EQ(runs.load(), 13);
        EXPECT_EQ(pool.stats().refused, 4u);
    }
}

// "A task of the pool runs others while it waits …; at 64 waits within each other it does not
// wait."
TEST_P(pool_room, a_task_with_a_deadline_runs_others) {
    const library_test::time_limit limit("tasks that submit with a deadline");
    std::atomic<unsigned> accepted{0};
    std::atomic<unsigned> refused{0};
    auto [pool] = make_pool({.threads = 1, .capacity = 1});
    std::function<void()> submit = [&] {
        for (int i = 0; i < 3 && refused.load() == 0; ++i) {
            ++(pool.try_execute_for(submit, hours(1)) ? accepted : refused);
        }
    };
    pool.execute(submit);
    pool.wait();
    EXPECT_GE(accepted.load(), 64u);
    EXPECT_GE(refused.load(), 1u);
    EXPECT_EQ(pool.stats().run, 1 + accepted.load());
    EXPECT_EQ(pool.stats().refused, refused.load());
    EXPECT_EQ(pool.stats().errors, 0u);
}

// "false: full or closed": `close` ends the wait.
TEST_P(pool_room, close_ends_a_wait_with_a_deadline) {
    const library_test::time_limit limit("a submitter that gives up when the pool is closed");
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 1, .capacity = 2});
    door d;
    hold_worker(pool, d);
    fill(pool, runs);
    library_test::observed_thread seen;
    std::thread producer([&] {
        seen.announce();
        EXPECT_FALSE(pool.try_execute_for([&] { ++runs; }, hours(1)));
    });
    seen.await_sleep();
    std::thread closer([&] { pool.close(); });
    producer.join();
    d.open();
    closer.join();
    EXPECT_EQ(runs.load(), 2);
}

// "So do tasks that run others on the same worker while they wait for room": a task that is run on
// top of one that waits for room may itself wait for the pool.
TEST_P(pool_room, a_task_waits_on_top_of_one_that_waits_for_room) {
    for (const unsigned threads : {1u, 2u, 3u}) {
        std::atomic<int> runs{0};
        auto [pool] = make_pool({.threads = threads, .capacity = 2});
        for (unsigned i = 0; i < threads; ++i) {
            pool.execute([&] {
                for (int k = 0; k < 20; ++k) {
                    pool.execute([&] {
                        ++runs;
                        pool.wait();
                    });
                }
            });
        }
        pool.wait();
        EXPECT_EQ(runs.load(), static_cast<int>(20 * threads));
    }
}
