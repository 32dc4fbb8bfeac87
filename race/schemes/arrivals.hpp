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

/// Who waits for an item to arrive.
enum class item_source : std::uint8_t {
    /// Each worker, before the item that it takes next.
    workers,
    /// The thread that hands the items over one by one, in their order.
    producer,
};

/// When the items of a run arrive: the first at once, each further one an interval later. An item
/// that begins after its arrival has waited, and that is part of its latency: this is what timing
/// it from its begin, or from its hand-over, leaves out (coordinated omission).
///
/// Where the workers wait, items are alike: whichever a worker takes next is the next to arrive.
/// That holds for schemes of every order.
///
/// Lives in memory that processes share. Threads: `arrival_of` any; `hand_over` the producer; the
/// others the one that drives the race, while no worker runs.
/// Source: G. Tene, "How not to measure latency", 2013.
class arrivals {
public:
    /// So many items a second; 0: there is no rate. To be called before there are workers.
    void set_rate(double rate, item_source from = item_source::workers) noexcept {
        interval_ns_ = rate > 0 ? 1e9 / rate : 0;
        from_ = from;
    }

    /// Items arrive from now on. To be called before a worker has items.
    void begin() noexcept {
        begin_ns_ = detail::monotonic_ns();
        next_.store(0, std::memory_order_relaxed);
    }

    bool paced() const noexcept { return interval_ns_ > 0; }

    /// When that item arrived. Where the workers wait: waits for the next one to arrive, and says
    /// when that was.
    ///
    /// Blocks: asleep, so that an idle worker costs nothing; waking up takes some 50 µs, which the
    /// item's latency has in it. Ends early where `stop` becomes other than 0.
    std::int64_t arrival_of(std::uint64_t item, const std::atomic<std::uint32_t>& stop) noexcept {
        if (from_ == item_source::producer) {
            return due(item);
        }
        const std::int64_t arrival = due(next_.fetch_add(1, std::memory_order_relaxed));
        sleep_until(arrival, stop);
        return arrival;
    }

    /// Waits until that item is to be handed over. At no rate: not at all.
    ///
    /// Blocks: asleep until 100 µs before, then spinning, so that the item is not handed over late.
    /// Ends early where `stop` becomes other than 0.
    void hand_over(std::uint64_t item, const std::atomic<std::uint32_t>& stop) const noexcept {
        if (!paced()) {
            return;
        }
        constexpr std::int64_t waking_up_ns = 100'000;
        const std::int64_t arrival = due(item);
        sleep_until(arrival - waking_up_ns, stop);
        while (detail::monotonic_ns() < arrival && stop.load(std::memory_order_relaxed) == 0) {
        }
    }

private:
    std::int64_t due(std::uint64_t item) const noexcept {
        return begin_ns_ + static_cast<std::int64_t>(static_cast<double>(item) * interval_ns_);
    }

    static void sleep_until(std::int64_t end, const std::atomic<std::uint32_t>& stop) noexcept {
        for (std::int64_t now = detail::monotonic_ns(); now < end; now = detail::monotonic_ns()) {
            if (stop.load(std::memory_order_relaxed) != 0) {
                return;
            }
            constexpr std::int64_t slice_ns = 20'000'000; // how late a stop may be seen
            const std::int64_t until = std::min(end, now + slice_ns);
            const timespec t{static_cast<std::time_t>(until / 1'000'000'000),
                             static_cast<long>(until % 1'000'000'000)};
            ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr);
        }
    }

    double interval_ns_ = 0;
    std::int64_t begin_ns_ = 0;
    item_source from_ = item_source::workers;
    /// Written by all workers. Relaxed: it only hands out numbers.
    alignas(destructive_alignment) std::atomic<std::uint64_t> next_{0};
};

} // namespace regatta::race
