// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How long the forks of one place in a program are likely to take.

#include <atomic>
#include <cstdint>

namespace regatta::detail {

/// The experience with the regions that one place in a program has opened. It decides what is done
/// at the begin of the next; nothing depends on its truth.
///
/// Threads: any.
class fork_forecast {
public:
    /// From so long on, idle workers that are awake are given work at the begin of a region.
    static constexpr float worth_sharing_ns = 3'000;
    /// From so long on, a worker is woken for it.
    static constexpr float worth_waking_ns = 10'000;

    constexpr fork_forecast() noexcept = default;
    fork_forecast(const fork_forecast&) = delete;
    fork_forecast& operator=(const fork_forecast&) = delete;

    /// How long a region of so many units is likely to take, in nanoseconds. Without experience, as
    /// long as can be.
    float expected_ns(float units) const noexcept {
        return per_unit_.load(std::memory_order_relaxed) * units;
    }
    /// So many units took that long, on one thread.
    void learn(std::int64_t ns, float units) noexcept {
        const float seen = static_cast<float>(ns) / units;
        const float known = per_unit_.load(std::memory_order_relaxed);
        // A place that stays as it is writes nothing: other threads read it.
        if (known == unknown) {
            per_unit_.store(seen, std::memory_order_relaxed);
        } else if (seen > known * 1.25F || seen < known * 0.8F) {
            per_unit_.store(known + (seen - known) / 4, std::memory_order_relaxed);
        }
    }

private:
    static constexpr float unknown = 1e30F;
    /// Nanoseconds a unit. Relaxed, all: a hint that orders nothing.
    std::atomic<float> per_unit_{unknown};
};

} // namespace regatta::detail
