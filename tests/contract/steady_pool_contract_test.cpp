// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of steady_pool promises besides what every pool does; each test quotes the
// sentence that it checks.

#include "support/pool_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

using library_test::await;
using library_test::door;
using library_test::hold_worker;
using regatta::steady_pool;

// "Tasks from outside go into one worker's queue, some in a row, then into the shorter of two
// others".
TEST(steady_pool, spreads_tasks_over_its_workers) {
    steady_pool pool({.threads = 4, .steal = false});
    std::vector<std::atomic<int>> runs(4);
    pool.pause();
    for (int i = 0; i < 4096; ++i) {
        pool.execute([&] { ++runs[regatta::detail::worker_context::current()->index]; });
    }
    pool.resume();
    pool.wait();
    for (const auto& r : runs) {
        EXPECT_GE(r.load(), 512);
        EXPECT_LE(r.load(), 1536);
    }
    EXPECT_EQ(pool.stats().stolen, 0u);
}

// "Without stealing a task waits for the worker in whose queue it is, however long that worker is
// busy."
TEST(steady_pool, without_stealing_a_task_waits_for_its_worker) {
    std::atomic<int> runs{0};
    steady_pool pool({.threads = 2, .steal = false});
    door d;
    hold_worker(pool, d);
    for (int i = 0; i < 1000; ++i) {
        pool.execute([&] { ++runs; });
    }
    await([&] {
        return pool.queued() + static_cast<std::size_t>(runs.load()) == 1000 && runs.load() != 0;
    });
    await([&] { // The other worker has done all of its own.
        const auto workers = pool.stats().workers;
        return workers[0].run + workers[1].run + pool.queued() == 1000;
    });
    EXPECT_LT(runs.load(), 1000);
    EXPECT_GT(pool.queued(), 0u);
    EXPECT_EQ(pool.stats().stolen, 0u);
    // "Lets idle workers steal from the others' queues": from now on.
    pool.enable_stealing();
    await([&] { return runs.load() == 1000; });
    EXPECT_GT(pool.stats().stolen, 0u);
    d.open();
    pool.wait();
}

// … and the others sleep on: "A submission wakes that worker alone."
TEST(steady_pool, without_stealing_a_submission_wakes_its_worker_alone) {
    if (REGATTA_WINDOWS) {
        GTEST_SKIP() << "Windows wakes any thread that waits at an address, not a chosen one";
    }
    constexpr unsigned workers = 8;
    constexpr std::uint64_t tasks = 200;
    std::atomic<std::uint64_t> runs{0};
    steady_pool pool({.threads = workers, .steal = false});
    await([&] { // Each has gone to sleep once.
        const auto all = pool.stats().workers;
        return all.size() == workers &&
               std::all_of(all.begin(), all.end(), [](const auto& one) { return one.parked != 0; });
    });
    const std::uint64_t before = pool.stats().parked;
    for (std::uint64_t i = 1; i <= tasks; ++i) {
        pool.execute([&] { ++runs; });
        await([&] { return runs.load() == i && pool.stats().parked >= before + i; });
    }
    // One sleep a task; two if the worker of the task before was just about to sleep.
    EXPECT_LE(pool.stats().parked - before, 2 * tasks);
}

// … and not any more.
TEST(steady_pool, stealing_is_switched_at_run_time) {
    std::atomic<int> runs{0};
    steady_pool pool({.threads = 2});
    for (int round = 0; round < 50; ++round) {
        round % 2 == 0 ? pool.disable_stealing() : pool.enable_stealing();
        for (int i = 0; i < 200; ++i) {
            pool.execute([&] { ++runs; });
        }
    }
    pool.disable_stealing();
    pool.wait();
    EXPECT_EQ(runs.load(), 10000);
    // A worker that was allowed to steal may still be looking. On return of pause() none is: it
    // could take a task then.
    pool.pause();
    pool.resume();
    const auto stolen = pool.stats().stolen;
    for (int i = 0; i < 1000; ++i) {
        pool.execute([&] { ++runs; });
    }
    pool.wait();
    EXPECT_EQ(pool.stats().stolen, stolen);
}

// "Otherwise worker i steals only from the next `neighbours` workers": the tasks of a worker that
// is busy are run by the worker before it, which sleeps in some of the rounds, and by no other.
TEST(steady_pool, limited_stealing_is_for_the_worker_before) {
    constexpr unsigned workers = 4;
    constexpr int tasks = 10;
    steady_pool pool(workers);
    pool.enable_stealing(1);
    await([&] { // Each has gone to sleep once.
        const auto all = pool.stats().workers;
        return all.size() == workers &&
               std::all_of(all.begin(), all.end(), [](const auto& one) { return one.parked != 0; });
    });
    std::atomic<int> strangers{0};
    for (int round = 0; round < 500; ++round) {
        pool.execute([&] {
            const unsigned mine = regatta::detail::worker_context::current()->index;
            std::atomic<int> runs{0};
            for (int i = 0; i < tasks; ++i) {
                pool.execute([&, mine] {
                    const unsigned thief = regatta::detail::worker_context::current()->index;
                    strangers += (thief + 1) % workers == mine ? 0 : 1;
                    ++runs;
                });
            }
            await([&] { return runs.load() == tasks; });
        });
        pool.wait();
    }
    EXPECT_EQ(strangers.load(), 0);
    EXPECT_GE(pool.stats().stolen, 500u * tasks);
}

// "What was stolen before stealing was limited, any worker runs."
TEST(steady_pool, a_thief_keeps_nothing_to_itself_when_stealing_ends) {
    steady_pool pool(2);
    std::atomic<int> runs{0};
    std::atomic<bool> over{false};
    pool.execute([&] {
        pool.execute([&] { ++runs; });
        pool.execute([&] { // The other worker took the next one with it.
            pool.disable_stealing();
            over = true;
            await([&] { return runs.load() == 3; });
        });
        for (int i = 0; i < 2; ++i) {
            pool.execute([&] { ++runs; });
        }
        await([&] { return over.load(); });
    });
    pool.wait();
    EXPECT_EQ(runs.load(), 3);
}

// "So does a task that waits for room": it takes no other tasks along that their worker could run.
TEST(steady_pool, a_wait_for_room_holds_up_no_task_of_another_worker) {
    steady_pool pool({.threads = 2, .capacity = 4, .steal = false});
    std::atomic<int> runs{0};
    std::atomic<int> step{0};
    std::atomic<bool> held{false};
    for (int i = 0; i < 31; ++i) { // The next task from outside is the last of its row.
        pool.execute([] {});
        pool.wait();
    }
    pool.execute([&] {
        await([&] { return step.load() == 1; });
        pool.execute([&] {
            step = 2;
            await([&] { return step.load() == 3; });
            pool.execute([] {}); // The pool is full.
            step = 4;
            await([&] { return runs.load() == 5; });
        });
    });
    pool.execute([&] {
        held = true;
        await([&] { return step.load() == 4; });
    });
    await([&] { return held.load(); });
    for (int i = 0; i < 4; ++i) {
        pool.execute([&] { ++runs; });
    }
    step = 1;
    await([&] { return step.load() == 2; });
    pool.execute([&] { ++runs; });
    step = 3;
    pool.wait();
    EXPECT_EQ(runs.load(), 5);
}

// "`neighbours` 0: from all."
TEST(steady_pool, a_limit_of_all_others_is_none) {
    for (const unsigned neighbours : {0u, 2u, 7u}) {
        steady_pool pool({.threads = 3, .steal = false});
        pool.enable_stealing(neighbours);
        std::atomic<int> inside{0};
        pool.execute([&] {
            for (int i = 0; i < 2; ++i) {
                pool.execute([&] { // Both at once: on each of the other workers.
                    ++inside;
                    await([&] { return inside.load() == 2; });
                });
            }
            await([&] { return inside.load() == 2; });
        });
        pool.wait();
        EXPECT_GE(pool.stats().stolen, 2u) << neighbours;
    }
}

// "Tasks that a worker submits go into its own queue": they stay there without stealing.
TEST(steady_pool, a_worker_keeps_what_it_submits) {
    steady_pool pool({.threads = 3, .steal = false});
    std::atomic<int> elsewhere{0};
    for (int i = 0; i < 30; ++i) {
        pool.execute([&] {
            const unsigned mine = regatta::detail::worker_context::current()->index;
            for (int k = 0; k < 10; ++k) {
                pool.execute([&, mine] {
                    elsewhere += regatta::detail::worker_context::current()->index == mine ? 0 : 1;
                });
            }
        });
    }
    pool.wait();
    EXPECT_EQ(elsewhere.load(), 0);
}
