// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How long the forks of one place in a program are likely to take.

#include <atomic>
#include <cstdint>

namespace regatta::detail {

/// How long the regions took that one place in a program has opened. The next region uses it to
/// decide how early it asks for help. A wrong guess costs time and nothing else.
///
/// Threads: any.
class fork_forecast {
public:
    /// A region that is expected to take at least this long shares work at its begin.
    static constexpr float worth_sharing_ns = 3'000;
    /// A region that is expected to take at least this long also wakes a worker at its begin.
    /// A worker that sleeps may need tens of microseconds until it runs.
    static constexpr float worth_waking_ns = 100'000;

    constexpr fork_forecast() noexcept = default;
    fork_forecast(const fork_forecast&) = delete;
    fork_forecast& operator=(const fork_forecast&) = delete;

    /// How long a region of so many units is likely to take, in nanoseconds. Before the first
    /// `learn`, longer than any limit.
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

/// The regions that a worker misses while it takes naps. Each is too short to wake it for; once
/// together they are long enough, it is woken. So what is lost is at most twice the least that
/// could be (the rent-or-buy rule).
///
/// Threads: one.
class missed_work {
public:
    /// One more is about to begin. @returns whether to wake the worker.
    bool add(float expected_ns, std::int64_t now) noexcept {
        constexpr float worth = fork_forecast::worth_waking_ns;
        // After one pause another is likely to follow, in which the worker would sleep again.
        const bool follows = static_cast<float>(now - last_) < 2 * worth;
        last_ = now;
        sum_ns_ = follows ? sum_ns_ + expected_ns : expected_ns;
        if (sum_ns_ < worth) {
            return false;
        }
        sum_ns_ = 0;
        return true;
    }

private:
    float sum_ns_ = 0;
    std::int64_t last_ = 0; ///< When the one before began.
};

} // namespace regatta::detail
