// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Jobs under random kills of the workers.

#include "support/pool_functions.hpp"

#include <regatta/process/process_pool.hpp>

#include <gtest/gtest.h>

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

namespace pool_test {

inline std::uint64_t storm_row(std::uint64_t x) {
    for (int i = 0; i < 60; ++i) {
        x = mixed(x);
    }
    return x;
}

/// Runs jobs of 512 rows while workers are killed at random moments: every job ends, no task fails,
/// and every result is right.
inline void storm(int jobs) {
    constexpr std::size_t rows = 512;
    const auto seed = std::random_device()();
    std::printf("seed %u\n", seed);
    regatta::process_pool pool({.workers = 2, .attempts = 5000, .failed_starts = 1000});
    const auto in = pool.allocate_input<std::uint64_t>(rows);
    const auto out = pool.allocate<std::uint64_t>(rows);
    std::mt19937 dice(seed);
    std::vector<std::uint64_t> right(4 * rows); // Of four inputs, which take turns.
    for (std::size_t i = 0; i < right.size(); ++i) {
        right[i] = storm_row(i);
    }
    for (int job = 0; job < jobs && !testing::Test::HasFailure(); ++job) {
        const std::size_t first = static_cast<std::size_t>(job) % 4 * rows;
        std::iota(in.begin(), in.end(), first);
        std::fill(out.begin(), out.end(), 0u);
        if (dice() % 4 == 0) { // While it is idle, or starts.
            pool.signal_worker(dice() % 2, SIGKILL);
        }
        const auto running = pool.map<storm_row>(in, out);
        auto single = pool.submit<storm_row>(first); // Its wait meets deaths, too.
        for (auto more = dice() % 3; more > 0; --more) {
            for (const auto rows_done = dice() % rows; running.progress() < rows_done;) {
            }
            pool.signal_worker(dice() % 2, SIGKILL);
        }
        library_test::await([&] { return single.wait_for(std::chrono::milliseconds(100)); });
        EXPECT_EQ(single.get(), right[first]) << "job " << job;
        library_test::await([&] { return running.wait_for(std::chrono::milliseconds(100)); });
        for (const auto& failure : running.failures()) {
            ADD_FAILURE() << failure.describe();
        }
        for (std::size_t i = 0; i < rows; ++i) {
            EXPECT_EQ(out[i], right[first + i]) << "job " << job << ", row " << i;
        }
    }
    pool.wait();
    EXPECT_GT(pool.stats().deaths, 0u);
    EXPECT_GT(pool.stats().reruns, 0u);
    EXPECT_EQ(pool.stats().run, static_cast<std::uint64_t>(jobs) * (rows + 1));
    std::printf("%d jobs, %llu deaths, %llu attempts made again\n", jobs,
                static_cast<unsigned long long>(pool.stats().deaths),
                static_cast<unsigned long long>(pool.stats().reruns));
}

} // namespace pool_test
