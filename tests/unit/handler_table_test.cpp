// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/counted.hpp"

#include <regatta/bus/detail/handler_table.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace {

using library_test::counted;
using table_type = regatta::detail::handler_table;

template<class F>
std::size_t add(table_type& table, F f) {
    const std::size_t place = table.claim();
    if (place != table_type::npos) {
        table.fill(place, table_type::of<int>(std::move(f)));
    }
    return place;
}

} // namespace

TEST(handler_table, calls_every_handler_with_the_message_itself) {
    table_type table(2);
    std::vector<int> calls;
    int message = 5;
    EXPECT_FALSE(table.dispatch(&message));
    add(table, [&](int& m) { calls.push_back(m++); });
    add(table, [&](const int& m) { calls.push_back(m); });
    EXPECT_TRUE(table.dispatch(&message));
    EXPECT_EQ(calls, (std::vector<int>{5, 6}));
    // "whether there was one": also in front of a place that is free again.
    EXPECT_TRUE(table.retire(1, table.generation(1), false));
    static_cast<void>(table.release(1));
    EXPECT_TRUE(table.dispatch(&message));
    EXPECT_EQ(calls.size(), 3u);
}

TEST(handler_table, refuses_more_handlers_than_places_and_leaves_the_handler_whole) {
    table_type table(1);
    EXPECT_EQ(add(table, [](int&) {}), 0u);
    int calls = 0;
    auto second = table_type::of<int>([&calls](int&) { ++calls; });
    EXPECT_EQ(table.claim(), table_type::npos);
    int message = 0;
    ASSERT_TRUE(second);
    second(&message);
    EXPECT_EQ(calls, 1);
    table_type none(0);
    EXPECT_EQ(none.claim(), table_type::npos);
    EXPECT_FALSE(none.dispatch(&message));
}

TEST(handler_table, a_retired_handler_is_not_called_and_not_destroyed_until_released) {
    std::atomic<int> alive{0};
    table_type table(2);
    int calls = 0;
    const auto place = add(table, [&calls, c = counted(alive, 0)](int&) { ++calls; });
    const auto generation = table.generation(place);
    EXPECT_TRUE(table.retire(place, generation, false));
    EXPECT_FALSE(table.retire(place, generation, false));
    int message = 0;
    EXPECT_FALSE(table.dispatch(&message));
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(alive.load(), 1);
    EXPECT_FALSE(table.release_left()); // It belongs to the one who retired it.
    {
        const auto old = table.release(place);
        EXPECT_TRUE(old);
        EXPECT_EQ(alive.load(), 1);
    }
    EXPECT_EQ(alive.load(), 0);
}

TEST(handler_table, the_consumer_s_own_are_left_to_its_sweep) {
    std::atomic<int> alive{0};
    table_type table(3);
    std::vector<std::size_t> places;
    for (int i = 0; i < 3; ++i) {
        places.push_back(add(table, [c = counted(alive, i)](int&) {}));
    }
    EXPECT_TRUE(table.retire(places[0], table.generation(places[0]), true));
    EXPECT_TRUE(table.retire(places[2], table.generation(places[2]), true));
    EXPECT_TRUE(table.release_left());
    EXPECT_TRUE(table.release_left());
    EXPECT_FALSE(table.release_left());
    EXPECT_EQ(alive.load(), 1);
}

TEST(handler_table, a_place_used_anew_is_no_more_the_old_subscription) {
    table_type table(1);
    const auto place = add(table, [](int&) {});
    const auto old = table.generation(place);
    EXPECT_TRUE(table.retire(place, old, false));
    EXPECT_TRUE(table.release(place));
    EXPECT_EQ(add(table, [](int&) {}), place);
    EXPECT_NE(table.generation(place), old);
    EXPECT_FALSE(table.retire(place, old, false));
    EXPECT_FALSE(table.retire(1, 1, false)); // No such place.
    EXPECT_TRUE(table.retire(place, table.generation(place), false));
}

TEST(handler_table, destroys_what_is_still_subscribed) {
    std::atomic<int> alive{0};
    {
        table_type table(2);
        add(table, [c = counted(alive, 0)](int&) {});
        const auto place = add(table, [c = counted(alive, 1)](int&) {});
        table.retire(place, table.generation(place), true);
        EXPECT_EQ(alive.load(), 2);
    }
    EXPECT_EQ(alive.load(), 0);
}

TEST(handler_table, a_handler_added_during_a_dispatch_is_not_called_twice) {
    table_type table(4);
    int added = 0;
    int calls = 0;
    add(table, [&](int&) {
        if (added++ == 0) {
            add(table, [&](int&) { ++calls; });
        }
    });
    int message = 0;
    table.dispatch(&message);
    EXPECT_LE(calls, 1);
    calls = 0;
    table.dispatch(&message);
    EXPECT_EQ(calls, 1);
}
