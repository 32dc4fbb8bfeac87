// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Besides rings_test.cpp, which tests what it shares with the other queues.

#include "support/counted.hpp"

#include <regatta/base/config.hpp>
#include <regatta/sync/spsc_ring.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <vector>

using library_test::counted;
using regatta::spsc_ring;

TEST(spsc_ring, fills_as_much_as_there_is_room_for) {
    spsc_ring<int> ring(8);
    const auto fill = [&](std::size_t count, int from) {
        return ring.try_fill(
            count, [&](auto& cell, std::size_t i) { cell.emplace(from + static_cast<int>(i)); });
    };
    EXPECT_EQ(fill(0, 0), 0u);
    EXPECT_EQ(fill(5, 0), 5u);
    EXPECT_EQ(fill(5, 5), 3u);
    EXPECT_EQ(fill(1, 8), 0u);
    std::vector<int> got;
    const auto keep = [&](int& i) { got.push_back(i); };
    EXPECT_EQ(ring.consume(3, keep), 3u);
    EXPECT_EQ(fill(100, 8), 3u);
    EXPECT_EQ(ring.consume(100, keep), 8u); // All that was published before, seen earlier or not.
    EXPECT_EQ(ring.consume(100, keep), 0u);
    EXPECT_EQ(got, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    EXPECT_EQ(ring.published(), 11u);
    EXPECT_EQ(ring.consumed(), 11u);
}

TEST(spsc_ring, publishes_a_filling_at_once) {
    spsc_ring<int> ring(8);
    ring.try_fill(4, [&](auto& cell, std::size_t) {
        cell.emplace(0);
        EXPECT_EQ(ring.published(), 0u);
        EXPECT_FALSE(ring.ready());
    });
    EXPECT_EQ(ring.published(), 4u);
}

TEST(spsc_ring, knows_its_room_exactly_when_it_is_scarce) {
    spsc_ring<int> ring(8);
    EXPECT_EQ(ring.free_slots(8), 8u);
    for (int i = 0; i < 8; ++i) {
        ASSERT_TRUE(ring.try_emplace(i));
    }
    EXPECT_EQ(ring.free_slots(1), 0u);
    ring.consume(3, [](int&) {});
    EXPECT_EQ(ring.free_slots(1), 3u);
}

TEST(spsc_ring, gives_room_back_during_a_long_batch) {
    spsc_ring<int> ring(256);
    for (int i = 0; i < 256; ++i) {
        ASSERT_TRUE(ring.try_emplace(i));
    }
    std::size_t most = 0;
    ring.consume(256, [&](int&) { most = std::max(most, ring.consumed()); });
    EXPECT_GE(most, 64u);
}

TEST(spsc_ring, an_element_is_destroyed_before_its_cell_is_given_back) {
    // The destructor sees how many cells the producer may have back: not yet its own.
    struct watcher {
        watcher(spsc_ring<watcher>*& r, std::size_t n) noexcept : ring(&r), number(n) {}
        watcher(const watcher&) = delete;
        watcher& operator=(const watcher&) = delete;
        ~watcher() { EXPECT_LE((*ring)->consumed(), number); }
        spsc_ring<watcher>** ring;
        std::size_t number;
    };
    spsc_ring<watcher>* at = nullptr;
    spsc_ring<watcher> ring(256);
    at = &ring;
    for (std::size_t i = 0; i < 256; ++i) {
        ASSERT_TRUE(ring.try_emplace(at, i));
    }
    EXPECT_EQ(ring.consume(256, [](watcher&) {}), 256u);
}

#if REGATTA_EXCEPTIONS
TEST(spsc_ring, an_element_whose_use_throws_counts_as_consumed) {
    std::atomic<int> alive{0};
    spsc_ring<counted> ring(8);
    for (int i = 0; i < 4; ++i) {
        ASSERT_TRUE(ring.try_emplace(alive, i));
    }
    const auto use = [](counted& c) {
        if (c.value() == 1) {
            throw std::runtime_error("as asked");
        }
    };
    EXPECT_THROW(ring.consume(4, use), std::runtime_error);
    EXPECT_EQ(ring.consumed(), 2u);
    EXPECT_EQ(alive.load(), 2);
    EXPECT_EQ(ring.consume(4, use), 2u);
    EXPECT_EQ(alive.load(), 0);
}

TEST(spsc_ring, what_was_built_before_a_construction_that_throws_is_published) {
    std::atomic<int> alive{0};
    spsc_ring<counted> ring(8);
    const auto fill = [&](auto& cell, std::size_t i) {
        if (i == 2) {
            throw std::runtime_error("as asked");
        }
        cell.emplace(alive, static_cast<int>(i));
    };
    EXPECT_THROW(ring.try_fill(4, fill), std::runtime_error);
    EXPECT_EQ(ring.published(), 2u);
    EXPECT_EQ(ring.consume(8, [](counted&) {}), 2u);
    EXPECT_EQ(alive.load(), 0);
    EXPECT_TRUE(ring.try_emplace(alive, 9));
}

TEST(spsc_ring, a_constructor_that_throws_publishes_nothing) {
    struct fragile {
        explicit fragile(bool fail) {
            if (fail) {
                throw std::runtime_error("as asked");
            }
        }
    };
    spsc_ring<fragile> ring(2);
    EXPECT_THROW(ring.try_emplace(true), std::runtime_error);
    EXPECT_EQ(ring.size(), 0u);
    EXPECT_TRUE(ring.try_emplace(false));
    EXPECT_EQ(ring.consume(2, [](fragile&) {}), 1u);
}
#endif
