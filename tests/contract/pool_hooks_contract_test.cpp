// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What workers may do in `on_start` and `on_stop`, while the others go on.

#include "support/pool_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace {

using library_test::await;
using library_test::door;
using regatta::dynamic_pool;

class pool_hooks : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_hooks, library_test::every_pool(), library_test::pool_name);

class bounded_pool_hooks : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, bounded_pool_hooks, library_test::bounded_pools(),
                         library_test::pool_name);

} // namespace

// All workers of a closed pool get to their hooks: the one who finds the end first tells the others
// before it calls its own.
TEST_P(pool_hooks, wait_for_each_other_at_the_end) {
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> there{0};
        door d;
        auto [pool] = make_pool({.threads = 3, .on_stop = [&](unsigned) {
                                     ++there;
                                     await([&] { return there.load() == 3; });
                                 }});
        // The others go to sleep again while this one works.
        pool.execute([&] { d.pass(); });
        d.await_inside(1);
        const std::jthread closer([&] { pool.close(); });
        await([&] { return pool.closed(); });
        d.open();
    }
}

// "`close` waits for them, `wait` does not. The same holds for a task that a hook runs itself
// because it waits for its future."
TEST_P(pool_hooks, have_what_they_run_for_themselves) {
    std::atomic<regatta::thread_pool*> made{nullptr};
    std::atomic<bool> ended{false};
    door d;
    auto [pool] = make_pool({.threads = 2, .on_start = [&](unsigned worker) {
                                 if (worker == 0) {
                                     await([&] { return made.load() != nullptr; });
                                     const auto future = made.load()->submit([&] {
                                         d.pass();
                                         ended = true;
                                     });
                                     future.wait();
                                 }
                             }});
    door other; // Keeps the other worker from the task until the hook has begun it.
    library_test::hold_worker(pool, other);
    made = &pool;
    d.await_inside(1);
    other.open();
    pool.wait();
    EXPECT_FALSE(ended.load());
    std::thread closer([&] { pool.close(); });
    await([&] { return pool.closed(); });
    d.open();
    closer.join();
    EXPECT_TRUE(ended.load());
}

// "A worker that is to leave does so after the task that it runs": it does not count as one who
// looks for tasks any more while its hook runs.
TEST(dynamic_pool_hooks, a_leaver_waits_for_a_task_in_its_hook) {
    for (int round = 0; round < 50; ++round) {
        door leaving;
        std::atomic<bool> holds{true};
        dynamic_pool pool({.threads = 2, .on_stop = [&](unsigned) {
                               if (holds.exchange(false)) {
                                   leaving.pass();
                               }
                           }});
        const auto all_parked = [&](std::uint64_t times) {
            const auto workers = pool.stats().workers;
            return std::all_of(workers.begin(), workers.end(),
                               [&](const auto& w) { return w.parked >= times; });
        };
        await([&] { return all_parked(1); });
        pool.remove_threads(1);
        leaving.await_inside(1);
        await([&] { return all_parked(2); }); // The one who stays has looked and sleeps again.
        pool.execute([&] { leaving.open(); });
        pool.wait();
        pool.wait_for_threads();
    }
}

// "Those that run others on the same worker while they wait for room" count as done if they are
// tasks; a hook that does so is none.
TEST_P(bounded_pool_hooks, run_tasks_that_wait_for_all_others) {
    std::atomic<regatta::thread_pool*> made{nullptr};
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 1, .capacity = 1, .on_start = [&](unsigned) {
                                 await([&] { return made.load() != nullptr; });
                                 regatta::thread_pool& mine = *made.load();
                                 for (int i = 0; i < 4; ++i) {
                                     mine.execute([&] {
                                         mine.wait();
                                         ++runs;
                                     });
                                 }
                             }});
    made = &pool;
    await([&] { return runs.load() == 4; });
    pool.wait();
    EXPECT_EQ(pool.stats().run, 4u);
}

// `pause`: "Returns once no task runs", also none that a hook runs while it waits for room.
TEST_P(bounded_pool_hooks, run_tasks_that_pause_waits_for) {
    std::atomic<regatta::thread_pool*> made{nullptr};
    std::atomic<bool> ended{false};
    door d;
    auto [pool] = make_pool({.threads = 1, .capacity = 1, .on_start = [&](unsigned) {
                                 await([&] { return made.load() != nullptr; });
                                 made.load()->execute([&] {
                                     d.pass();
                                     ended = true;
                                 });
                                 made.load()->execute([] {});
                             }});
    made = &pool;
    d.await_inside(1);
    std::atomic<bool> returned{false};
    std::thread pausing([&] {
        pool.pause();
        EXPECT_TRUE(ended.load());
        returned = true;
    });
    await([&] { return pool.paused(); });
    // Long enough for a `pause` that does not wait.
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (!returned && std::chrono::steady_clock::now() < until) {
        std::this_thread::yield();
    }
    d.open();
    pausing.join();
    pool.resume();
    pool.wait();
}
