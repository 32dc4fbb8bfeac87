// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What stress tests of random programs share: the shape of a program, and rounds of them.

#include "seeded.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace library_test {

/// A point in a random program, from which all beneath it follows.
struct point {
    std::uint64_t seed;
    int depth; ///< Of the tree beneath.

    std::uint64_t draw(std::uint64_t what, std::uint64_t sides) const {
        std::uint64_t x = seed + what * 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return (x ^ (x >> 31)) % sides;
    }
    std::vector<point> children() const {
        std::vector<point> all(depth == 0 ? 0 : draw(1, 6));
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i] = {draw(10 + i, ~0ull), depth - 1};
        }
        return all;
    }
    bool throws() const { return draw(2, 50) == 0; }
};

/// Prints the seed, and calls `body(round, dice)` until a failure, for at most that long.
template<class Body>
void repeat(int most, std::chrono::milliseconds time, const Body& body) {
    std::printf("REGATTA_SEED=%llu\n", static_cast<unsigned long long>(seed()));
    const auto deadline = std::chrono::steady_clock::now() + time;
    unsigned round = 0;
    for (; round < static_cast<unsigned>(most) && !testing::Test::HasFailure() &&
           std::chrono::steady_clock::now() < deadline;
         ++round) {
        dice d(round * 8);
        body(round, d);
    }
    std::printf("%u rounds\n", round);
}

} // namespace library_test
