// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of thread_pool promises of pausing and ending; each test quotes the sentence
// that it checks.

#include "support/counted.hpp"
#include "support/pool_cases.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::await;
using library_test::counted;
using library_test::door;
using library_test::hold_worker;
using regatta::stop_mode;
using regatta::task_rejected;

class pool_life : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_life, library_test::every_pool(), library_test::pool_name);

} // namespace

// "Workers begin no further task until `resume`; the pool still accepts tasks."
TEST_P(pool_life, a_paused_pool_takes_tasks_and_runs_none) {
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 2});
    EXPECT_FALSE(pool.paused());
    pool.pause();
    pool.pause();
    EXPECT_TRUE(pool.paused());
    for (int i = 0; i < 100; ++i) {
        pool.execute([&] { ++runs; });
    }
    EXPECT_FALSE(pool.wait_for(std::chrono::milliseconds(2)));
    EXPECT_EQ(runs.load(), 0);
    EXPECT_EQ(pool.queued(), 100u);
    pool.resume();
    EXPECT_FALSE(pool.paused());
    pool.wait();
    EXPECT_EQ(runs.load(), 100);
    pool.resume();
}

// The workers of a paused pool sleep: none wakes the others for tasks that it may not run itself.
TEST_P(pool_life, a_paused_pool_sleeps) {
    auto [pool] = make_pool({.threads = 4});
    const auto parked = [&] { return pool.stats().parked; };
    await([&] { return parked() >= 4; });
    pool.pause();
    pool.execute([] {});
    await([&, before = parked()]() mutable {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        const auto now = parked();
        return now == std::exchange(before, now);
    });
    pool.resume();
    pool.wait();
}

// "Returns once no task runs, within a task at once."
TEST_P(pool_life, pause_returns_when_no_task_runs) {
    auto [pool] = make_pool({.threads = 2});
    for (int round = 0; round < 200; ++round) {
        std::atomic<int> running{0};
        for (int i = 0; i < 20; ++i) {
            pool.execute([&] {
                ++running;
                std::this_thread::yield();
                --running;
            });
        }
        pool.pause();
        ASSERT_EQ(running.load(), 0);
        pool.resume();
        pool.wait();
    }
    auto inside = pool.submit([&] {
        pool.pause();
        const bool paused = pool.paused();
        pool.resume();
        return paused;
    });
    EXPECT_TRUE(inside.get());
}

TEST_P(pool_life, a_task_that_pauses_its_pool_is_the_last) {
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 1});
    door d;
    hold_worker(pool, d);
    pool.execute([&] {
        ++runs;
        pool.pause();
    });
    pool.execute([&] { ++runs; });
    d.open();
    await([&] { return pool.paused(); });
    pool.pause(); // Until it has ended.
    EXPECT_EQ(runs.load(), 1);
    pool.resume();
    pool.wait();
    EXPECT_EQ(runs.load(), 2);
}

// A task that waits for the pool goes on while that is paused, whoever's queue the others are in.
TEST_P(pool_life, a_paused_pool_leaves_all_tasks_to_those_that_wait) {
    for (const bool steal : {true, false}) {
        if (!steal && !makes<regatta::steady_pool>()) {
            continue;
        }
        std::atomic<int> runs{0};
        auto [pool] = make_pool({.threads = 3, .steal = steal});
        door d;
        library_test::observed_thread pauser;
        pool.execute([&] {
            d.pass();
            pool.wait();
            ++runs;
        });
        d.await_inside(1);
        std::thread thread([&] {
            pauser.announce();
            pool.pause();
        });
        await([&] { return pool.paused(); });
        pauser.await_sleep();
        for (int i = 0; i < 200; ++i) {
            pool.execute([&] { ++runs; });
        }
        d.open();
        thread.join();
        EXPECT_EQ(runs.load(), 201);
        pool.resume();
        pool.wait();
    }
}

// "Refuses tasks from outside, runs the accepted tasks and those that they submit".
TEST_P(pool_life, close_runs_what_was_taken_and_what_that_submits) {
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 2, .name = "closing"});
    std::function<void(int)> grow = [&](int depth) {
        ++runs;
        if (depth != 0) {
            pool.execute(grow, depth - 1);
            pool.submit(grow, depth - 1).wait();
            pool.execute_batch(std::vector<std::function<void()>>(2, [&] { ++runs; }));
        }
    };
    for (int i = 0; i < 10; ++i) {
        pool.execute(grow, 4);
    }
    EXPECT_FALSE(pool.closed());
    pool.close();
    EXPECT_TRUE(pool.closed());
    EXPECT_EQ(runs.load(), 10 * (31 + 30));
    // "A further call does nothing."
    pool.close();
    pool.stop(stop_mode::drain);
    pool.stop(stop_mode::discard);
    pool.wait();
    pool.pause();
    pool.resume();
    EXPECT_TRUE(pool.wait_for(std::chrono::seconds(0)));
    try {
        pool.execute([] {});
        ADD_FAILURE() << "a closed pool took it";
    } catch (const task_rejected& error) {
        EXPECT_EQ(error.why(), task_rejected::reason::closed);
        EXPECT_STREQ(error.what(), "the pool 'closing' rejected the task: it is closed");
    }
    EXPECT_THROW(static_cast<void>(pool.submit([] {})), task_rejected);
    EXPECT_FALSE(pool.try_execute([] {}));
    EXPECT_THROW(pool.execute_batch(std::vector<std::function<void()>>(2, [] {})), task_rejected);
    EXPECT_THROW(static_cast<void>(pool.submit_batch(std::vector<std::function<void()>>(2, [] {}))),
                 task_rejected);
    EXPECT_EQ(pool.stats().refused, 7u);
    EXPECT_EQ(pool.stats().run, pool.stats().submitted);
}

// "It resumes a paused pool."
TEST_P(pool_life, close_resumes_a_paused_pool) {
    const library_test::time_limit limit("close of a paused pool to return");
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 2});
    pool.pause();
    for (int i = 0; i < 20; ++i) {
        pool.execute([&] { ++runs; });
    }
    pool.close();
    EXPECT_EQ(runs.load(), 20);
    EXPECT_FALSE(pool.paused());
}

TEST_P(pool_life, several_threads_close_at_once) {
    const library_test::time_limit limit("each close to return");
    for (int round = 0; round < library_test::rounds(100); ++round) {
        std::atomic<int> runs{0};
        auto [pool] = make_pool({.threads = 2});
        for (int i = 0; i < 20; ++i) {
            pool.execute([&] { ++runs; });
        }
        std::vector<std::thread> closers;
        for (int i = 0; i < 3; ++i) {
            closers.emplace_back([&] {
                pool.close();
                EXPECT_EQ(runs.load(), 20); // Each returns after all that was taken.
            });
        }
        for (auto& c : closers) {
            c.join();
        }
    }
}

// "with `stop_mode::discard` it does not run tasks that have not begun"; "their futures are
// cancelled".
TEST_P(pool_life, discard_destroys_what_has_not_begun) {
    std::atomic<int> alive{0};
    std::atomic<int> runs{0};
    std::optional<regatta::future<int>> waits_inside;
    auto [pool] = make_pool({.threads = 1});
    door d;
    pool.execute([&] {
        d.pass();
        ++runs;
        pool.execute([&] { runs += 100; }); // Is taken, and not run.
    });
    d.await_inside(1);
    for (int i = 0; i < 10; ++i) {
        pool.execute(static_cast<regatta::priority>(i % 3),
                     [&runs, c = counted(alive, 100)] { runs += c.value(); });
    }
    auto future = pool.submit([c = counted(alive, 1)] { return c.value(); });
    EXPECT_EQ(alive.load(), 11);
    std::thread stopper([&] { pool.stop(stop_mode::discard); });
    EXPECT_THROW(future.get(), regatta::task_cancelled);
    d.open();
    stopper.join();
    EXPECT_EQ(runs.load(), 1);
    EXPECT_EQ(alive.load(), 0);
    const auto stats = pool.stats();
    EXPECT_EQ(stats.submitted, 13u);
    EXPECT_EQ(stats.run, 1u);
    EXPECT_EQ(stats.cancelled, 12u);
    EXPECT_EQ(stats.queued, 0u);
}

// A task that waits while its pool discards gets what it waits for cancelled.
TEST_P(pool_life, discard_ends_the_waits_of_tasks) {
    const library_test::time_limit limit("the waits of tasks to end");
    auto [pool] = make_pool({.threads = 2});
    std::atomic<bool> waiting{false};
    door d;
    hold_worker(pool, d);
    auto all = pool.submit([&] {
        waiting = true;
        pool.wait();
        return true;
    });
    await([&] { return waiting.load(); });
    std::thread stopper([&] { pool.stop(stop_mode::discard); });
    await([&] { return pool.closed(); });
    d.open();
    stopper.join();
    EXPECT_TRUE(all.get());
}

// The destructor is `close`: in whatever state the pool is.
TEST_P(pool_life, is_destroyed_in_every_state) {
    const library_test::time_limit limit("the destructor to return");
    std::atomic<int> runs{0};
    std::atomic<int> alive{0};
    const auto task = [&] { return [&runs, c = counted(alive, 1)] { runs += c.value(); }; };
    { const auto [idle] = make_pool({.threads = 2}); }
    { make_pool(); }
    {
        auto [paused] = make_pool({.threads = 2});
        paused.pause();
    }
    {
        auto [paused_with_tasks] = make_pool({.threads = 2});
        paused_with_tasks.pause();
        for (int i = 0; i < 10; ++i) {
            paused_with_tasks.execute(task());
        }
    }
    EXPECT_EQ(runs.exchange(0), 10);
    {
        auto [at_work] = make_pool({.threads = 2});
        for (int i = 0; i < 1000; ++i) {
            at_work.execute(task());
        }
    }
    EXPECT_EQ(runs.exchange(0), 1000);
    {
        auto [closed] = make_pool({.threads = 2});
        closed.execute(task());
        closed.close();
    }
    EXPECT_EQ(runs.exchange(0), 1);
    {
        auto [pausing_itself] = make_pool({.threads = 2});
        pausing_itself.execute([&] { pausing_itself.pause(); });
        for (int i = 0; i < 10; ++i) {
            pausing_itself.execute(task());
        }
    }
    EXPECT_EQ(runs.exchange(0), 10);
    EXPECT_EQ(alive.load(), 0);
}

// "ends the threads": also if the last task is destroyed by the thread that stops the pool, after
// the worker has looked and gone back to sleep.
TEST_P(pool_life, discard_wakes_a_worker_that_looked_too_early) {
    const library_test::time_limit limit("a worker that looked too early to be woken");
    struct late_end {
        regatta::thread_pool* pool;
        std::thread::id stopper;

        late_end(regatta::thread_pool& p) noexcept
            : pool(&p)
            , stopper(std::this_thread::get_id()) {}
        late_end(late_end&& other) noexcept
            : pool(std::exchange(other.pool, nullptr))
            , stopper(other.stopper) {}
        ~late_end() {
            if (pool == nullptr || std::this_thread::get_id() != stopper) {
                return;
            }
            const auto before = pool->stats().parked;
            for (int i = 0; i < 2000 && pool->stats().parked == before; ++i) {
                std::this_thread::yield();
            }
        }
        void operator()() const {}
    };
    for (int round = 0; round < library_test::rounds(20); ++round) {
        auto [pool] = make_pool({.threads = 1});
        pool.pause();
        pool.execute(late_end(pool));
        pool.stop(stop_mode::discard);
        EXPECT_EQ(pool.stats().cancelled, 1u);
    }
}

// "It returns at once in what a task runs that `stop_mode::discard` destroys": also where a worker
// destroys the task in its turn.
TEST_P(pool_life, a_task_that_a_worker_discards_may_end_the_pool) {
    const library_test::time_limit limit("a discarded task that ends its pool");
    auto [pool] = make_pool({.threads = 1});
    door d;
    hold_worker(pool, d);
    const auto stopper = std::this_thread::get_id();
    std::atomic<bool> on_worker{false};
    const auto at_end = [&](int*) {
        if (std::this_thread::get_id() == stopper) {
            d.open();
            await([&] { return on_worker.load(); });
            return;
        }
        EXPECT_NO_THROW(pool.close());
        EXPECT_NO_THROW(pool.stop(stop_mode::discard));
        on_worker = true;
    };
    int owned = 0;
    for (int i = 0; i < 2; ++i) {
        pool.execute([end = std::unique_ptr<int, decltype(at_end)>(&owned, at_end)] {});
    }
    pool.stop(stop_mode::discard);
    EXPECT_EQ(pool.stats().cancelled, 2u);
}

// "It may outlive its pool."
TEST_P(pool_life, futures_outlive_the_pool) {
    std::vector<regatta::future<int>> futures;
    {
        auto [pool] = make_pool({.threads = 1});
        for (int i = 0; i < 100; ++i) {
            futures.push_back(pool.submit([i] { return i; }));
        }
    }
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(futures[static_cast<std::size_t>(i)].get(), i);
    }
}

// A task that is done makes its future ready, also while the pool is being destroyed.
TEST_P(pool_life, others_wait_for_futures_while_it_is_destroyed) {
    for (int round = 0; round < library_test::rounds(100); ++round) {
        regatta::future<int> future;
        std::thread waiter;
        {
            auto [pool] = make_pool({.threads = 2});
            future = pool.submit([] { return 5; });
            waiter = std::thread([&] { EXPECT_EQ(future.get(), 5); });
        }
        waiter.join();
    }
}
