// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/sync/backoff.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace {

/// Counts what a backoff does instead of doing it.
struct counting {
    static constexpr std::uint32_t backoff_steps = 9;
    static inline int hints = 0;
    static inline std::int64_t spun_ns = 0;
    static void relax() noexcept { ++hints; }
    static void relax_for(std::chrono::nanoseconds time) noexcept { spun_ns += time.count(); }
    static inline std::vector<std::int64_t> slept_us;
    static void sleep_for(std::chrono::nanoseconds time) {
        slept_us.push_back(time.count() / 1000);
    }
};

} // namespace

TEST(backoff, spins_longer_each_time_then_says_park) {
    counting::hints = 0;
    counting::spun_ns = 0;
    regatta::basic_backoff<counting> pace;
    EXPECT_TRUE(pace.pause());
    EXPECT_EQ(counting::hints, 1);
    EXPECT_EQ(counting::spun_ns, 0);
    std::int64_t last = 0;
    std::int64_t step = 0;
    int steps = 1;
    for (; pace.pause(); ++steps) {
        const std::int64_t now = counting::spun_ns - last;
        last = counting::spun_ns;
        EXPECT_EQ(now, step == 0 ? 100 : 2 * step); // 100, 200, 400 ns …
        step = now;
    }
    EXPECT_EQ(steps, 9);
    EXPECT_EQ(last, 25'500);
    EXPECT_FALSE(pace.pause());
    EXPECT_EQ(counting::spun_ns, last);
    EXPECT_EQ(counting::hints, 1);
}

TEST(backoff, begins_anew_after_reset) {
    counting::hints = 0;
    regatta::basic_backoff<counting> pace;
    while (pace.pause()) {
    }
    const int hints = counting::hints;
    const std::int64_t spun = counting::spun_ns;
    pace.reset();
    EXPECT_TRUE(pace.pause());
    EXPECT_EQ(counting::hints, hints + 1);
    EXPECT_EQ(counting::spun_ns, spun);
}

// "Spins as `pause`; later sleeps, for longer each time, up to a millisecond."
TEST(backoff, sleeps_longer_each_time_up_to_a_millisecond) {
    regatta::basic_backoff<counting> pace;
    for (int round = 0; round < 2; ++round) {
        counting::slept_us.clear();
        for (std::uint32_t i = 0; i < counting::backoff_steps + 6; ++i) {
            pace.pause_or_sleep();
        }
        EXPECT_EQ(counting::slept_us, (std::vector<std::int64_t>{62, 124, 248, 496, 992, 992}));
        pace.reset();
    }
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
