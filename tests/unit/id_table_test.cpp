// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/time/detail/id_table.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

using regatta::detail::id_table;

TEST(id_table, finds_a_value_by_its_id_until_it_is_released) {
    id_table<int> table;
    const auto a = table.take();
    const auto b = table.take();
    table[a] = 1;
    table[b] = 2;
    const auto id = table.id_of(a);
    EXPECT_NE(id, 0u);
    EXPECT_NE(id, table.id_of(b));
    ASSERT_EQ(table.find(id), a);
    EXPECT_EQ(table[table.find(id)], 1);
    EXPECT_TRUE(table.used(a));
    table.release(a);
    EXPECT_FALSE(table.used(a));
    EXPECT_EQ(table.find(id), table.nowhere);
    EXPECT_EQ(table.find(table.id_of(b)), b);
}

TEST(id_table, knows_no_id_that_it_has_not_given) {
    id_table<int> table;
    EXPECT_EQ(table.find(0), table.nowhere);
    EXPECT_EQ(table.find(std::uint64_t{1} << 32), table.nowhere);
    EXPECT_EQ(table.find(~std::uint64_t{0}), table.nowhere);
    const auto n = table.take();
    const auto id = table.id_of(n);
    table.release(n);
    EXPECT_EQ(table.find(id + (std::uint64_t{1} << 32)), table.nowhere); // the next of that place
    EXPECT_FALSE(table.used(7));
}

TEST(id_table, uses_places_again_under_other_ids) {
    id_table<int> table;
    const auto n = table.take();
    const auto id = table.id_of(n);
    table.release(n);
    EXPECT_EQ(table.next(), n);
    EXPECT_EQ(table.take(), n);
    EXPECT_EQ(table.next(), n + 1);
    EXPECT_NE(table.id_of(n), id);
    EXPECT_EQ(table.find(id), table.nowhere);
    EXPECT_EQ(table.size(), 1u);
}

// 255 uses a place: then it stays empty, and no id has come twice.
TEST(id_table, never_gives_an_id_twice) {
    id_table<int, std::uint8_t> table;
    std::set<std::uint64_t> ids;
    for (int i = 0; i < 1000; ++i) {
        const auto n = table.take();
        EXPECT_TRUE(ids.insert(table.id_of(n)).second) << i;
        table.release(n);
    }
    EXPECT_EQ(table.size(), 4u);
    EXPECT_FALSE(ids.contains(0));
}

TEST(id_table, leaves_values_where_they_are) {
    id_table<int> table;
    const auto first = table.take();
    const int* const where = &table[first];
    for (int i = 0; i < 10000; ++i) {
        table.take();
    }
    EXPECT_EQ(&table[first], where);
}
