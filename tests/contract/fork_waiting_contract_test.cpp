// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Forks beside the other work of a pool: waits from outside, pauses, hooks, continuations, the end.

#include "support/door.hpp"
#include "support/eventually.hpp"
#include "support/meeting.hpp"
#include "support/pool_cases.hpp"

#include <regatta/fork.hpp>
#include <regatta/message/worker_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::await;
using library_test::door;
using library_test::eventually;
using library_test::time_limit;
using library_test::would_deadlock;

class fork_waiting : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, fork_waiting, library_test::every_pool(), library_test::pool_name);

int count_leaves(int depth) {
    if (depth == 0) {
        return 1;
    }
    const auto [a, b] = regatta::join([depth] { return count_leaves(depth - 1); },
                                      [depth] { return count_leaves(depth - 1); });
    return a + b;
}

} // namespace

// "a fork may submit": and waits for the future, on any number of workers.
TEST_P(fork_waiting, forks_submit_and_get) {
    const time_limit limit("futures of tasks that forks submit");
    for (unsigned threads = 1; threads <= 3; ++threads) {
        auto [pool] = make_pool({.threads = threads});
        for (int i = 0; i < 100; ++i) {
            const auto both = [&] {
                return regatta::join(
                    [&] { return pool.submit([] { return count_leaves(5); }).get(); },
                    [&] { return pool.submit([] { return count_leaves(6); }).get(); });
            };
            EXPECT_EQ(regatta::join(pool, both, both).first, std::make_pair(32, 64));
            EXPECT_EQ(pool.submit(both).get(), std::make_pair(32, 64));
        }
    }
}

// "Waits until no task is queued or running": a region that was opened from outside is one.
TEST_P(fork_waiting, wait_waits_for_a_region) {
    auto [pool] = make_pool({.threads = 2});
    for (int i = 0; i < 50; ++i) {
        door d;
        std::atomic<bool> over{false};
        std::thread outside([&] {
            regatta::join(
                pool, [&] { d.pass(); }, [] { count_leaves(4); });
            over = true;
        });
        d.await_inside(1);
        EXPECT_FALSE(pool.wait_for(std::chrono::milliseconds(1)));
        d.open();
        pool.wait();
        outside.join();
        EXPECT_TRUE(over);
    }
}

// A worker that looked for forks takes a task instead, for as long as the region lasts: another one
// that is idle takes part.
TEST_P(fork_waiting, an_idle_worker_helps_after_the_one_that_watched_took_a_task) {
    for (unsigned threads = 2; threads <= 4; ++threads) {
        auto [pool] = make_pool({.threads = threads});
        for (int i = 0; i < 100; ++i) {
            door busy;
            const auto meet = [](std::string_view who) {
                std::atomic<bool> met{false};
                const auto poll_until = [&] {
                    eventually(who, [&] {
                        regatta::poll();
                        return met.load();
                    });
                };
                regatta::join(poll_until, [&] { met = true; });
            };
            std::optional<regatta::future<void>> task;
            const auto region = [&] {
                meet("a worker");
                const auto until =
                    std::chrono::steady_clock::now() + std::chrono::microseconds(i * 7 % 60);
                while (std::chrono::steady_clock::now() < until) {
                    regatta::poll(); // There is nothing to share.
                }
                task = pool.submit([&] { busy.pass(); });
                busy.await_inside(1);
                meet("another worker");
            };
            regatta::join(pool, region, [] {});
            busy.open();
            task->get();
        }
    }
}

// "Returns once no task runs, within a task at once."
TEST_P(fork_waiting, pause_waits_for_a_region) {
    auto [pool] = make_pool({.threads = 2});
    door d;
    std::atomic<bool> over{false};
    std::thread outside([&] {
        regatta::join(
            pool, [&] { d.pass(); }, [] {});
        regatta::join(
            pool, [&] { pool.pause(); }, [&] { count_leaves(5); });
        over = true;
    });
    d.await_inside(1);
    std::thread opener([&] { d.open(); });
    pool.pause();
    opener.join();
    outside.join();
    EXPECT_TRUE(over);
    EXPECT_EQ(regatta::join(
                  pool, [] { return count_leaves(5); }, [] { return 1; })
                  .first,
              32);
    pool.resume();
    pool.wait();
}

// "runs the accepted tasks and those that they submit": and regions that are open.
TEST_P(fork_waiting, close_waits_for_a_region) {
    for (int i = 0; i < 50; ++i) {
        std::optional owner(make_pool({.threads = 2}));
        regatta::thread_pool& pool = owner->get<0>();
        door d;
        int leaves = 0;
        std::thread outside([&] {
            regatta::join(
                pool, [&] { d.pass(), leaves = count_leaves(6); }, [] { count_leaves(6); });
        });
        d.await_inside(1);
        std::thread opener([&] { d.open(); });
        owner.reset();
        EXPECT_EQ(leaves, 64);
        opener.join();
        outside.join();
    }
}

// "also `task_rejected` if the pool is closed"; "(`resource_deadlock_would_occur`) in a task"
TEST_P(fork_waiting, refuse_what_cannot_be) {
    auto [pool] = make_pool({.threads = 2, .name = "closed one"});
    regatta::join(
        pool, [&] { EXPECT_TRUE(would_deadlock([&] { pool.close(); })); }, [] {});
    pool.close();
    EXPECT_THROW(regatta::join(
                     pool, [] {}, [] {}),
                 regatta::task_rejected);
    try {
        regatta::parallel_for(pool, 0, 3, [](int) {});
        ADD_FAILURE() << "the closed pool took a loop";
    } catch (const regatta::task_rejected& e) {
        EXPECT_NE(std::string(e.what()).find("'closed one'"), std::string::npos) << e.what();
    }
    EXPECT_THROW(regatta::task_scope scope(pool), regatta::task_rejected);
    EXPECT_EQ(count_leaves(5), 32);
}

// "The same, but the executor runs `f`": a continuation may fork.
TEST_P(fork_waiting, continuations_fork) {
    auto [pool] = make_pool({.threads = 2});
    for (int i = 0; i < 50; ++i) {
        auto leaves = pool.submit([] { return count_leaves(4); })
                          .then([](int n) { return n + count_leaves(5); })
                          .then(pool, [](int n) { return n + count_leaves(6); });
        EXPECT_EQ(leaves.get(), 16 + 32 + 64);
    }
}

// "Called on each worker with its index": hooks may fork.
TEST_P(fork_waiting, hooks_fork) {
    std::atomic<int> leaves{0};
    {
        auto [pool] = make_pool({.threads = 3,
                                 .on_start = [&](unsigned) { leaves += count_leaves(6); },
                                 .on_stop = [&](unsigned) { leaves += count_leaves(6); }});
        regatta::parallel_for(pool, 0, 100, [](int) { count_leaves(3); });
    }
    EXPECT_EQ(leaves, 6 * 64);
}

// Two pools at once, within each other and beside each other.
TEST_P(fork_waiting, two_pools_do_not_meet) {
    const time_limit limit("regions of two pools within each other");
    auto [a] = make_pool({.threads = 2});
    auto [b] = make_pool({.threads = 2});
    for (int i = 0; i < 100; ++i) {
        const auto inner = [&] {
            return regatta::join(
                b, [] { return count_leaves(4); },
                [&] {
                    return regatta::join(
                               a, [] { return count_leaves(3); }, [] { return count_leaves(2); })
                        .first;
                });
        };
        EXPECT_EQ(regatta::join(a, inner, inner).second, std::make_pair(16, 8));
        EXPECT_EQ(a.submit(inner).get(), std::make_pair(16, 8));
        regatta::parallel_for(a, 0, 10, [&](int) { regatta::parallel_for(b, 0, 10, [](int) {}); });
    }
    a.wait();
    b.wait();
}

// Many threads open regions on one pool; their number is not bounded by it.
TEST_P(fork_waiting, many_threads_fork_at_once) {
    auto [pool] = make_pool({.threads = 2});
    for (int round = 0; round < 5; ++round) {
        std::vector<std::thread> threads;
        std::atomic<int> leaves{0};
        for (int t = 0; t < 8; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i < 20; ++i) {
                    leaves += regatta::join(
                                  pool, [] { return count_leaves(6); }, [] { return 0; })
                                  .first;
                    pool.execute([&] { leaves += count_leaves(5); });
                }
            });
        }
        for (auto& t : threads) {
            t.join();
        }
        pool.wait();
        EXPECT_EQ(leaves, 8 * 20 * (64 + 32));
    }
}

// "Any thread may call them", also while it ends: threads that fork in the destructors of their
// `thread_local` objects use the same places in the pool, one after the other.
TEST(fork_ending_threads, leave_no_place_behind) {
    static regatta::balanced_pool* used = nullptr;
    static std::set<const void*> places;
    struct forks_at_its_end {
        int any = 0;
        ~forks_at_its_end() {
            regatta::parallel_for(*used, 0, 1, [](int) {
                places.insert(regatta::detail::fork_stack::current().seat());
            });
        }
    };
    regatta::balanced_pool pool(1);
    used = &pool;
    places.clear();
    for (int i = 0; i < 20; ++i) {
        std::thread([] {
            static thread_local forks_at_its_end last;
            last.any = 1; // Made before the thread forks: it ends after what that leaves.
            regatta::parallel_for(*used, 0, 1, [](int) {});
        }).join();
    }
    EXPECT_LE(places.size(), 3U); // The worker may take one of them; none where nothing forks so.
}

// Destroying a pool that has forked, at any moment after the region.
TEST_P(fork_waiting, pools_end_after_forks) {
    for (int i = 0; i < 100; ++i) {
        auto [pool] = make_pool({.threads = 2});
        regatta::parallel_for(pool, 0, 1 + i % 10, [](int) { count_leaves(4); });
        pool.execute([] { count_leaves(6); });
    }
}

// A worker pool of messages shares forks as the others do.
TEST(fork_worker_pool, handlers_fork) {
    struct leaves_wanted {
        int depth;
    };
    std::atomic<int> leaves{0};
    regatta::worker_pool<leaves_wanted> pool(2);
    pool.on<leaves_wanted>([&](leaves_wanted& m) { leaves += count_leaves(m.depth); });
    EXPECT_EQ(regatta::join(
                  pool, [] { return count_leaves(3); }, [] { return 1; })
                  .first,
              8);
    pool.start();
    for (int i = 0; i < 100; ++i) {
        pool.submit(leaves_wanted{6});
    }
    regatta::parallel_for(pool, 0, 100, [&](int) { leaves += count_leaves(2); });
    pool.wait();
    EXPECT_EQ(leaves, 100 * (64 + 4));
}

namespace {

void spin(std::chrono::microseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
}

/// Drains beside a worker that helps with a region of another thread; one iteration there waits,
/// and something long runs beneath it.
/// @param by_future whether the iteration waits for a task of its own, and not for the whole pool,
///        where a message comes in.
/// @returns whether it was over when `drain` returned; nothing if no worker took part.
std::optional<bool> drain_waits_beneath_a_fork(bool by_future) {
    enum kind : int { first, second };
    using namespace std::chrono_literals;
    const time_limit limit("a drain beside an iteration that waits");
    door busy;
    std::atomic<bool> waits{false};
    std::atomic<bool> begins{false};
    std::atomic<bool> ends{false};
    std::atomic<bool> over{false};
    const auto take_long = [&] {
        begins = true;
        spin(20ms);
        ends = true;
    };
    regatta::worker_pool<kind> pool(2);
    pool.on<kind>([&](kind& k) { k == first ? busy.pass() : take_long(); }).start();
    pool.submit(first); // Keeps a worker, so that the other one is to help.
    busy.await_inside(1);
    std::thread opener([&] {
        for (int i = 0; i < 200; ++i) { // After these the worker watches for the next region.
            regatta::parallel_for(pool, 0, 64, [](int) { spin(5us); });
        }
        regatta::parallel_for(pool, 0, 20'000, [&](int) {
            if (over || !pool.worker_index() || waits.exchange(true)) {
                spin(over ? 0us : 50us);
                return;
            }
            if (by_future) {
                pool.submit(take_long).get();
            } else {
                pool.wait_for(300ms); // In vain: the region waits for this iteration.
            }
            over = true;
        });
        over = true;
    });
    await([&] { return waits || over; });
    std::optional<bool> kept;
    if (waits) {
        if (!by_future) {
            pool.submit(second);
        }
        await([&] { return begins.load(); });
        busy.open();
        pool.drain();
        kept = ends.load();
    }
    over = true;
    busy.open();
    opener.join();
    return kept;
}

} // namespace

// "Waits until every message submitted before the call has been handled": also one that a worker
// handles beneath an iteration, with which it helped while it watched for regions.
TEST(fork_worker_pool, drain_waits_for_what_runs_beneath_a_fork) {
    for (const bool by_future : {false, true}) {
        for (int i = 0; i < 3; ++i) {
            EXPECT_TRUE(drain_waits_beneath_a_fork(by_future).value_or(true)) << by_future;
        }
    }
}
