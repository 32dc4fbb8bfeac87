// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/base/config.hpp>
#include <regatta/bus/bus_options.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

using regatta::admission_class;
using regatta::admission_levels;
using regatta::admission_limits;

TEST(admission_limits, are_shares_of_the_capacity_rounded_down) {
    const admission_limits by_default({}, 1024);
    EXPECT_EQ(by_default[admission_class::low], 614u);
    EXPECT_EQ(by_default[admission_class::medium], 819u);
    EXPECT_EQ(by_default[admission_class::high], 1013u);
    const admission_limits hundred({}, 100);
    EXPECT_EQ(hundred[admission_class::low], 60u);
    EXPECT_EQ(hundred[admission_class::medium], 80u);
    EXPECT_EQ(hundred[admission_class::high], 99u);
    const admission_limits tiny({}, 2);
    EXPECT_EQ(tiny[admission_class::low], 1u);
    EXPECT_EQ(tiny[admission_class::high], 1u);
}

TEST(admission_limits, take_the_ends_of_the_range) {
    const admission_limits all({.low = 0, .medium = 100, .high = 100}, 64);
    EXPECT_EQ(all[admission_class::low], 0u);
    EXPECT_EQ(all[admission_class::medium], 64u);
    EXPECT_EQ(all[admission_class::high], 64u);
}

TEST(admission_limits, do_not_overflow) {
    constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
    const admission_limits limits({.low = 50, .medium = 100, .high = 100}, huge);
    EXPECT_EQ(limits[admission_class::low], huge / 2);
    EXPECT_EQ(limits[admission_class::medium], huge);
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
            const std::string got = std::to_string(wrong.low) + ", " +
                                    std::to_string(wrong.medium) + ", " +
                                    std::to_string(wrong.high);
            EXPECT_TRUE(std::string_view(error.what()).ends_with("got " + got)) << error.what();
        }
    }
}
#endif
