// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Input data that follow from a seed alone.

#include <cstdint>

namespace regatta::race {

/// Number `at` of the stream of a seed, each of its 64 bits as good as random, in any order of
/// asking. Source: the mixing function of SplitMix64 (Steele, Lea and Flood, 2014).
constexpr std::uint64_t splitmix(std::uint64_t seed, std::uint64_t at) noexcept {
    std::uint64_t z = seed + (at + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

} // namespace regatta::race
