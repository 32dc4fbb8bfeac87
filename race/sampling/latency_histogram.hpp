// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A histogram of times with the same relative precision from nanoseconds to hours.

#include <array>
#include <cstddef>
#include <cstdint>

namespace regatta::race {

/// Counts of times in buckets that grow with the time, 32 of them to a doubling, so that every
/// percentile is known within 3.2 % of itself; times below 32 ns exactly.
///
/// A fixed-size value without pointers: it can lie in shared memory. Threads: one writer.
/// Cost: `record` some 2 ns, no allocation; 8 bytes a bucket.
/// Source: G. Tene's HdrHistogram, whose bucket layout this follows.
class latency_histogram {
public:
    void record(std::int64_t ns) noexcept;
    void merge(const latency_histogram& other) noexcept;
    void clear() noexcept;

    std::uint64_t count() const noexcept;
    std::int64_t min() const noexcept; ///< Exact; 0 of nothing.
    std::int64_t max() const noexcept; ///< Exact; 0 of nothing.
    double mean() const noexcept;      ///< Exact; 0 of nothing.
    /// The time that `share` (0…1) of all do not exceed, within the bucket's width; 0 of nothing.
    std::int64_t percentile(double share) const noexcept;
};

} // namespace regatta::race
