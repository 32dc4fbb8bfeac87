// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Besides rings_test.cpp, which tests what it shares with the other queues.

#include "support/counted.hpp"
#include "support/eventually.hpp"

#include <regatta/base/config.hpp>
#include <regatta/sync/mpsc_ring.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

using library_test::counted;
using regatta::mpsc_ring;

TEST(mpsc_ring, consumes_up_to_as_many_as_asked) {
    mpsc_ring<int> queue(8);
    for (int i = 0; i < 6; ++i) {
        ASSERT_TRUE(queue.try_emplace(i));
    }
    std::vector<int> got;
    const auto keep = [&](int& i) { got.push_back(i); };
    EXPECT_EQ(queue.consume(0, keep), 0u);
    EXPECT_EQ(queue.consume(4, keep), 4u);
    EXPECT_EQ(queue.consume(4, keep), 2u);
    EXPECT_EQ(got, (std::vector<int>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(queue.claimed(), 6u);
    EXPECT_EQ(queue.consumed(), 6u);
}

TEST(mpsc_ring, an_element_appended_during_consumption_is_found) {
    mpsc_ring<int> queue(4);
    ASSERT_TRUE(queue.try_emplace(0));
    int calls = 0;
    EXPECT_EQ(queue.consume(10,
                            [&](int& i) {
                                ++calls;
                                if (i < 3) {
                                    EXPECT_TRUE(queue.try_emplace(i + 1));
                                }
                            }),
              4u);
    EXPECT_EQ(calls, 4);
}

// Behind the newest element a producer is at work: in a stream the consumer keeps away from it.
TEST(mpsc_ring, in_a_stream_it_takes_what_was_there_at_the_look) {
    mpsc_ring<int> queue(32);
    std::vector<int> got;
    const auto keep = [&](int& i) { got.push_back(i); };
    int next = 0;
    const auto append = [&](int count) {
        for (; count != 0; --count) {
            EXPECT_TRUE(queue.try_emplace(next++));
        }
    };
    append(1);
    queue.look();
    append(2); // A single one before: no stream.
    EXPECT_EQ(queue.consume_seen(32, keep), 3u);
    for (const int count : {2, 3, 20}) { // Also more than it asks for ahead.
        append(count);
        queue.look();
        append(3);
        EXPECT_EQ(queue.consume_seen(32, keep), static_cast<std::size_t>(count));
        EXPECT_EQ(queue.consume_seen(32, keep), 0u);
        EXPECT_EQ(queue.consume(2, keep), 2u);
        EXPECT_EQ(queue.consume_seen(32, keep), 1u);
    }
    append(1);
    EXPECT_EQ(queue.consume(32, keep), 1u);
    queue.look();
    append(2); // One at a time again.
    EXPECT_EQ(queue.consume_seen(32, keep), 2u);
    for (int i = 0; i < next; ++i) {
        EXPECT_EQ(got.at(static_cast<std::size_t>(i)), i);
    }
    EXPECT_EQ(queue.size(), 0u);
}

TEST(mpsc_ring, a_closed_one_refuses_and_keeps_what_it_has) {
    std::atomic<int> alive{0};
    mpsc_ring<counted> queue(4);
    EXPECT_TRUE(queue.try_emplace(alive, 1));
    EXPECT_FALSE(queue.closed());
    queue.close();
    queue.close();
    EXPECT_TRUE(queue.closed());
    EXPECT_FALSE(queue.try_emplace(alive, 2));
    EXPECT_EQ(queue.claimed(), 1u);
    EXPECT_EQ(queue.size(), 1u);
    EXPECT_EQ(queue.consume(4, [](counted& c) { EXPECT_EQ(c.value(), 1); }), 1u);
    EXPECT_EQ(alive.load(), 0);
}

TEST(mpsc_ring, each_producer_s_elements_stay_in_order) {
    constexpr int producers = 3;
    constexpr int each = 5000;
    mpsc_ring<std::pair<int, int>> queue(32);
    std::vector<std::thread> threads;
    for (int p = 0; p < producers; ++p) {
        threads.emplace_back([&queue, p] {
            for (int i = 0; i < each; ++i) {
                library_test::await([&] { return queue.try_emplace(p, i); });
            }
        });
    }
    std::vector<int> next(producers, 0);
    const library_test::time_limit limit("all elements to come out");
    for (std::size_t got = 0; got != std::size_t{producers} * each;) {
        const auto now = queue.consume(16, [&](std::pair<int, int>& e) {
            EXPECT_EQ(e.second, next[static_cast<std::size_t>(e.first)]++);
        });
        got += now;
        if (now == 0) {
            std::this_thread::yield();
        }
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_FALSE(queue.ready());
}

#if REGATTA_EXCEPTIONS
TEST(mpsc_ring, an_element_whose_use_throws_counts_as_consumed) {
    std::atomic<int> alive{0};
    mpsc_ring<counted> queue(4);
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(queue.try_emplace(alive, i));
    }
    EXPECT_THROW(queue.consume(3, [](counted&) { throw std::runtime_error("as asked"); }),
                 std::runtime_error);
    EXPECT_EQ(queue.consumed(), 1u);
    EXPECT_EQ(alive.load(), 2);
    int next = 1;
    EXPECT_EQ(queue.consume(3, [&](counted& c) { EXPECT_EQ(c.value(), next++); }), 2u);
    for (int i = 0; i < 4; ++i) {
        EXPECT_TRUE(queue.try_emplace(alive, i)); // Every cell is in use again.
    }
}
#endif
