// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Random numbers for stress tests, such that a run can be repeated.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>

namespace library_test {

/// The seed of this run: the environment's REGATTA_SEED, or one by chance. It is printed where the
/// test fails.
inline std::uint64_t seed() {
    static const std::uint64_t chosen = [] {
        if (const char* text = std::getenv("REGATTA_SEED")) {
            return std::uint64_t{std::strtoull(text, nullptr, 0)};
        }
        std::random_device device;
        return std::uint64_t{device()} << 32 | device();
    }();
    return chosen;
}

inline void print_seed() {
    std::printf("REGATTA_SEED=%llu\n", static_cast<unsigned long long>(seed()));
}
/// Prints the seed at the beginning of each stress test.
class stress : public testing::Test {
protected:
    void SetUp() override { print_seed(); }
};

/// The random numbers of one thread of a test.
class dice {
public:
    explicit dice(unsigned thread) : engine_(seed() + thread * 0x9e3779b97f4a7c15u) {}
    /// One of 0 … sides - 1.
    int roll(int sides) { return static_cast<int>(engine_() % static_cast<unsigned>(sides)); }

private:
    std::mt19937_64 engine_;
};

} // namespace library_test
