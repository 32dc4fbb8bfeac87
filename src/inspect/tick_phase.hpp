// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Telling the scheduler's tick from other interruptions by its rhythm.

#include <array>
#include <cstddef>
#include <cstdint>

namespace regatta::detail {

/// The time between two ticks of the scheduler of a busy CPU; 0 where nothing tells.
/// Source: the resolution of CLOCK_MONOTONIC_COARSE, which is a tick.
std::int64_t tick_period_ns() noexcept;

/// Finds the moment within the period at which most interruptions of a CPU begin. The tick is set
/// in the clock in which they are measured, so that its moment never moves.
///
/// Threads: as a plain value. Failure: where nothing is periodic, nothing `matches`.
class tick_phase {
public:
    explicit tick_phase(std::int64_t period_ns) noexcept : period_ns_(period_ns) {}

    /// An interruption began at `start_ns`.
    void add(std::int64_t start_ns) noexcept;

    /// Whether the moment is known: enough interruptions begin there, and many times more than
    /// chance would have begin there.
    bool known() const noexcept { return best() != buckets; }

    /// Whether `start_ns` is near the moment.
    bool matches(std::int64_t start_ns) const noexcept;

private:
    static constexpr std::size_t buckets = 64;
    static constexpr std::uint64_t enough = 12;

    std::size_t bucket_of(std::int64_t start_ns) const noexcept;
    /// The fullest three neighbours, by the one in the middle; `buckets`: none stands out.
    std::size_t best() const noexcept;

    std::int64_t period_ns_;
    std::array<std::uint64_t, buckets> counts_{};
    std::uint64_t total_ = 0;
};

} // namespace regatta::detail
