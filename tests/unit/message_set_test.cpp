// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/bus/message_set.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace {

struct tick {};
using one = regatta::message_set<tick>;
using three = regatta::message_set<int, std::string, std::unique_ptr<int>>;

} // namespace

TEST(message_set, knows_its_types_and_their_places) {
    EXPECT_TRUE(one::contains<tick>);
    EXPECT_FALSE(one::contains<int>);
    EXPECT_EQ(three::index<int>, 0u);
    EXPECT_EQ(three::index<std::string>, 1u);
    EXPECT_EQ(three::index<std::unique_ptr<int>>, 2u);
    EXPECT_FALSE(three::contains<const int>);
    EXPECT_FALSE(three::contains<int&>);
    EXPECT_FALSE(three::contains<const char*>);
    EXPECT_EQ(three::count<long>, 0u);
}
