// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/base/detail/saturated_time.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>

namespace {

using namespace std::chrono_literals;
using regatta::detail::deadline_after;
using regatta::detail::saturated_difference;
using regatta::detail::saturated_moment;
using regatta::detail::saturated_nanoseconds;
using regatta::detail::saturated_sum;
using std::chrono::nanoseconds;
using moment = std::chrono::steady_clock::time_point;

constexpr moment at(nanoseconds t) {
    return moment(t);
}

} // namespace

TEST(saturated_time, converts_exactly_what_can_be_converted) {
    EXPECT_EQ(saturated_nanoseconds(5ns).count(), 5);
    EXPECT_EQ(saturated_nanoseconds(-7us).count(), -7000);
    EXPECT_EQ(saturated_nanoseconds(24h).count(), 86'400'000'000'000);
    EXPECT_EQ(saturated_nanoseconds(0.25s).count(), 250'000'000);
    EXPECT_EQ(saturated_nanoseconds(std::chrono::seconds(9'223'372'036)).count(),
              9'223'372'036'000'000'000);
}

// A counter of a processor, a timer of 1.19 MHz, a sampling rate: the count times 10^9 overflows.
TEST(saturated_time, converts_any_period) {
    using ticks = std::chrono::duration<std::int64_t, std::ratio<1, 2'999'999'999>>;
    using old_timer = std::chrono::duration<std::int64_t, std::ratio<1, 1'193'182>>;
    using large = std::chrono::duration<std::uint64_t, std::pico>;
    EXPECT_EQ(saturated_nanoseconds(ticks(15'000'000'000)).count(), 5'000'000'002);
    EXPECT_EQ(saturated_nanoseconds(ticks(-15'000'000'000)).count(), -5'000'000'001);
    EXPECT_EQ(saturated_nanoseconds(ticks::max()).count(), 3'074'457'346'643'077'718);
    EXPECT_EQ(saturated_nanoseconds(old_timer(1'193'182 * std::int64_t{86'400})), 24h);
    EXPECT_EQ(saturated_nanoseconds(large(18'000'000'000'000'000'001u)).count(),
              18'000'000'000'000'001);
    EXPECT_EQ(saturated_nanoseconds(std::chrono::duration<float, std::nano>(9'223'371'776.0f)),
              9'223'371'776ns);
    EXPECT_EQ(saturated_nanoseconds(std::chrono::duration<float>(9'223'371'776.0f)).count(),
              9'223'371'776'000'000'000);
}

TEST(saturated_time, rounds_up) {
    using picoseconds = std::chrono::duration<std::int64_t, std::pico>;
    EXPECT_EQ(saturated_nanoseconds(picoseconds(1)).count(), 1);
    EXPECT_EQ(saturated_nanoseconds(picoseconds(1000)).count(), 1);
    EXPECT_EQ(saturated_nanoseconds(picoseconds(-1)).count(), 0);
    EXPECT_EQ(saturated_nanoseconds(std::chrono::duration<double, std::nano>(1.5)).count(), 2);
}

TEST(saturated_time, stops_at_the_ends) {
    using seconds = std::chrono::duration<double>;
    EXPECT_EQ(saturated_nanoseconds(std::chrono::hours::max()), nanoseconds::max());
    EXPECT_EQ(saturated_nanoseconds(std::chrono::hours::min()), nanoseconds::min());
    EXPECT_EQ(saturated_nanoseconds(std::chrono::seconds(9'223'372'037)), nanoseconds::max());
    EXPECT_EQ(saturated_nanoseconds(seconds(std::numeric_limits<double>::infinity())),
              nanoseconds::max());
    EXPECT_EQ(saturated_nanoseconds(seconds(-1e300)), nanoseconds::min());
    EXPECT_EQ(saturated_nanoseconds(seconds(std::numeric_limits<double>::quiet_NaN())),
              nanoseconds::max());
    EXPECT_EQ(saturated_sum(at(5ns), nanoseconds::max()), moment::max());
    EXPECT_EQ(saturated_sum(moment::max(), 1ns), moment::max());
    EXPECT_EQ(saturated_sum(at(-5ns), nanoseconds::max()), moment::max() - 5ns);
    EXPECT_EQ(saturated_sum(moment::min(), nanoseconds::max()), at(-1ns));
    EXPECT_EQ(saturated_sum(at(5ns), 6ns), at(11ns));
}

TEST(saturated_time, differences_stop_at_the_longest_time) {
    EXPECT_EQ(saturated_difference(at(7ns), at(5ns)), 2ns);
    EXPECT_EQ(saturated_difference(at(7ns), at(-5ns)), 12ns);
    EXPECT_EQ(saturated_difference(moment::max(), at(1ns)), nanoseconds::max() - 1ns);
    EXPECT_EQ(saturated_difference(moment::max(), at(-1ns)), nanoseconds::max());
    EXPECT_EQ(saturated_difference(moment::max(), moment::min()), nanoseconds::max());
    EXPECT_EQ(saturated_difference(moment::min(), moment::min()), 0ns);
}

TEST(saturated_time, moments_stop_at_the_ends_of_the_clock) {
    using hours = std::chrono::time_point<std::chrono::steady_clock, std::chrono::hours>;
    EXPECT_EQ(saturated_moment(hours(2h)), at(2h));
    EXPECT_EQ(saturated_moment(hours::max()), moment::max());
    EXPECT_EQ(saturated_moment(hours::min()), moment::min());
    EXPECT_EQ(saturated_moment(moment::min()), moment::min());
}

TEST(saturated_time, deadlines_beyond_the_clock_are_none) {
    const auto before = moment::clock::now();
    const auto later = deadline_after(5h);
    const auto past = deadline_after(std::chrono::hours::min());
    const auto after = moment::clock::now();
    EXPECT_GE(later, before + 5h);
    EXPECT_LE(later, after + 5h);
    EXPECT_GE(past, before);
    EXPECT_LE(past, after);
    EXPECT_TRUE(deadline_after(std::chrono::years(200)).has_value());
    EXPECT_FALSE(deadline_after(std::chrono::hours::max()).has_value());
    EXPECT_FALSE(deadline_after(nanoseconds::max()).has_value());
    EXPECT_FALSE(deadline_after(std::chrono::duration<float>(1e30F)).has_value());
}
