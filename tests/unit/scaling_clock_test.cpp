// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/clock_meter.hpp"
#include "machine/cpu_time.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

using regatta::race::clock_meter;
using regatta::race::own_cpu_ns;

namespace {

/// Works until the process has used so much more CPU time.
void work_for(std::int64_t ns) {
    const std::int64_t end = own_cpu_ns() + ns;
    volatile std::uint64_t sum = 0;
    while (own_cpu_ns() < end) {
        for (int i = 0; i < 1000; ++i) {
            sum = sum + 1;
        }
    }
}

} // namespace

// No processor that runs this is slower than 100 MHz or faster than 10 GHz. An emulator is.
TEST(clock_meter, by_additions_is_a_clock) {
    clock_meter meter(clock_meter::method::additions);
    for (const unsigned busy : {1u, 2u}) {
        meter.begin();
        const auto clock = meter.end(busy);
        if (!clock) {
            GTEST_SKIP() << meter.source();
        }
        EXPECT_GT(*clock, 1e8);
        EXPECT_LT(*clock, 1e10);
    }
}

TEST(clock_meter, by_counting_sees_threads_that_began_later) {
    clock_meter meter;
    EXPECT_FALSE(meter.source().empty());
    meter.begin();
    std::jthread([] { work_for(20'000'000); }).join();
    const auto clock = meter.end(1);
    if (!clock) {
        GTEST_SKIP() << meter.source();
    }
    EXPECT_GT(*clock, 1e8);
    EXPECT_LT(*clock, 1e10);
}

TEST(clock_meter, of_no_busy_cpu_is_nothing) {
    clock_meter meter(clock_meter::method::additions);
    meter.begin();
    EXPECT_FALSE(meter.end(0));
}
