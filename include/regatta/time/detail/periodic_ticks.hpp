// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The next tick of a periodic timer, without drift.

#include <regatta/base/detail/saturated_time.hpp>

#include <regatta/time/timer_scheduler_options.hpp>

#include <chrono>
#include <cstdint>

namespace regatta::detail {

/// A tick, and the number of ticks skipped before it.
struct following_tick {
    std::chrono::steady_clock::time_point time;
    std::uint64_t skipped = 0;
};

/// The tick that follows `tick` at the time `now`. Every tick is a whole number of periods after
/// the first one, however late the runs are.
/// @param period positive.
constexpr following_tick next_tick(std::chrono::steady_clock::time_point tick,
                                   std::chrono::nanoseconds period,
                                   std::chrono::steady_clock::time_point now,
                                   missed_ticks missed) noexcept {
    const auto next = saturated_sum(tick, period);
    if (missed == missed_ticks::catch_up || next >= now) {
        return {next, 0};
    }
    // Not "+ period - 1", which could overflow. As next < now, the dividend is not negative.
    const auto late = ((now - next) - std::chrono::nanoseconds(1)) / period + 1;
    return {saturated_sum(next, late * period), static_cast<std::uint64_t>(late)};
}

} // namespace regatta::detail
