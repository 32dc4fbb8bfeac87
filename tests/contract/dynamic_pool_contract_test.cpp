// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of dynamic_pool promises besides what every pool does; each test quotes the
// sentence that it checks.

#include "support/counted.hpp"
#include "support/observed_thread.hpp"
#include "support/pool_cases.hpp"
#include "support/this_thread.hpp"

#include <regatta/cpu/detail/configured_cpus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#if REGATTA_LINUX
#include "thread_count.hpp"
#endif

namespace {

using library_test::await;
using library_test::counted;
using library_test::door;
using library_test::hold_worker;
using regatta::cpu_set;
using regatta::dynamic_pool;

unsigned absent_cpu() {
    return regatta::detail::configured_cpus() + 7;
}
/// The second thread that is pinned to one of these cannot be started.
cpu_set one_cpu_and_an_absent_one() {
    return {*regatta::affinity_of_this_thread().begin(), absent_cpu()};
}

/// Waits until that many tasks run at once.
void run_at_once(dynamic_pool& pool, int count) {
    door d;
    for (int i = 0; i < count; ++i) {
        pool.execute([&] { d.pass(); });
    }
    d.await_inside(count);
    d.open();
    pool.wait();
}

} // namespace

// "Blocks until `running_threads()` is `expected_threads()`": also where a thread that was to leave
// is to stay.
TEST(dynamic_pool, a_wait_for_threads_ends_when_they_are_to_stay) {
    for (const bool resize : {false, true}) {
        const library_test::time_limit limit("threads that stay");
        dynamic_pool pool({.threads = 1});
        door d;
        hold_worker(pool, d);
        pool.remove_threads(1); // When its task has ended.
        library_test::observed_thread seen;
        std::thread waiter([&] {
            seen.announce();
            pool.wait_for_threads();
        });
        seen.await_rest([] {});
        resize ? pool.resize(1) : pool.add_threads(1);
        waiter.join();
        d.open();
    }
}

// "A thread pool to and from which threads are added and taken while it works."
TEST(dynamic_pool, adds_and_removes_threads) {
    dynamic_pool pool({.threads = 1});
    EXPECT_EQ(pool.running_threads(), 1u);
    EXPECT_EQ(pool.expected_threads(), 1u);
    pool.add_threads(3);
    EXPECT_EQ(pool.running_threads(), 4u);
    EXPECT_EQ(pool.threads(), 4u);
    run_at_once(pool, 4);
    pool.remove_threads(2);
    EXPECT_EQ(pool.expected_threads(), 2u);
    pool.wait_for_threads();
    EXPECT_EQ(pool.running_threads(), 2u);
    run_at_once(pool, 2);
    pool.resize(5);
    EXPECT_EQ(pool.running_threads(), 5u);
    run_at_once(pool, 5);
    pool.resize(5);
    pool.resize(1);
    pool.wait_for_threads();
    EXPECT_EQ(pool.running_threads(), 1u);
    pool.add_threads(0);
    pool.remove_threads(0);
    EXPECT_EQ(pool.expected_threads(), 1u);
    run_at_once(pool, 1);
    EXPECT_EQ(pool.stats().workers.size(), 1u);
    EXPECT_EQ(pool.stats().run, 12u);
}

// "A worker that is to leave does so after the task that it runs".
TEST(dynamic_pool, a_worker_leaves_after_its_task) {
    dynamic_pool pool({.threads = 2});
    door d;
    hold_worker(pool, d);
    hold_worker(pool, d, 1);
    pool.remove_threads(1);
    EXPECT_EQ(pool.expected_threads(), 1u);
    EXPECT_EQ(pool.running_threads(), 2u);
    // One that has not yet left stays instead.
    pool.add_threads(1);
    EXPECT_EQ(pool.expected_threads(), 2u);
    EXPECT_EQ(pool.running_threads(), 2u);
    pool.remove_threads(2);
    d.open();
    pool.wait();
    pool.wait_for_threads();
    EXPECT_EQ(pool.running_threads(), 0u);
    EXPECT_EQ(pool.stats().run, 2u);
}

// "Makes `count` threads leave, or all if there are fewer."
TEST(dynamic_pool, removes_no_more_than_there_are) {
    dynamic_pool pool({.threads = 3});
    pool.remove_threads(100);
    EXPECT_EQ(pool.expected_threads(), 0u);
    pool.wait_for_threads();
    EXPECT_EQ(pool.running_threads(), 0u);
    pool.remove_threads(1);
    pool.add_threads(2);
    EXPECT_EQ(pool.expected_threads(), 2u);
    run_at_once(pool, 2);
}

// "Without workers tasks stay queued, and `close` still runs them."
TEST(dynamic_pool, without_threads_tasks_wait) {
    std::atomic<int> runs{0};
    {
        dynamic_pool pool({.threads = 1});
        pool.resize(0);
        pool.wait_for_threads();
        for (int i = 0; i < 100; ++i) {
            pool.execute([&] { ++runs; });
        }
        EXPECT_FALSE(pool.wait_for(std::chrono::milliseconds(1)));
        EXPECT_EQ(pool.queued(), 100u);
        pool.pause(); // Nothing runs: it returns at once.
        pool.resume();
        pool.add_threads(1);
        pool.wait();
        EXPECT_EQ(runs.load(), 100);
        pool.resize(0);
        pool.wait_for_threads();
        pool.execute([&] {
            ++runs;
            pool.execute([&] { ++runs; });
        });
    }
    EXPECT_EQ(runs.load(), 102);
    dynamic_pool pool({.threads = 1});
    pool.resize(0);
    pool.wait_for_threads();
    auto future = pool.submit([] {});
    pool.stop(regatta::stop_mode::discard);
    EXPECT_THROW(future.get(), regatta::task_cancelled);
}

// "Makes `count` threads leave": also those of a paused pool, which have no task to end.
TEST(dynamic_pool, threads_of_a_paused_one_leave) {
    const library_test::time_limit limit("threads of a paused pool that leave");
    dynamic_pool pool({.threads = 2});
    const auto await_more_sleep = [&](const auto& before) {
        await([&] {
            const auto now = pool.stats().workers;
            return now[0].parked > before[0].parked && now[1].parked > before[1].parked;
        });
    };
    await_more_sleep(std::vector<regatta::pool_stats::worker>(2));
    const auto before = pool.stats().workers;
    pool.pause();
    await_more_sleep(before); // Until the pool goes on.
    const auto parked = pool.stats().parked;
    pool.remove_threads(1);
    pool.wait_for_threads();
    EXPECT_EQ(pool.running_threads(), 1u);
    EXPECT_GE(pool.stats().parked, parked); // "The sum over all workers, past ones included."
    EXPECT_EQ(pool.stats().workers.size(), 1u);
}

#if REGATTA_LINUX
// "and is cleared away without anybody's doing".
TEST(dynamic_pool, threads_that_left_are_gone) {
    const auto before = library_test::threads_at_rest();
    {
        dynamic_pool pool({.threads = 1});
        for (int i = 0; i < 20; ++i) {
            pool.add_threads(4);
            run_at_once(pool, 5);
            pool.remove_threads(4);
            pool.wait_for_threads();
        }
        await([&] { return library_test::threads_of_program() == before + 1; });
        EXPECT_EQ(pool.running_threads(), 1u);
    }
    await([&] { return library_test::threads_of_program() == before; });
}
#endif

// "Throws `std::system_error` … in a task of the pool".
TEST(dynamic_pool, a_task_cannot_wait_for_threads) {
    dynamic_pool pool({.threads = 1});
    EXPECT_TRUE(
        pool.submit([&] { return library_test::would_deadlock([&] { pool.wait_for_threads(); }); })
            .get());
}

// "including tasks of the pool": they may change the number of threads.
TEST(dynamic_pool, tasks_change_the_number_of_threads) {
    dynamic_pool pool({.threads = 1});
    std::atomic<int> runs{0};
    for (int i = 0; i < 50; ++i) {
        pool.execute([&] {
            pool.add_threads(2);
            ++runs;
            pool.remove_threads(2);
            pool.resize(2);
        });
    }
    pool.wait();
    EXPECT_EQ(runs.load(), 50);
    EXPECT_EQ(pool.expected_threads(), 2u);
    EXPECT_GE(pool.running_threads(), 2u);
}

// "`std::logic_error` if the pool is closed"; what cannot be meant any more does nothing.
TEST(dynamic_pool, a_closed_one_gets_no_threads) {
    dynamic_pool pool({.threads = 2});
    pool.close();
    EXPECT_THROW(pool.add_threads(1), std::logic_error);
    EXPECT_THROW(pool.resize(10), std::logic_error);
    pool.remove_threads(1);
    pool.wait_for_threads();
    pool.resize(0);
    pool.wait_for_threads();
    pool.close();
}

// Threads are removed while it closes, from outside and by its tasks.
TEST(dynamic_pool, removes_threads_while_it_closes) {
    for (int round = 0; round < library_test::rounds(200); ++round) {
        std::atomic<int> runs{0};
        dynamic_pool pool({.threads = 3});
        std::atomic<bool> done{false};
        std::thread remover([&] {
            while (!done.load()) {
                pool.remove_threads(1);
                std::this_thread::yield();
            }
        });
        for (int i = 0; i < 50; ++i) {
            pool.execute([&] {
                ++runs;
                pool.remove_threads(1);
            });
        }
        pool.close();
        ASSERT_EQ(runs.load(), 50);
        done = true;
        remover.join();
    }
}

// "Adds `count` threads, or none if it throws": the third cannot be pinned.
TEST(dynamic_pool, adds_all_or_none) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    dynamic_pool pool({.threads = 1, .name = "grow", .pin = one_cpu_and_an_absent_one()});
    for (int i = 0; i < 10; ++i) {
        try {
            pool.add_threads(2);
            ADD_FAILURE() << "pinned to CPU " << absent_cpu();
        } catch (const std::system_error& error) {
            EXPECT_NE(std::string(error.what()).find(std::to_string(absent_cpu())),
                      std::string::npos)
                << error.what();
        }
        EXPECT_EQ(pool.expected_threads(), 1u);
    }
    pool.wait_for_threads();
    EXPECT_EQ(pool.running_threads(), 1u);
    run_at_once(pool, 1);
    // Those that were to leave and would have stayed leave as well.
    door d;
    hold_worker(pool, d);
    pool.remove_threads(1);
    EXPECT_THROW(pool.add_threads(2), std::system_error);
    EXPECT_EQ(pool.expected_threads(), 0u);
    d.open();
    pool.wait_for_threads();
    EXPECT_EQ(pool.running_threads(), 0u);
}

// "if the pool has tasks but no thread, and none can be started: the tasks stay", "The destructor
// then destroys them and tells `on_error`".
TEST(dynamic_pool, close_throws_where_no_thread_can_be_started_for_the_tasks) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    std::atomic<unsigned> told{0};
    std::atomic<unsigned> ran{0};
    {
        dynamic_pool pool({.threads = 1,
                           .pin = one_cpu_and_an_absent_one(),
                           .on_error = [&](const std::exception_ptr&) { ++told; }});
        pool.resize(0);
        pool.wait_for_threads();
        pool.execute([&] { ++ran; });
        EXPECT_THROW(pool.close(), std::system_error);
        EXPECT_TRUE(pool.closed());
        EXPECT_EQ(pool.queued(), 1u);
        EXPECT_THROW(pool.close(), std::system_error);
        EXPECT_EQ(told, 0u);
    }
    EXPECT_EQ(told, 1u);
    EXPECT_EQ(ran, 0u);
}

// "tasks taken since the pool was made or the meter was last reset", "The same per second."
TEST(dynamic_pool, meters_its_throughput) {
    dynamic_pool pool({.threads = 2});
    EXPECT_EQ(pool.tasks_taken(), 0u);
    for (int i = 0; i < 100; ++i) {
        pool.execute([] {});
    }
    pool.wait();
    EXPECT_EQ(pool.tasks_taken(), 100u);
    EXPECT_GT(pool.tasks_per_second(), 0.0);
    pool.reset_tasks_taken();
    EXPECT_EQ(pool.tasks_taken(), 0u);
    pool.resize(0);
    pool.wait_for_threads(); // What they did still counts.
    EXPECT_EQ(pool.tasks_taken(), 0u);
    pool.add_threads(1);
    pool.submit([] {}).get();
    pool.wait();
    EXPECT_EQ(pool.tasks_taken(), 1u);
    EXPECT_EQ(pool.stats().run, 101u);
}

// "The same per second": since the last reset, too.
TEST(dynamic_pool, meters_its_throughput_since_the_last_reset) {
    using clock = std::chrono::steady_clock;
    dynamic_pool pool({.threads = 1});
    const auto made = clock::now();
    while (clock::now() - made < std::chrono::milliseconds(20)) {
    }
    const auto before = clock::now();
    pool.reset_tasks_taken();
    pool.submit([] {}).get();
    const double rate = pool.tasks_per_second();
    const std::chrono::duration<double> longest = clock::now() - before;
    EXPECT_GE(rate, 1 / longest.count());
}

// Hooks of a thread that leaves are called, with its number; a number does not come again.
TEST(dynamic_pool, calls_the_hooks_of_those_that_come_and_go) {
    std::mutex guard;
    std::multiset<unsigned> started;
    std::multiset<unsigned> stopped;
    {
        dynamic_pool pool({.threads = 2,
                           .on_start =
                               [&](unsigned i) {
                                   const std::lock_guard lock(guard);
                                   started.insert(i);
                               },
                           .on_stop =
                               [&](unsigned i) {
                                   const std::lock_guard lock(guard);
                                   stopped.insert(i);
                               }});
        pool.resize(0);
        pool.wait_for_threads();
        {
            const std::lock_guard lock(guard);
            EXPECT_EQ(stopped, (std::multiset<unsigned>{0, 1}));
        }
        pool.add_threads(1);
    }
    EXPECT_EQ(started, (std::multiset<unsigned>{0, 1, 2}));
    EXPECT_EQ(stopped, started);
}

// "They may submit tasks": also the hook of a thread that leaves, and of the last one.
TEST(dynamic_pool, a_worker_that_leaves_may_submit_in_its_hook) {
    std::atomic<int> runs{0};
    std::atomic<dynamic_pool*> here{nullptr};
    {
        dynamic_pool pool({.threads = 2, .on_stop = [&](unsigned) {
                               await([&] { return here.load() != nullptr; });
                               for (int i = 0; i < 10; ++i) {
                                   here.load()->execute([&] { ++runs; });
                               }
                           }});
        here = &pool;
        pool.remove_threads(1);
        pool.wait_for_threads();
        pool.wait();
        EXPECT_EQ(runs.load(), 10);
        EXPECT_EQ(pool.stats().run, 10u);
        pool.remove_threads(1);
        pool.wait_for_threads();
        EXPECT_EQ(pool.queued(), 10u);
        EXPECT_EQ(pool.stats().run, 10u);
    } // Another thread is needed, and has its own hook.
    EXPECT_EQ(runs.load(), 30);
}

// "Their futures are cancelled": also those that the destructor of a discarded task waits for,
// where there is no thread but the one that discards, of another pool perhaps.
TEST(dynamic_pool, discards_tasks_that_wait_for_each_other_when_they_are_destroyed) {
    const library_test::time_limit limit("a discarded task that waits for another one");
    struct last_wait {
        explicit last_wait(const std::shared_ptr<regatta::future<void>>& f) : awaited(f) {}
        last_wait(last_wait&&) noexcept = default;
        ~last_wait() {
            if (awaited != nullptr) {
                EXPECT_THROW(awaited->get(), regatta::task_cancelled);
            }
        }
        void operator()() const { ADD_FAILURE() << "it was run"; }
        std::shared_ptr<regatta::future<void>> awaited;
    };
    const auto discard = [] {
        dynamic_pool pool(1);
        pool.resize(0);
        pool.wait_for_threads();
        const auto task = std::make_shared<regatta::future<void>>();
        const auto continuation = std::make_shared<regatta::future<void>>();
        pool.execute(last_wait(task));
        pool.execute(last_wait(continuation));
        *task = pool.submit([] { ADD_FAILURE() << "it was run"; });
        *continuation = pool.submit([] {}).then([] {}).then(pool, [] { ADD_FAILURE(); });
        pool.stop(regatta::stop_mode::discard);
        EXPECT_FALSE(task->valid() || continuation->valid());
        EXPECT_EQ(pool.stats().cancelled, 4u);
    };
    discard();
    dynamic_pool other(1);
    other.submit(discard).get();
    // A continuation of another pool's task.
    dynamic_pool pool(1);
    pool.resize(0);
    pool.wait_for_threads();
    const auto continuation = std::make_shared<regatta::future<void>>();
    pool.execute(last_wait(continuation));
    *continuation = other.submit([] {}).then(pool, [] { ADD_FAILURE(); });
    other.wait();
    pool.stop(regatta::stop_mode::discard);
    EXPECT_FALSE(continuation->valid());
}

// "They are destroyed unrun": also one that was on its way into the pool when its last thread left.
TEST(dynamic_pool, discards_what_comes_in_while_its_last_thread_leaves) {
    using library_test::slow_message;
    struct slow_task {
        slow_message way;
        counted c;
        slow_task(slow_message::door& d, std::atomic<int>& alive) noexcept : way(d), c(alive, 0) {}
        void operator()() const {}
    };
    const library_test::time_limit limit("stop to return");
    std::atomic<int> alive{0};
    slow_message::door way_in;
    door way_out;
    dynamic_pool pool({.threads = 1, .on_stop = [&](unsigned) { way_out.pass(); }});
    pool.remove_threads(1);
    way_out.await_inside(1);
    std::thread submits([&] {
        std::vector<slow_task> one;
        one.reserve(1);
        one.emplace_back(way_in, alive);
        pool.execute_batch(std::move(one)); // The first move is that into the queue.
    });
    await([&] { return way_in.reached.load(); });
    library_test::observed_thread stopping;
    std::thread stops([&] {
        stopping.announce();
        pool.stop(regatta::stop_mode::discard);
    });
    await([&] { return pool.closed(); });
    stopping.await_sleep();
    way_out.open();
    await([&] { return pool.running_threads() == 0; });
    way_in.open = true;
    submits.join();
    stops.join();
    EXPECT_EQ(alive.load(), 0);
    EXPECT_EQ(pool.queued(), 0u);
    EXPECT_EQ(pool.stats().submitted, 1u);
    EXPECT_EQ(pool.stats().cancelled, 1u);
}

// A task that is run while the pool is destroyed may still use it.
TEST(dynamic_pool, its_last_tasks_may_use_all_of_it) {
    std::atomic<int> runs{0};
    {
        dynamic_pool pool({.threads = 1});
        for (int i = 0; i < 100; ++i) {
            pool.execute([&] {
                runs += pool.tasks_taken() > 0 ? 1 : 0;
                pool.reset_tasks_taken();
                runs += pool.tasks_per_second() >= 0 ? 0 : 1;
            });
        }
    }
    EXPECT_EQ(runs.load(), 100);
}
