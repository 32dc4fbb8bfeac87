// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "inspect/gap_probe.hpp"
#include <regatta/base/detail/monotonic_ns.hpp>
#include <regatta/inspect/jitter.hpp>

#include "support/eventually.hpp"
#include "support/this_thread.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <vector>

namespace {

using namespace std::chrono_literals;
using regatta::gap;
using regatta::gap_histogram;

} // namespace

TEST(gap_histogram, has_the_edges_one_two_five) {
    EXPECT_EQ(gap_histogram::edges.front(), 100);
    EXPECT_EQ(gap_histogram::edges[1], 200);
    EXPECT_EQ(gap_histogram::edges[2], 500);
    EXPECT_EQ(gap_histogram::edges[3], 1000);
    EXPECT_EQ(gap_histogram::edges.back(), 10'000'000'000);
    for (std::size_t i = 0; i < gap_histogram::bins; ++i) {
        EXPECT_EQ(gap_histogram::bin_of(gap_histogram::edges[i]), i);
        if (i > 0) {
            EXPECT_EQ(gap_histogram::bin_of(gap_histogram::edges[i] - 1), i - 1);
        }
    }
    EXPECT_EQ(gap_histogram::bin_of(0), 0u);
    EXPECT_EQ(gap_histogram::bin_of(-5), 0u);
    EXPECT_EQ(gap_histogram::bin_of(INT64_MAX), gap_histogram::bins - 1);
}

TEST(gap_histogram, counts_and_sums) {
    gap_histogram one;
    EXPECT_TRUE(one.empty());
    EXPECT_EQ(one.longest_ns(), 0);
    one.add(1500);
    one.add(1999);
    one.add(7000);
    gap_histogram other;
    other.add(1000);
    other.add(9'000'000);
    one += other;
    EXPECT_EQ(one.count(), 5u);
    EXPECT_EQ(one.total_ns(), 1500 + 1999 + 7000 + 1000 + 9'000'000);
    EXPECT_EQ(one.longest_ns(), 9'000'000);
    EXPECT_EQ(one[gap_histogram::bin_of(1000)].count, 3u);
    EXPECT_EQ(one[gap_histogram::bin_of(1000)].total_ns, 1500 + 1999 + 1000);
}

TEST(gap_loop, ends_at_its_time_and_when_it_is_told) {
    const std::int64_t begin = regatta::detail::monotonic_ns();
    const auto timed = regatta::run_gap_loop(
        begin + 2'000'000, 1000, [] { return false; }, [](const gap&) {});
    EXPECT_GE(timed.end_ns, begin + 2'000'000);
    EXPECT_GT(timed.reads, 0u);

    int asked = 0;
    const auto told = regatta::run_gap_loop(
        INT64_MAX, INT64_MAX, [&] { return ++asked == 100; }, [](const gap&) {});
    EXPECT_EQ(told.reads, 100u);
}

TEST(gap_loop, finds_the_gap_that_is_open_at_its_end) {
    std::vector<gap> gaps;
    const auto stop = [] {
        const std::int64_t begin = regatta::detail::monotonic_ns();
        while (regatta::detail::monotonic_ns() < begin + 1'000'000) {
        }
        return true;
    };
    regatta::run_gap_loop(INT64_MAX, 500'000, stop, [&](const gap& one) { gaps.push_back(one); });
    EXPECT_EQ(gaps.size(), 1u);
}

// Where reading the clock is a system call, each turn may be a gap.
TEST(gap_loop, tells_its_own_cost_though_that_is_above_the_threshold) {
    int turns = 0;
    const auto slow = [&] {
        const std::int64_t begin = regatta::detail::monotonic_ns();
        while (regatta::detail::monotonic_ns() < begin + 5'000) {
        }
        return ++turns == 10;
    };
    const auto result = regatta::run_gap_loop(INT64_MAX, 1000, slow, [](const gap&) {});
    EXPECT_GE(result.shortest_ns, 5'000);
    EXPECT_LT(result.shortest_ns, INT64_MAX);
}

TEST(gap_loop, gaps_come_one_after_the_other_and_none_is_too_short) {
    const std::int64_t begin = regatta::detail::monotonic_ns();
    std::vector<gap> gaps;
    // At this threshold every turn is a gap, on any machine.
    const auto result = regatta::run_gap_loop(
        begin + 2'000'000, 1, [] { return false; }, [&](const gap& one) { gaps.push_back(one); });
    ASSERT_FALSE(gaps.empty());
    std::int64_t last = result.begin_ns;
    for (const gap& one : gaps) {
        EXPECT_GE(one.start_ns, last);
        EXPECT_GE(one.length_ns, 1);
        last = one.end_ns();
    }
    EXPECT_LE(last, result.end_ns);
}

TEST(jitter, is_the_histogram_of_the_loop) {
    const regatta::jitter found = regatta::measure_jitter(2ms, 1ns);
    EXPECT_GT(found.gaps.count(), 0u);
    EXPECT_LE(found.gaps.count(), found.loop.reads);
    EXPECT_LE(found.gaps.total_ns(), found.loop.elapsed_ns());
    EXPECT_GT(found.loop.elapsed_ns(), 0);
}

TEST(gap_probe, runs_on_its_cpu_and_hands_its_gaps_over) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    const unsigned cpu = *regatta::affinity_of_this_thread().begin();
    bool prepared = false;
    regatta::detail::gap_probe probe(cpu, 1, [&] { prepared = true; });
    ASSERT_TRUE(probe.await_start(std::chrono::steady_clock::now() + library_test::patience()));
    EXPECT_EQ(probe.error(), 0);
    EXPECT_TRUE(prepared);
    std::size_t found = 0;
    const auto count = [&](const gap& one) {
        EXPECT_GT(one.length_ns, 0);
        ++found;
    };
    library_test::await([&] {
        probe.drain(count);
        return found != 0;
    });
    probe.stop();
    probe.drain(count);
    EXPECT_GT(probe.result().reads, 0u);
    EXPECT_LE(found + probe.dropped(), probe.result().reads);
}

TEST(gap_probe, says_how_many_gaps_it_had_no_room_for) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    const unsigned cpu = *regatta::affinity_of_this_thread().begin();
    constexpr std::uint64_t room = 1 << 14;
    std::uint64_t left = 0;
    std::int64_t stretch_ns = 10'000'000;
    library_test::await([&] {
        regatta::detail::gap_probe probe(cpu, 1, {});
        const std::int64_t end = regatta::detail::monotonic_ns() + (stretch_ns *= 2);
        while (regatta::detail::monotonic_ns() < end) {
        }
        probe.stop();
        left = 0;
        probe.drain([&](const gap&) { ++left; });
        EXPECT_LE(left + probe.dropped(), probe.result().reads);
        // One gap may have filled it.
        return left == room && probe.dropped() > 0;
    });
    EXPECT_EQ(left, room);
}

TEST(gap_probe, says_where_it_may_not_run) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    regatta::detail::gap_probe probe(regatta::detail::configured_cpus() + 5000, 1000, {});
    ASSERT_TRUE(probe.await_start(std::chrono::steady_clock::now() + library_test::patience()));
    EXPECT_EQ(probe.error(), EINVAL);
    probe.stop();
    EXPECT_EQ(probe.result().reads, 0u);
}
