// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/sync/backoff.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

/// Counts what a backoff does instead of doing it.
struct counting {
    static constexpr std::uint32_t backoff_steps = 9;
    static inline int hints = 0;
    static void relax() noexcept { ++hints; }
};

} // namespace

TEST(backoff, spins_longer_each_time_then_says_park) {
    counting::hints = 0;
    regatta::basic_backoff<counting> pace;
    int last = 0;
    while (pace.pause()) {
        EXPECT_EQ(counting::hints - last, last == 0 ? 1 : last + 1); // 1, 2, 4, …
        last = counting::hints;
    }
    EXPECT_GT(last, 100);
    EXPECT_FALSE(pace.pause());
    EXPECT_EQ(counting::hints, last);
}

TEST(backoff, begins_anew_after_reset) {
    counting::hints = 0;
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
