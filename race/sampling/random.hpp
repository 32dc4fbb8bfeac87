// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Seeded random numbers that are the same with every standard library.

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace regatta::race {

/// A generator of whole numbers below a bound. The standard fixes what `mt19937_64` yields, but not
/// what its distributions and `std::shuffle` make of it; this does both itself.
class random_source {
public:
    explicit random_source(std::uint64_t seed) : engine_(seed) {}

    /// A number in [0, bound); `bound` is not 0 and below 2^32 in all that the race does, so the
    /// bias of the multiplication is below 2^-32.
    std::size_t below(std::size_t bound) {
        const std::uint64_t high = engine_() >> 32;
        return static_cast<std::size_t>((high * static_cast<std::uint64_t>(bound)) >> 32);
    }

    /// Puts the elements into a random order (Fisher–Yates).
    template<class T>
    void shuffle(std::vector<T>& values) {
        for (std::size_t left = values.size(); left > 1; --left) {
            std::swap(values[left - 1], values[below(left)]);
        }
    }

private:
    std::mt19937_64 engine_;
};

} // namespace regatta::race
