// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/time/detail/periodic_ticks.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace {

using namespace std::chrono_literals;
using regatta::missed_ticks;
using regatta::detail::next_tick;
using std::chrono::nanoseconds;
using moment = std::chrono::steady_clock::time_point;

constexpr moment at(nanoseconds t) {
    return moment(t);
}

} // namespace

TEST(periodic_ticks, follow_one_another_while_runs_are_on_time) {
    for (const auto missed : {missed_ticks::skip, missed_ticks::catch_up}) {
        for (const auto now : {at(100ms), at(101ms), at(109ms), at(110ms)}) {
            const auto next = next_tick(at(100ms), 10ms, now, missed);
            EXPECT_EQ(next.time, at(110ms));
            EXPECT_EQ(next.skipped, 0u);
        }
    }
}

TEST(periodic_ticks, that_have_passed_are_skipped_or_made_up_for) {
    struct {
        nanoseconds now, next;
        std::uint64_t skipped;
    } const cases[] = {{110ms + 1ns, 120ms, 1},
                       {120ms, 120ms, 1},
                       {120ms + 1ns, 130ms, 2},
                       {129ms, 130ms, 2},
                       {1095ms, 1100ms, 99}};
    for (const auto& c : cases) {
        const auto next = next_tick(at(100ms), 10ms, at(c.now), missed_ticks::skip);
        EXPECT_EQ(next.time, at(c.next));
        EXPECT_EQ(next.skipped, c.skipped);
        const auto made_up = next_tick(at(100ms), 10ms, at(c.now), missed_ticks::catch_up);
        EXPECT_EQ(made_up.time, at(110ms));
        EXPECT_EQ(made_up.skipped, 0u);
    }
}

// "Every tick is a whole number of periods after the first one, however late the runs are."
TEST(periodic_ticks, do_not_drift) {
    const moment first = at(3ns);
    moment tick = first;
    std::uint64_t skipped = 0;
    for (int run = 1; run <= 1000; ++run) {
        const auto next = next_tick(tick, 7ns, tick + nanoseconds(run % 40), missed_ticks::skip);
        EXPECT_GE(next.time, tick + nanoseconds(run % 40));
        skipped += next.skipped;
        tick = next.time;
        ASSERT_EQ((tick - first) / 7ns, static_cast<std::int64_t>(skipped) + run);
        ASSERT_EQ((tick - first) % 7ns, 0ns);
    }
}

TEST(periodic_ticks, of_very_long_periods_never_come) {
    const auto next = next_tick(at(1s), nanoseconds::max(), at(2s), missed_ticks::skip);
    EXPECT_EQ(next.time, moment::max());
    EXPECT_EQ(next.skipped, 0u);
}
