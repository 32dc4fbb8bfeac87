// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Elements of a queue that a consumer has claimed and that others may still take from it.

#include <regatta/base/cache_line.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace regatta::detail {

/// Neighbours in a `segment_queue` that its owner has claimed at once, to be taken one by one or
/// several at a time. They stay where they lie.
///
/// Threads: any, but for `put`, which only the owner calls.
/// Blocks: never.
/// Order: who takes an element sees everything that its producer did before.
/// Cost: one store to put, one compare-and-swap to take. It has a cache line of its own.
///
/// I1: each element that was put is taken once.
/// I2: as long as any is left, the segment is that of the last `put`: the owner puts only when none
///     is left. A life never recurs, so that a late compare-and-swap fails.
template<class Queue, class Atomics>
class alignas(destructive_alignment) basic_claimed_run {
    using segment = typename Queue::segment;

public:
    using batch = typename Queue::batch;

    /// About how many are left.
    std::uint32_t size() const noexcept {
        // relaxed: a hint.
        return count_of(left_.load(std::memory_order_relaxed));
    }
    /// Whether any is left. In the order of all seq_cst operations it is a load, and `put` a store.
    bool any() const noexcept {
        // seq_cst: partner is the store in put().
        return count_of(left_.load(std::memory_order_seq_cst)) != 0;
    }
    /// Leaves a batch here, which is not empty. None may be left.
    void put(const batch& all) noexcept {
        // acquire: partner is the release in take(); who took the last one has read the segment.
        const std::uint64_t life = (left_.load(std::memory_order_acquire) >> life_shift) + 1;
        at_.store(all.at_, std::memory_order_relaxed); // With the next one.
        // release: partner is the acquire in take(); publishes the segment, and the elements, which
        // the owner acquired when it claimed them. seq_cst: partner is the load in any().
        left_.store(life << life_shift | std::uint64_t{all.first_} << first_shift | all.count_,
                    std::memory_order_seq_cst);
    }
    /// Takes one; or, to leave them elsewhere, half of them up to `most`. @returns an empty batch
    /// if none is left.
    batch take(std::uint32_t most = 1) noexcept {
        for (;;) {
            // acquire: partner is the release in put(). Later takers continue that release
            // sequence.
            std::uint64_t left = left_.load(std::memory_order_acquire);
            if (count_of(left) == 0) {
                return {};
            }
            segment* const at = at_.load(std::memory_order_relaxed); // I2.
            const std::uint32_t taken = std::min(most, (count_of(left) + 1) / 2);
            // release: partner is the acquire in put(); the segment was read before.
            if (left_.compare_exchange_weak(left,
                                            left - taken + (std::uint64_t{taken} << first_shift),
                                            std::memory_order_release, std::memory_order_relaxed)) {
                return {at, static_cast<std::uint32_t>(left >> first_shift & part), taken};
            }
        }
    }

private:
    static constexpr unsigned first_shift = 8;
    static constexpr unsigned life_shift = 16;
    static constexpr std::uint64_t part = 0xFF;

    static std::uint32_t count_of(std::uint64_t left) noexcept {
        return static_cast<std::uint32_t>(left & part);
    }

    /// How many are left, from the lowest bits on; where the first lies in its segment; the number
    /// of the life. Written by the owner and by those who take, read by all.
    typename Atomics::template atomic<std::uint64_t> left_{0};
    /// Where they lie. Written by the owner, read by those who take.
    typename Atomics::template atomic<segment*> at_{nullptr};
};

} // namespace regatta::detail
