// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Distinguishing the scheduler's tick from other interruptions by its period.

#include <array>
#include <cstddef>
#include <cstdint>

namespace regatta::detail {

/// The period of the scheduler's tick on a busy CPU; 0 if unknown.
///
/// Source: the resolution of CLOCK_MONOTONIC_COARSE, which is one tick.
std::int64_t tick_period_ns() noexcept;

/// Finds the phase at which most interruptions of a CPU begin. The tick is set in the clock that
/// measures them, so its phase never moves.
///
/// Threads: like a plain value.
/// Failure: without a period, nothing `matches`.
class tick_phase {
public:
    explicit tick_phase(std::int64_t period_ns) noexcept : period_ns_(period_ns) {}

    /// Records an interruption that began at `start_ns`.
    void add(std::int64_t start_ns) noexcept;

    /// Whether the phase is known: enough interruptions begin there, and many times more than by
    /// chance.
    bool known() const noexcept { return best() != buckets; }

    /// Whether `start_ns` is near the phase.
    bool matches(std::int64_t start_ns) const noexcept;

private:
    static constexpr std::size_t buckets = 64;
    static constexpr std::uint64_t enough = 12;

    std::size_t bucket_of(std::int64_t start_ns) const noexcept;
    /// The middle one of the three fullest adjacent buckets; `buckets`: none stands out.
    std::size_t best() const noexcept;

    std::int64_t period_ns_;
    std::array<std::uint64_t, buckets> counts_{};
    std::uint64_t total_ = 0;
};

} // namespace regatta::detail
