// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Besides rings_test.cpp, which tests what it shares with the other queues.

#include "support/counted.hpp"
#include "support/eventually.hpp"

#include <regatta/sync/mpmc_ring.hpp>

#include <gtest/gtest.h>

#include <any>
#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

using library_test::counted;
using regatta::mpmc_ring;

TEST(mpmc_ring, an_element_is_out_of_its_cell_before_it_is_used) {
    mpmc_ring<int> ring(2);
    ASSERT_TRUE(ring.try_emplace(1));
    ASSERT_TRUE(ring.try_emplace(2));
    const auto held = ring.try_take();
    EXPECT_TRUE(ring.try_emplace(3)); // While the first one is still in hand.
    EXPECT_EQ(held, 1);
    EXPECT_EQ(ring.try_take(), 2);
    EXPECT_EQ(ring.try_take(), 3);
}

TEST(mpmc_ring, a_closed_one_refuses_and_keeps_what_it_has) {
    std::atomic<int> alive{0};
    mpmc_ring<counted> ring(4);
    EXPECT_TRUE(ring.try_emplace(alive, 1));
    EXPECT_TRUE(ring.try_emplace(alive, 2));
    ring.close();
    EXPECT_TRUE(ring.closed());
    EXPECT_FALSE(ring.try_emplace(alive, 3));
    EXPECT_EQ(ring.claimed(), 2u);
    EXPECT_EQ(ring.try_take()->value(), 1);
    EXPECT_EQ(ring.consumed(), 1u);
    EXPECT_EQ(ring.size(), 1u);
    EXPECT_EQ(ring.try_take()->value(), 2);
    EXPECT_FALSE(ring.try_take());
    EXPECT_EQ(alive.load(), 0);
}

TEST(mpmc_ring, destroys_what_an_element_leaves_in_its_cell) {
    struct copied_by_move {
        std::shared_ptr<int> held;
        explicit copied_by_move(std::shared_ptr<int> h) noexcept : held(std::move(h)) {}
        copied_by_move(copied_by_move&& other) noexcept : held(other.held) {}
    };
    const auto held = std::make_shared<int>(0);
    mpmc_ring<copied_by_move> ring(2);
    EXPECT_TRUE(ring.try_emplace(held));
    EXPECT_TRUE(ring.try_take().has_value());
    EXPECT_EQ(held.use_count(), 1);
}

TEST(mpmc_ring, knows_whether_an_element_comes) {
    mpmc_ring<int> ring(2);
    EXPECT_FALSE(ring.coming());
    for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(ring.try_emplace(i));
        EXPECT_TRUE(ring.coming());
        EXPECT_TRUE(ring.try_take().has_value());
        EXPECT_FALSE(ring.coming());
    }
    EXPECT_TRUE(ring.try_emplace(5));
    ring.close();
    EXPECT_TRUE(ring.coming());
    EXPECT_TRUE(ring.try_take().has_value());
    EXPECT_FALSE(ring.coming());
}

TEST(mpmc_ring, many_threads_take_each_element_once) {
    constexpr int producers = 2;
    constexpr int consumers = 2;
    constexpr int each = 5000;
    mpmc_ring<int> ring(16);
    std::vector<std::atomic<int>> taken(std::size_t{producers} * each);
    std::atomic<int> left{producers * each};
    std::vector<std::thread> threads;
    for (int p = 0; p < producers; ++p) {
        threads.emplace_back([&ring, p] {
            for (int i = 0; i < each; ++i) {
                library_test::await([&] { return ring.try_emplace(p * each + i); });
            }
        });
    }
    const library_test::time_limit limit("all elements to come out");
    for (int c = 0; c < consumers; ++c) {
        threads.emplace_back([&] {
            while (left.load() > 0) {
                if (const auto i = ring.try_take()) {
                    ++taken[static_cast<std::size_t>(*i)];
                    --left;
                } else {
                    std::this_thread::yield();
                }
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    for (const auto& times : taken) {
        ASSERT_EQ(times.load(), 1);
    }
    EXPECT_EQ(ring.size(), 0u);
}

TEST(mpmc_ring, gives_back_an_element_that_could_also_be_a_list_of_itself) {
    regatta::mpmc_ring<std::vector<std::any>> ring(2);
    EXPECT_TRUE(ring.try_emplace(std::vector<std::any>(3, std::any(1))));
    const auto taken = ring.try_take();
    ASSERT_TRUE(taken.has_value());
    EXPECT_EQ(taken->size(), 3u);
}
