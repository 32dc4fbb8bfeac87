// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/threads.hpp"

#include <regatta/pool/detail/pool_room.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

using library_test::await;
using regatta::detail::pool_room;

TEST(pool_room, without_a_limit_there_is_always_room) {
    pool_room room(0);
    EXPECT_EQ(room.take(1000000), 1000000u);
    EXPECT_EQ(room.take(1), 1u);
    room.give(3);
    EXPECT_TRUE(room.wait([] { return false; }));
}

TEST(pool_room, gives_what_it_has) {
    pool_room room(5);
    EXPECT_EQ(room.capacity(), 5u);
    EXPECT_EQ(room.take(3), 3u);
    EXPECT_EQ(room.take(3), 2u);
    EXPECT_EQ(room.take(1), 0u);
    room.give(1);
    EXPECT_EQ(room.take(2), 1u);
    EXPECT_EQ(room.take(1), 0u);
}

TEST(pool_room, a_wait_ends_with_room_or_when_closed) {
    const library_test::time_limit limit("a wait that ends with room or when closed");
    for (const bool closes : {false, true}) {
        pool_room room(4);
        ASSERT_EQ(room.take(4), 4u);
        std::atomic<bool> closed{false};
        std::atomic<int> got{-1};
        library_test::observed_thread seen;
        std::thread waiter([&] {
            seen.announce();
            got = room.wait([&] { return closed.load(); }) ? 1 : 0;
        });
        seen.await_sleep();
        EXPECT_EQ(got.load(), -1);
        if (closes) {
            closed = true;
            room.tell_closed();
        } else {
            room.give(1); // Less than half: it looks by itself.
        }
        waiter.join();
        EXPECT_EQ(got.load(), closes ? 0 : 1);
        EXPECT_EQ(room.take(1), 0u);
    }
}

TEST(pool_room, is_never_overdrawn) {
    constexpr std::size_t capacity = 3;
    pool_room room(capacity);
    std::atomic<std::size_t> inside{0};
    std::atomic<bool> over{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < library_test::rounds(2000); ++i) {
                ASSERT_TRUE(room.wait([] { return false; }));
                if (++inside > capacity) {
                    over = true;
                }
                --inside;
                room.give(1);
            }
        });
    }
    for (auto& t : threads) {
        t.join();
    }
    EXPECT_FALSE(over.load());
    EXPECT_EQ(room.take(10), capacity);
}
