// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/time/detail/timer_heap.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>
#include <vector>

namespace {

using regatta::detail::timer_heap;

timer_heap::time_point at(int ms) {
    return timer_heap::time_point(std::chrono::milliseconds(ms));
}

std::vector<timer_heap::member> drained(timer_heap& heap) {
    std::vector<timer_heap::member> order;
    while (!heap.empty()) {
        order.push_back(heap.pop());
    }
    return order;
}

} // namespace

TEST(timer_heap, gives_the_members_in_the_order_of_their_times) {
    timer_heap heap;
    heap.make_room(5);
    const int times[] = {30, 10, 50, 20, 40};
    for (timer_heap::member m = 0; m < 5; ++m) {
        heap.push(m, at(times[m]));
    }
    EXPECT_EQ(heap.size(), 5u);
    EXPECT_EQ(heap.first(), 1u);
    EXPECT_EQ(heap.first_due(), at(10));
    EXPECT_EQ(drained(heap), (std::vector<timer_heap::member>{1, 3, 0, 4, 2}));
}

TEST(timer_heap, gives_members_of_one_time_in_the_order_in_which_they_came) {
    timer_heap heap;
    heap.make_room(100);
    std::vector<timer_heap::member> expected;
    for (timer_heap::member m = 0; m < 100; ++m) {
        heap.push(99 - m, at(7));
        expected.push_back(99 - m);
    }
    EXPECT_EQ(drained(heap), expected);
}

TEST(timer_heap, knows_who_is_in) {
    timer_heap heap;
    EXPECT_TRUE(heap.empty());
    EXPECT_FALSE(heap.contains(0));
    heap.make_room(2);
    heap.push(1, at(1));
    EXPECT_FALSE(heap.contains(0));
    EXPECT_TRUE(heap.contains(1));
    heap.erase(1);
    EXPECT_FALSE(heap.contains(1));
    EXPECT_TRUE(heap.empty());
}

// Against a plain list: whatever is put in and taken out, the first is the first, and the order of
// the rest is right to the end.
TEST(timer_heap, agrees_with_a_plain_list) {
    std::mt19937 random(20);
    for (int round = 0; round < 200; ++round) {
        timer_heap heap;
        struct item {
            timer_heap::time_point due;
            int order;
            timer_heap::member which;
            bool operator<(const item& o) const {
                return std::pair(due, order) < std::pair(o.due, o.order);
            }
        };
        std::vector<item> list;
        std::vector<timer_heap::member> outside;
        for (timer_heap::member m = 0; m < 60; ++m) {
            outside.push_back(m);
        }
        heap.make_room(60);
        for (int step = 0; step < 300; ++step) {
            const auto pick = [&](std::size_t n) { return random() % n; };
            const auto action = random() % 5;
            if (action < 3 && !outside.empty()) {
                const auto i = pick(outside.size());
                const auto m = outside[i];
                outside.erase(outside.begin() + static_cast<std::ptrdiff_t>(i));
                list.push_back({at(static_cast<int>(random() % 20)), step, m});
                heap.push(m, list.back().due);
            } else if (action == 3 && !list.empty()) {
                const auto i = list.begin() + static_cast<std::ptrdiff_t>(pick(list.size()));
                heap.erase(i->which);
                outside.push_back(i->which);
                list.erase(i);
            } else if (!list.empty()) {
                const auto i = std::min_element(list.begin(), list.end());
                ASSERT_EQ(heap.first_due(), i->due);
                ASSERT_EQ(heap.pop(), i->which);
                outside.push_back(i->which);
                list.erase(i);
            }
            ASSERT_EQ(heap.size(), list.size());
        }
        std::sort(list.begin(), list.end());
        for (const item& i : list) {
            ASSERT_EQ(heap.pop(), i.which);
        }
        ASSERT_TRUE(heap.empty());
    }
}
