// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/sync/backoff.hpp>

#include <gtest/gtest.h>

namespace {

/// Counts what a backoff does instead of doing it.
struct counting {
    static inline int hints = 0;
    static inline int yields = 0;
    static void relax() noexcept { ++hints; }
    static void yield() noexcept { ++yields; }
};

} // namespace

TEST(backoff, spins_then_yields_then_says_park) {
    counting::hints = counting::yields = 0;
    regatta::basic_backoff<counting> pace;
    int last = 0;
    while (counting::yields == 0) {
        ASSERT_TRUE(pace.pause());
        if (counting::yields == 0) {
            EXPECT_EQ(counting::hints - last, last == 0 ? 1 : last + 1); // 1, 2, 4, …
            last = counting::hints;
        }
    }
    const int hints = counting::hints;
    while (pace.pause()) {
    }
    EXPECT_EQ(counting::hints, hints);
    EXPECT_GT(counting::yields, 1);
    const int yields = counting::yields;
    EXPECT_FALSE(pace.pause());
    EXPECT_EQ(counting::hints, hints);
    EXPECT_EQ(counting::yields, yields);
}

TEST(backoff, begins_anew_after_reset) {
    counting::hints = counting::yields = 0;
    regatta::basic_backoff<counting> pace;
    while (pace.pause()) {
    }
    const int hints = counting::hints;
    pace.reset();
    EXPECT_TRUE(pace.pause());
    EXPECT_EQ(counting::hints, hints + 1);
}

TEST(backoff, ends_also_with_the_machine_s_own_hints) {
    regatta::backoff pace;
    int steps = 0;
    while (pace.pause()) {
        ++steps;
    }
    EXPECT_GT(steps, 0);
    EXPECT_LT(steps, 100);
}
