// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/time/stopwatch.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace {

using namespace std::chrono_literals;

/// A clock that goes where the test sets it.
struct set_clock {
    using duration = std::chrono::milliseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<set_clock>;
    static constexpr bool is_steady = false;
    static inline time_point current{};
    static time_point now() { return current; }
};
using watch_type = regatta::basic_stopwatch<set_clock>;

} // namespace

TEST(stopwatch, counts_from_its_construction) {
    const watch_type watch;
    EXPECT_TRUE(watch.running());
    EXPECT_EQ(watch.elapsed(), 0ms);
    set_clock::current += 1500ms;
    EXPECT_EQ(watch.elapsed(), 1500ms);
    EXPECT_DOUBLE_EQ(watch.seconds(), 1.5);
}

TEST(stopwatch, counts_laps_that_add_up) {
    watch_type watch;
    set_clock::current += 10ms;
    EXPECT_EQ(watch.lap(), 10ms);
    EXPECT_EQ(watch.lap(), 0ms);
    set_clock::current += 20ms;
    EXPECT_EQ(watch.lap(), 20ms);
    set_clock::current += 5ms;
    EXPECT_EQ(watch.elapsed(), 35ms);
}

TEST(stopwatch, leaves_pauses_out) {
    watch_type watch;
    set_clock::current += 10ms;
    watch.pause();
    EXPECT_FALSE(watch.running());
    set_clock::current += 100ms;
    EXPECT_EQ(watch.elapsed(), 10ms);
    watch.pause();
    EXPECT_EQ(watch.elapsed(), 10ms);
    watch.resume();
    set_clock::current += 1ms;
    watch.resume();
    set_clock::current += 1ms;
    EXPECT_TRUE(watch.running());
    EXPECT_EQ(watch.elapsed(), 12ms);
    EXPECT_EQ(watch.lap(), 12ms);
    watch.pause();
    set_clock::current += 100ms;
    watch.resume();
    set_clock::current += 3ms;
    EXPECT_EQ(watch.lap(), 3ms);
}

TEST(stopwatch, begins_anew) {
    watch_type watch;
    set_clock::current += 10ms;
    watch.lap();
    watch.pause();
    set_clock::current += 10ms;
    EXPECT_EQ(watch.reset(), 10ms);
    EXPECT_TRUE(watch.running());
    set_clock::current += 4ms;
    EXPECT_EQ(watch.elapsed(), 4ms);
    EXPECT_EQ(watch.lap(), 4ms);
}

TEST(stopwatch, goes_by_the_steady_clock) {
    const auto before = std::chrono::steady_clock::now();
    const regatta::stopwatch watch;
    const auto first = watch.elapsed();
    const auto second = watch.elapsed();
    EXPECT_GE(first, 0ns);
    EXPECT_GE(second, first);
    EXPECT_LE(second, std::chrono::steady_clock::now() - before);
}

// "One clock read per call": no time between two of them is lost.
TEST(stopwatch, loses_nothing_when_reset) {
    struct counting_clock : set_clock {
        using time_point = std::chrono::time_point<counting_clock, duration>;
        static time_point now() { return time_point((current += 1ms).time_since_epoch()); }
    };
    regatta::basic_stopwatch<counting_clock> watch;
    const auto began = set_clock::current;
    const auto counted = watch.reset() + watch.reset();
    EXPECT_EQ(counted, set_clock::current - began);
}
