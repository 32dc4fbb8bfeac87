// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Items that arrive at a steady rate, whether or not a worker is free for them.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/detail/monotonic_ns.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ctime>

namespace regatta::race {

/// When the items of a run arrive: the first at once, each further one an interval later. An item
/// that a late worker begins after its arrival has waited, and that is part of its latency: this is
/// what timing it from its begin leaves out (coordinated omission).
///
/// Items are alike, so whichever a worker takes next is the next to arrive: that holds for schemes
/// of every order.
///
/// Lives in memory that processes share. Threads: `next` any; the others the one that drives the
/// race, while no worker runs.
/// Source: G. Tene, "How not to measure latency", 2013.
class arrivals {
public:
    /// So many items a second; 0: there is no rate. To be called before there are workers.
    void set_rate(double rate) noexcept { interval_ns_ = rate > 0 ? 1e9 / rate : 0; }

    /// Items arrive from now on. To be called before a worker has items.
    void begin() noexcept {
        begin_ns_ = detail::monotonic_ns();
        next_.store(0, std::memory_order_relaxed);
    }

    bool paced() const noexcept { return interval_ns_ > 0; }

    /// Waits until the next item arrives, unless it already has.
    ///
    /// Blocks: asleep, so that an idle worker costs nothing; waking up takes some 50 µs, which the
    /// item's latency has in it. Ends early where `stop` becomes other than 0.
    /// @returns when it arrived.
    std::int64_t next(const std::atomic<std::uint32_t>& stop) noexcept {
        const auto number = next_.fetch_add(1, std::memory_order_relaxed);
        const auto due =
            begin_ns_ + static_cast<std::int64_t>(static_cast<double>(number) * interval_ns_);
        for (std::int64_t now = detail::monotonic_ns(); now < due; now = detail::monotonic_ns()) {
            if (stop.load(std::memory_order_relaxed) != 0) {
                break;
            }
            constexpr std::int64_t slice_ns = 20'000'000; // how late a stop may be seen
            const std::int64_t until = std::min(due, now + slice_ns);
            const timespec t{static_cast<std::time_t>(until / 1'000'000'000),
                             static_cast<long>(until % 1'000'000'000)};
            ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr);
        }
        return due;
    }

private:
    double interval_ns_ = 0;
    std::int64_t begin_ns_ = 0;
    /// Written by all workers. Relaxed: it only hands out numbers.
    alignas(destructive_alignment) std::atomic<std::uint64_t> next_{0};
};

} // namespace regatta::race
