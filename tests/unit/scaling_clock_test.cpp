// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/clock_meter.hpp"

#include <gtest/gtest.h>

using regatta::race::clock_now;
using regatta::race::clock_source;

// No processor that runs this is slower than 100 MHz or faster than 10 GHz.
TEST(clock_now, is_a_clock_for_any_number_of_busy_cpus) {
    for (const unsigned busy : {1u, 2u, 5u}) {
        const auto clock = clock_now(busy);
        if (!clock) {
            GTEST_SKIP() << clock_source();
        }
        EXPECT_GT(*clock, 1e8);
        EXPECT_LT(*clock, 1e10);
    }
}

TEST(clock_now, of_no_busy_cpu_is_nothing) {
    EXPECT_FALSE(clock_now(0));
    EXPECT_FALSE(clock_source().empty());
}
