// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a task of a graph still waits for.

#include <regatta/sync/atomics.hpp>

#include <cstdint>

namespace regatta::detail {

/// Counts the tasks that have to end before another one may begin.
///
/// Threads: `arrive` any; `reset` while none arrives, before the round is published to those that
/// will.
/// Blocks: never.
/// Cost: a read-modify-write an arrival but the last, which only reads.
///
/// I1: of the arrivals of a round exactly one returns true. What all the others did before they
///     arrived happens before it returns.
template<class Atomics>
class basic_dependency_count {
public:
    /// Begins a round of `count` arrivals.
    void reset(std::uint32_t count) noexcept {
        // relaxed: what publishes the first tasks of the round publishes it, too.
        left_.store(count, std::memory_order_relaxed);
    }
    /// @returns whether this was the last one.
    [[nodiscard]] bool arrive() noexcept {
        // acquire: partner is the release of the other arrivals; what they did. If one is left, it
        // is this one.
        return left_.load(std::memory_order_acquire) == 1 ||
               // acq_rel: partner is the acquire of the last one, here or above.
               left_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    }

private:
    /// Written by `reset` and by each arrival.
    typename Atomics::template atomic<std::uint32_t> left_{0};
};

using dependency_count = basic_dependency_count<std_atomics>;

} // namespace regatta::detail
