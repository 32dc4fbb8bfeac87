// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Letting what a measurement left behind come to rest before the next one begins.

#include "machine/cpu_time.hpp"

#include <chrono>
#include <thread>

namespace regatta::race {

/// Waits until this process uses no CPU time, so that threads that a library keeps spinning after
/// its work (OpenMP run-times do) cannot slow down the next sample.
///
/// Blocks: for 1 ms where all is quiet, `limit` at most.
/// @returns false where the process was still busy at the limit.
inline bool quiesce(std::chrono::milliseconds limit = std::chrono::milliseconds(50)) {
    // The sleeping thread itself costs some 30 µs a turn; a spinning one costs the whole turn.
    constexpr std::int64_t quiet_ns = 200'000;
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::int64_t before = exact_own_cpu_ns();
    do {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const std::int64_t after = exact_own_cpu_ns();
        if (after - before < quiet_ns) {
            return true;
        }
        before = after;
    } while (std::chrono::steady_clock::now() < deadline);
    return false;
}

} // namespace regatta::race
