// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "seeded.hpp"
#include "support/threads.hpp"

#include <regatta/message/worker_pool.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

using library_test::dice;
using library_test::rounds;
using regatta::admission_class;

struct job {
    int number;
    int children;
};
using pool_type = regatta::worker_pool<job>;

/// Submits in one of the ways there are.
bool submit(pool_type& pool, dice& d, job j) {
    switch (d.roll(4)) {
    case 0:
        return pool.submit(j);
    case 1:
        return pool.submit(j, static_cast<admission_class>(d.roll(3)));
    case 2:
        return pool.try_submit(j);
    default:
        return pool.try_submit(j, static_cast<admission_class>(d.roll(3)));
    }
}

} // namespace

using worker_pool_stress = library_test::stress;

TEST_F(worker_pool_stress, handles_each_message_once_while_others_pause_resume_and_drain) {
    constexpr int submitters = 3;
    const int each = rounds(20000);
    std::vector<std::atomic<int>> handled(static_cast<std::size_t>(submitters * each));
    std::atomic<int> children{0};
    pool_type pool({.threads = 3, .capacity = 16});
    pool.on<job>([&](job& j) {
        if (j.number < 0) {
            ++children;
            return;
        }
        ++handled[static_cast<std::size_t>(j.number)];
        for (int i = 0; i < j.children; ++i) {
            EXPECT_TRUE(pool.submit(job{-1, 0}));
        }
    });
    pool.start();
    std::atomic<bool> done{false};
    std::vector<std::thread> others;
    others.emplace_back([&] {
        dice d(100);
        while (!done.load()) {
            pool.pause();
            for (int i = d.roll(5); i > 0; --i) {
                std::this_thread::yield();
            }
            pool.resume();
            for (int i = d.roll(50); i > 0; --i) {
                std::this_thread::yield();
            }
        }
    });
    others.emplace_back([&] {
        while (!done.load()) {
            const auto before = pool.stats();
            pool.drain();
            const auto after = pool.stats();
            EXPECT_GE(after.handled, before.submitted);
        }
    });
    std::atomic<int> expected_children{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < submitters; ++t) {
        threads.emplace_back([&, t] {
            dice d(static_cast<unsigned>(t));
            for (int i = 0; i < each;) {
                const job j{t * each + i, d.roll(10) == 0 ? d.roll(3) : 0};
                if (submit(pool, d, j)) {
                    expected_children += j.children;
                    ++i;
                }
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    done = true;
    for (auto& thread : others) {
        thread.join();
    }
    // Children are submitted by handlers, so one drain is not enough.
    library_test::await([&] {
        pool.drain();
        return children.load() == expected_children.load();
    });
    for (const auto& times : handled) {
        ASSERT_EQ(times.load(), 1);
    }
    const auto stats = pool.stats();
    EXPECT_EQ(stats.handled, stats.submitted);
    EXPECT_EQ(stats.queued, 0u);
}

TEST_F(worker_pool_stress, close_while_others_submit_handles_exactly_what_was_accepted) {
    for (int round = 0; round < rounds(100); ++round) {
        dice d(static_cast<unsigned>(round));
        std::atomic<int> accepted{0};
        std::atomic<int> handled{0};
        pool_type pool({.threads = 2, .capacity = std::size_t{1} << d.roll(6)});
        pool.on<job>([&](job& j) {
            ++handled;
            for (int i = 0; i < j.children; ++i) {
                accepted += pool.submit(job{0, 0}) ? 1 : 0;
            }
        });
        pool.start();
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < 3; ++t) {
            threads.emplace_back([&, t] {
                dice mine(1000u * static_cast<unsigned>(round) + t);
                for (;;) {
                    if (submit(pool, mine, job{0, mine.roll(2)})) {
                        ++accepted;
                    } else if (pool.submit(job{0, 0})) { // It was full.
                        ++accepted;
                    } else {
                        return;
                    }
                }
            });
        }
        for (int i = d.roll(100); i > 0; --i) {
            std::this_thread::yield();
        }
        pool.close();
        ASSERT_EQ(pool.stats().queued, 0u);
        for (auto& thread : threads) {
            thread.join();
        }
        ASSERT_EQ(handled.load(), accepted.load());
        ASSERT_EQ(pool.stats().handled, pool.stats().submitted);
    }
}

TEST_F(worker_pool_stress, pools_are_made_and_destroyed_in_every_state) {
    std::atomic<int> handled{0};
    int accepted = 0;
    for (int round = 0; round < rounds(300); ++round) {
        dice d(static_cast<unsigned>(round));
        pool_type pool({.threads = 1u + static_cast<unsigned>(d.roll(3)), .capacity = 8});
        pool.on<job>([&](job&) { ++handled; });
        if (d.roll(4) == 0) {
            pool.pause();
        }
        pool.start();
        for (int i = d.roll(8); i > 0; --i) {
            accepted += pool.try_submit(job{0, 0}) ? 1 : 0;
            if (d.roll(8) == 0) {
                pool.pause();
            }
        }
    }
    EXPECT_EQ(handled.load(), accepted);
}

TEST_F(worker_pool_stress, tasks_and_messages_that_wait_are_each_handled_once) {
    constexpr int submitters = 3;
    const int each = rounds(3000);
    std::atomic<int> messages{0};
    std::atomic<int> tasks{0};
    std::atomic<int> waits{0};
    pool_type pool({.threads = 3, .capacity = 64});
    pool.on<job>([&](job& j) {
        ++messages;
        if (j.children != 0) {
            EXPECT_GT(pool.submit([&] { return ++tasks; }).get(), 0);
        }
    });
    pool.start();
    std::atomic<bool> done{false};
    std::vector<std::thread> others;
    others.emplace_back([&] {
        dice d(200);
        while (!done.load()) {
            pool.pause();
            for (int i = d.roll(5); i > 0; --i) {
                std::this_thread::yield();
            }
            pool.resume();
            for (int i = d.roll(50); i > 0; --i) {
                std::this_thread::yield();
            }
        }
    });
    others.emplace_back([&] {
        while (!done.load()) {
            static_cast<void>(pool.wait_for(std::chrono::milliseconds(1)));
        }
    });
    std::atomic<int> expected_messages{0};
    std::atomic<int> expected_tasks{0};
    std::atomic<int> cancelled{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < submitters; ++t) {
        threads.emplace_back([&, t] {
            dice d(300u + static_cast<unsigned>(t));
            for (int i = 0; i < each; ++i) {
                switch (d.roll(5)) {
                case 0:
                    ++expected_messages;
                    ++expected_tasks;
                    EXPECT_TRUE(pool.submit(job{i, 1}));
                    break;
                case 1:
                    ++expected_tasks;
                    pool.execute([&] { ++tasks; });
                    break;
                case 2: { // Either cancelled or run.
                    auto future = pool.submit([&] { ++tasks; });
                    const bool called_off = future.cancel();
                    cancelled += called_off ? 1 : 0;
                    expected_tasks += called_off ? 0 : 1;
                    break;
                }
                case 3:
                    ++expected_tasks;
                    ++expected_messages;
                    pool.submit([&] {
                            EXPECT_TRUE(pool.submit(job{-1, 0}));
                            waits += pool.wait_for(std::chrono::microseconds(100)) ? 1 : 0;
                            ++tasks;
                        })
                        .get();
                    break;
                default:
                    ++expected_messages;
                    EXPECT_TRUE(pool.submit(job{i, 0}));
                }
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    done = true;
    for (auto& thread : others) {
        thread.join();
    }
    pool.wait();
    EXPECT_EQ(messages.load(), expected_messages.load());
    EXPECT_EQ(tasks.load(), expected_tasks.load());
    const auto stats = pool.stats();
    EXPECT_EQ(stats.handled, stats.submitted);
    EXPECT_EQ(stats.tasks, static_cast<unsigned>(tasks.load() + cancelled.load()));
    EXPECT_EQ(stats.cancelled, static_cast<unsigned>(cancelled.load()));
    EXPECT_EQ(stats.queued, 0u);
    EXPECT_EQ(stats.errors, 0u);
}
