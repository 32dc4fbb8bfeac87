// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The fixed computation of which every worker of the experiment does the same amount.

#include "workloads/splitmix.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace regatta::race {

/// A computation in units that all cost the same. Four chains that do not depend on each other read
/// and write a table of 32 KiB, so that a unit costs more where a sibling shares the core, where a
/// neighbour empties the cache and where the clock is lower, and never because of what it computes.
///
/// Threads: one. Cost: about 30 µs a unit.
class computation {
public:
    explicit computation(std::uint64_t seed) : table_(entries) {
        for (std::size_t i = 0; i < entries; ++i) {
            table_[i] = splitmix(seed, i);
        }
    }

    void run_unit() noexcept {
        for (std::size_t i = 0; i < entries; i += chains) {
            for (std::size_t chain = 0; chain < chains; ++chain) {
                state_[chain] = splitmix(state_[chain], table_[i + chain]);
                table_[i + chain] += state_[chain];
            }
        }
    }

    /// What came out: depends on the seed and on how many units ran, and on nothing else.
    std::uint64_t result() const noexcept {
        std::uint64_t sum = 0;
        for (const std::uint64_t value : state_) {
            sum = splitmix(sum, value);
        }
        return sum;
    }

private:
    static constexpr std::size_t entries = 4096;
    static constexpr std::size_t chains = 4;

    std::vector<std::uint64_t> table_;
    std::array<std::uint64_t, chains> state_{};
};

} // namespace regatta::race
