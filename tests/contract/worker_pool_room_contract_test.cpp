// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Producers that wait for room in a worker_pool, and messages that many producers bring at once.

#include "messages.hpp"
#include "support/door.hpp"
#include "support/observed_thread.hpp"
#include "support/threads.hpp"

#include <regatta/message/worker_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace {

using library_test::await;
using library_test::door;
using library_test::observed_thread;
using library_test::row;
using regatta::admission_class;

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

// "The same with an admission class: there is room below its level": also after a wait.
TEST(worker_pool, a_producer_that_has_waited_enters_below_its_level) {
    const library_test::time_limit limit("a producer of low admission");
    door d;
    std::atomic<int> handled{0};
    regatta::worker_pool<row> pool({.threads = 1, .capacity = 128});
    pool.on<row>([&](row& m) {
            if (m.index == 0) {
                d.pass();
            }
            ++handled;
        })
        .start();
    pool.submit(row{0});
    d.await_inside(1);
    while (pool.try_submit(row{1}, admission_class::medium)) { // More than 76, fewer than 128.
    }
    const auto before = pool.stats().submitted;
    observed_thread producer;
    std::atomic<bool> entered{false};
    std::thread blocked([&] {
        producer.announce();
        EXPECT_TRUE(pool.submit(row{2}, admission_class::low));
        entered = true;
    });
    // It looks again and again, by itself.
    producer.await_sleep();
    int looks = 0;
    for (auto used = producer.cpu_time(); looks < 3 && !entered; ++looks) {
        await([&] { return entered || producer.cpu_time() != used; });
        if (!entered) {
            producer.await_sleep();
            used = producer.cpu_time();
        }
    }
    EXPECT_FALSE(entered.load());
    EXPECT_EQ(pool.stats().submitted, before);
    d.open();
    blocked.join();
    pool.drain();
    EXPECT_EQ(pool.stats().submitted, before + 1);
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
