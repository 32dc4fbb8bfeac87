// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/base/config.hpp>
#include <regatta/core/priority.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

using regatta::admission_levels;
using regatta::admission_limits;
using regatta::priority;

TEST(admission_limits, are_shares_of_the_capacity_rounded_down) {
    const admission_limits by_default({}, 1024);
    EXPECT_EQ(by_default[priority::low], 614u);
    EXPECT_EQ(by_default[priority::medium], 819u);
    EXPECT_EQ(by_default[priority::high], 1013u);
    const admission_limits hundred({}, 100);
    EXPECT_EQ(hundred[priority::low], 60u);
    EXPECT_EQ(hundred[priority::medium], 80u);
    EXPECT_EQ(hundred[priority::high], 99u);
    const admission_limits tiny({}, 2);
    EXPECT_EQ(tiny[priority::low], 1u);
    EXPECT_EQ(tiny[priority::high], 1u);
}

TEST(admission_limits, take_the_ends_of_the_range) {
    const admission_limits all({.low = 0, .medium = 100, .high = 100}, 64);
    EXPECT_EQ(all[priority::low], 0u);
    EXPECT_EQ(all[priority::medium], 64u);
    EXPECT_EQ(all[priority::high], 64u);
}

TEST(admission_limits, do_not_overflow) {
    constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
    const admission_limits limits({.low = 50, .medium = 100, .high = 100}, huge);
    EXPECT_EQ(limits[priority::low], huge / 2);
    EXPECT_EQ(limits[priority::medium], huge);
}

#if REGATTA_EXCEPTIONS
TEST(admission_limits, refuse_levels_that_do_not_rise_or_exceed_100) {
    for (const admission_levels wrong :
         {admission_levels{81, 80, 99}, admission_levels{60, 100, 99}, admission_levels{1, 2, 101},
          admission_levels{200, 200, 200}}) {
        try {
            admission_limits(wrong, 64);
            ADD_FAILURE() << "accepted " << wrong.low;
        } catch (const std::invalid_argument& error) {
            EXPECT_NE(std::string(error.what()).find(std::to_string(wrong.high)),
                      std::string::npos);
        }
    }
}
#endif
