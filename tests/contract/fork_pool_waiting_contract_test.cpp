// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Forks that wait for the pool: which tasks count as done then, whichever thread runs the fork.

#include "support/door.hpp"
#include "support/eventually.hpp"
#include "support/pool_cases.hpp"

#include <regatta/fork.hpp>
#include <regatta/pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

using library_test::door;
using library_test::eventually;
using library_test::time_limit;
using library_test::would_deadlock;

class fork_pool_waiting : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, fork_pool_waiting, library_test::every_pool(), library_test::pool_name);
class fork_bounded_pool_waiting : public fork_pool_waiting {};
INSTANTIATE_TEST_SUITE_P(, fork_bounded_pool_waiting, library_test::bounded_pools(),
                         library_test::pool_name);

int fork_tree(int depth) {
    if (depth == 0) {
        return 1;
    }
    const auto [a, b] = regatta::join([depth] { return fork_tree(depth - 1); },
                                      [depth] { return fork_tree(depth - 1); });
    return a + b;
}

/// Calls `f` in a fork on another worker, while the caller waits for it.
template<class F>
void on_another_worker(F&& f) {
    std::atomic<bool> begun{false};
    regatta::join(
        [&] {
            eventually("another worker", [&] {
                regatta::poll();
                return begun.load();
            });
        },
        [&] {
            begun = true;
            f();
        });
}

} // namespace

// "Other tasks that wait like it count as done": also the halves of a task, whichever thread runs
// them, and a region from outside.
TEST_P(fork_pool_waiting, forks_wait_for_the_pool) {
    const time_limit limit("the pool, in forks of its tasks");
    for (unsigned threads = 1; threads <= 3; ++threads) {
        auto [pool] = make_pool({.threads = threads});
        std::atomic<int> ran{0};
        const auto half = [&] {
            fork_tree(8);
            pool.execute([&] {
                fork_tree(4);
                ++ran;
            });
            pool.wait();
        };
        for (int i = 0; i < 50; ++i) {
            std::vector<regatta::future<void>> tasks;
            for (int t = 0; t < 3; ++t) {
                tasks.push_back(pool.submit([&] { regatta::join(half, half); }));
            }
            regatta::join(pool, half, half);
            for (auto& t : tasks) {
                t.get();
            }
            pool.wait();
        }
        EXPECT_EQ(ran, 50 * 8);
    }
}

// "A task that it waits for runs on its worker": in a fork, too. It waits as a part of that task.
TEST_P(fork_pool_waiting, tasks_that_forks_get_wait_for_the_pool) {
    const time_limit limit("the pool, in tasks that forks wait for");
    auto [pool] = make_pool({.threads = 2});
    for (int i = 0; i < 200; ++i) {
        std::atomic<bool> begun{false};
        const auto poll_until_begun = [&] {
            eventually("the other half", [&] {
                regatta::poll();
                return begun.load();
            });
        };
        // If another worker takes the task, who waits for it learns that this would not end.
        regatta::join(pool, poll_until_begun, [&] {
            begun = true;
            static_cast<void>(would_deadlock([&] { pool.submit([&] { pool.wait(); }).get(); }));
        });
        begun = false;
        const auto get = [&] {
            poll_until_begun();
            const auto wait = [&] { regatta::join([&] { pool.wait(); }, [] { fork_tree(3); }); };
            static_cast<void>(would_deadlock([&] { pool.submit(wait).get(); }));
        };
        const auto wait = [&] {
            begun = true;
            static_cast<void>(would_deadlock([&] { pool.wait(); }));
        };
        pool.submit([&] { regatta::join(get, wait); }).get();
        pool.wait();
    }
}

// A region within a region of another pool is part of the task, or of the thread from outside, that
// waits in it.
TEST_P(fork_pool_waiting, forks_wait_for_the_pool_through_another_one) {
    const time_limit limit("the pool, in a region within one of another pool");
    auto [a] = make_pool({.threads = 2});
    auto [b] = make_pool({.threads = 1});
    const auto nested = [&] {
        regatta::join(
            b,
            [&] {
                regatta::join(
                    a, [&] { a.wait(); }, [] { fork_tree(3); });
            },
            [] {});
    };
    for (int i = 0; i < 200; ++i) {
        regatta::join(a, nested, [] { fork_tree(4); });
        a.submit([&] { regatta::join(nested, [] { fork_tree(4); }); }).get();
        a.wait();
    }
}

// The same on workers of the other pool.
TEST_P(fork_pool_waiting, forks_of_a_region_wait_for_the_pool_of_the_one_around_it) {
    const time_limit limit("the pool of the region around it");
    auto [a] = make_pool({.threads = 2});
    auto [b] = make_pool({.threads = 2});
    const auto nested = [&, &b = b](auto&& wait) {
        std::atomic<bool> begun{false};
        regatta::join(
            b,
            [&] {
                eventually("a worker of the other pool", [&] {
                    regatta::poll();
                    return begun.load();
                });
            },
            [&] {
                begun = true;
                wait();
            });
    };
    const auto wait = [&] { a.wait(); };
    const auto wait_in_region = [&] { regatta::join(a, wait, [] { fork_tree(3); }); };
    for (int i = 0; i < 50; ++i) {
        regatta::join(
            a, [&] { nested(wait); }, [] { fork_tree(4); });
        regatta::join(
            a, [&] { nested(wait_in_region); }, [] { fork_tree(4); });
        a.submit([&] { regatta::join([&] { nested(wait); }, [] { fork_tree(4); }); }).get();
        a.wait();
    }
}

// "So do tasks that run others on the same worker while they wait for room": whichever worker runs
// a fork of the other.
TEST_P(fork_bounded_pool_waiting, tasks_beneath_the_task_that_waits_for_room_count_as_done) {
    const time_limit limit("the pool, in a fork of a task on top of one that waits for room");
    for (int i = 0; i < 50; ++i) {
        auto [pool] =
            make_pool({.threads = 2, .capacity = 1, .when_full = regatta::overflow::block});
        for (const bool in_region : {false, true}) {
            door other;
            pool.execute([&] { other.pass(); }); // Leaves one worker for the next two tasks.
            other.await_inside(1);
            const auto beneath = [&] {
                pool.execute([&] {
                    other.open();
                    on_another_worker([&] { pool.wait(); });
                });
                pool.execute([] {}); // There is no room: the worker runs the task before.
            };
            auto task = pool.submit([&] {
                if (in_region) {
                    regatta::join(beneath, [] {});
                } else {
                    beneath();
                }
            });
            task.get();
            pool.wait();
        }
    }
}

// A region on one pool beneath a wait for room of another; the task on top waits for the first.
TEST_P(fork_bounded_pool_waiting, a_region_beneath_the_task_that_waits_counts_as_done) {
    const time_limit limit("a pool with a region beneath the task that waits");
    auto [a] = make_pool({.threads = 1, .capacity = 1, .when_full = regatta::overflow::block});
    auto [b] = make_pool({.threads = 1});
    for (int i = 0; i < 50; ++i) {
        a.submit([&] {
             regatta::join(
                 b,
                 [&] {
                     a.execute([&] { b.wait(); });
                     a.execute([] {});
                 },
                 [] {});
         }).get();
        a.wait();
    }
}

// "`resource_deadlock_would_occur`": also in a fork of a hook on another worker.
TEST_P(fork_pool_waiting, forks_of_hooks_are_refused) {
    const time_limit limit("the pool, in forks of hooks");
    for (int i = 0; i < 50; ++i) {
        regatta::thread_pool* mine = nullptr;
        std::atomic<int> refused{0};
        {
            auto [pool] = make_pool({.threads = 2, .on_stop = [&](unsigned) {
                                         const auto wait = [&] {
                                             refused += would_deadlock([&] { mine->wait(); });
                                         };
                                         regatta::join(wait, wait);
                                     }});
            mine = &pool;
            regatta::join(
                pool, [] {}, [] {}); // From now on the workers help in forks.
        }
        EXPECT_EQ(refused, 4);
    }
}

// A fork of a hook is no task: the tasks that it runs while it waits for room wait for the others.
TEST_P(fork_bounded_pool_waiting, hooks_beneath_a_task_count_as_none) {
    const time_limit limit("the pool, in tasks on top of forks of hooks");
    std::atomic<int> waits{0};
    for (int i = 0; i < 200; ++i) {
        regatta::thread_pool* mine = nullptr;
        auto [pool] = make_pool(
            {.threads = 2,
             .capacity = 1,
             .when_full = regatta::overflow::block,
             .on_stop = [&](unsigned) {
                 std::atomic<bool> begun{false};
                 const auto hook = std::this_thread::get_id();
                 const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
                 regatta::join(
                     [&] {
                         while (!begun && std::chrono::steady_clock::now() < until) {
                             regatta::poll(); // The other worker may have ended.
                         }
                     },
                     [&] {
                         begun = true;
                         for (int k = 0; k < 3 && std::this_thread::get_id() != hook; ++k) {
                             mine->execute([&] {
                                 mine->wait();
                                 ++waits;
                             });
                         }
                     });
             }});
        mine = &pool;
        regatta::join(
            pool, [] {}, [] {});
        pool.close();
    }
    EXPECT_EQ(waits % 3, 0);
}

// A closed pool keeps its workers until all tasks have ended, also those that a region has
// submitted.
TEST_P(fork_pool_waiting, a_closed_pool_keeps_its_workers_for_the_tasks_of_a_region) {
    const time_limit limit("a task of a task of a region, in a closed pool");
    std::atomic<int> left{0};
    auto [made] = make_pool({.threads = 2, .on_stop = [&](unsigned) { ++left; }});
    regatta::thread_pool& pool = made;
    std::atomic<bool> begun{false};
    std::atomic<bool> over{false};
    std::atomic<bool> second{false};
    // Until a worker has looked for tasks, and sleeps again or has left.
    const auto await_look = [&](std::uint64_t parked) {
        library_test::await([&] { return pool.stats().parked != parked || left != 0; });
    };
    const auto task = [&] {
        const std::uint64_t parked = pool.stats().parked;
        library_test::await([&] { return over.load(); });
        await_look(parked);
        pool.execute([&] { second = true; });
        library_test::await([&] { return second.load(); });
    };
    std::thread outside([&] {
        regatta::join(
            pool,
            [&] {
                library_test::await([&] {
                    regatta::poll();
                    return begun.load();
                });
            },
            [&] {
                const std::uint64_t parked = pool.stats().parked;
                begun = true;
                library_test::await([&] { return pool.closed(); });
                await_look(parked);
                pool.execute(task);
            });
        over = true;
    });
    library_test::await([&] { return begun.load(); });
    pool.close();
    outside.join();
    EXPECT_TRUE(second);
}

// "A task that waits for room takes from all, too": the worker that waits for the fork has them.
TEST(fork_steady_pool, forks_find_room_without_stealing) {
    const time_limit limit("room for the task of a fork");
    regatta::steady_pool pool({.threads = 2, .capacity = 4, .steal = false});
    std::atomic<bool> taken{false};
    std::atomic<bool> full{false};
    std::atomic<int> runs{0};
    const auto task = [&] { ++runs; };
    pool.submit([&] {
            regatta::join(
                [&] {
                    library_test::await([&] { return !regatta::poll() || taken.load(); });
                    while (pool.try_execute(task)) {
                    }
                    full = true;
                },
                [&] {
                    taken = true;
                    library_test::await([&] { return full.load(); });
                    pool.execute(task);
                });
        })
        .get();
    pool.wait();
    EXPECT_EQ(runs.load(), 5);
}

// "Without stealing a task waits for the worker in whose queue it is": but if that worker waits for
// a fork that waits for the task.
TEST(fork_steady_pool, forks_that_wait_run_tasks_of_all_workers) {
    const time_limit limit("tasks of the worker that waits for the fork");
    regatta::steady_pool pool({.threads = 2, .steal = false});
    std::atomic<int> ran{0};
    for (int i = 0; i < 100; ++i) {
        pool.submit([&] {
                for (int k = 0; k < 8; ++k) {
                    pool.execute([&] { ++ran; });
                }
                on_another_worker([&] {
                    pool.wait();
                    EXPECT_EQ(ran, 8 * (i + 1));
                });
            })
            .get();
    }
}
