// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Telling the scheduler's tick from other interruptions by its rhythm.

#include <regatta/base/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

#if REGATTA_LINUX
#include <time.h>
#endif

namespace regatta::detail {

/// The time between two ticks of the scheduler of a busy CPU; 0 where nothing tells.
/// Source: the resolution of CLOCK_MONOTONIC_COARSE, which is a tick.
inline std::int64_t tick_period_ns() noexcept {
#if REGATTA_LINUX && defined(CLOCK_MONOTONIC_COARSE)
    timespec resolution{};
    if (::clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) == 0) {
        return std::int64_t{resolution.tv_sec} * 1'000'000'000 + resolution.tv_nsec;
    }
#endif
    return 0;
}

/// Finds the moment within the period at which most interruptions of a CPU begin. The tick is set
/// in the clock in which they are measured, so that its moment never moves.
///
/// Threads: as a plain value. Failure: where nothing is periodic, nothing `matches`.
class tick_phase {
public:
    explicit tick_phase(std::int64_t period_ns) noexcept : period_ns_(period_ns) {}

    /// An interruption began at `start_ns`.
    void add(std::int64_t start_ns) noexcept {
        if (period_ns_ > 0) {
            ++counts_[bucket_of(start_ns)];
            ++total_;
        }
    }

    /// Whether the moment is known: enough interruptions begin there, and many times more than
    /// chance would have begin there.
    bool known() const noexcept { return best() != buckets; }

    /// Whether `start_ns` is near the moment.
    bool matches(std::int64_t start_ns) const noexcept {
        const std::size_t found = best();
        if (found == buckets) {
            return false;
        }
        const std::size_t distance = (bucket_of(start_ns) + buckets - found) % buckets;
        return distance <= 1 || distance == buckets - 1;
    }

private:
    static constexpr std::size_t buckets = 64;
    static constexpr std::uint64_t enough = 12;

    std::size_t bucket_of(std::int64_t start_ns) const noexcept {
        return static_cast<std::size_t>(start_ns % period_ns_ * static_cast<std::int64_t>(buckets) /
                                        period_ns_);
    }
    /// The fullest three neighbours, by the one in the middle; `buckets`: none stands out.
    std::size_t best() const noexcept {
        std::size_t found = buckets;
        std::uint64_t most = enough - 1;
        for (std::size_t i = 0; i < buckets; ++i) {
            const std::uint64_t sum =
                counts_[(i + buckets - 1) % buckets] + counts_[i] + counts_[(i + 1) % buckets];
            if (sum > most) {
                most = sum;
                found = i;
            }
        }
        // Three buckets of 64 would have 5 % by chance.
        return most * 5 >= total_ ? found : buckets;
    }

    std::int64_t period_ns_;
    std::array<std::uint64_t, buckets> counts_{};
    std::uint64_t total_ = 0;
};

} // namespace regatta::detail
