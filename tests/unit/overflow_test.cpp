// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/core/pool_options.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

using regatta::hand_over;
using regatta::overflow;
using regatta::overflow_policy;
using regatta::task;

TEST(overflow, is_block_unless_told_otherwise) {
    EXPECT_EQ(overflow_policy().what(), overflow::block);
    const overflow_policy drops = overflow::drop_oldest;
    EXPECT_EQ(drops.what(), overflow::drop_oldest);
    EXPECT_FALSE(drops.hands_over());
}

TEST(overflow, hands_over_one_by_one) {
    std::vector<task> kept;
    const overflow_policy policy = hand_over([&](task t) { kept.push_back(std::move(t)); });
    ASSERT_TRUE(policy.hands_over());
    int runs = 0;
    std::array<task, 2> refused{task([&] { ++runs; }), task([&] { runs += 10; })};
    policy.give(refused);
    ASSERT_EQ(kept.size(), 2u);
    kept[0]();
    EXPECT_EQ(runs, 1);
    kept[1]();
    EXPECT_EQ(runs, 11);
}

TEST(overflow, hands_over_a_batch) {
    std::size_t given = 0;
    const overflow_policy policy = hand_over([&](std::span<task> some) { given = some.size(); });
    std::array<task, 3> refused;
    policy.give(refused);
    EXPECT_EQ(given, 3u);
}

TEST(overflow, copies_share_the_sink) {
    int calls = 0;
    const overflow_policy policy =
        hand_over([&calls, own = std::make_shared<int>(1)](const task&) { calls += *own; });
    const overflow_policy copy = policy; // NOLINT: the copy is the point
    std::array<task, 1> refused;
    policy.give(refused);
    copy.give(refused);
    EXPECT_EQ(calls, 2);
}
