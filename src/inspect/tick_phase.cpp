// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "inspect/tick_phase.hpp"

#include <sys/file.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

namespace regatta::detail {

std::int64_t tick_period_ns() noexcept {
    timespec resolution{};
    if (::clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) == 0) {
        return std::int64_t{resolution.tv_sec} * 1'000'000'000 + resolution.tv_nsec;
    }
    return 0;
}

void tick_phase::add(std::int64_t start_ns) noexcept {
    if (period_ns_ > 0) {
        ++counts_[bucket_of(start_ns)];
        ++total_;
    }
}

bool tick_phase::matches(std::int64_t start_ns) const noexcept {
    const std::size_t found = best();
    if (found == buckets) {
        return false;
    }
    const std::size_t distance = (bucket_of(start_ns) + buckets - found) % buckets;
    return distance <= 1 || distance == buckets - 1;
}

std::size_t tick_phase::bucket_of(std::int64_t start_ns) const noexcept {
    return static_cast<std::size_t>(start_ns % period_ns_ * static_cast<std::int64_t>(buckets) /
                                    period_ns_);
}

std::size_t tick_phase::best() const noexcept {
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
    // By chance, three of 64 buckets have 5 %.
    return most * 5 >= total_ ? found : buckets;
}

} // namespace regatta::detail
