// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Whether this process may start as many threads as a scheme is going to need.

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace regatta::race {

/// Throws what `std::thread` throws unless `count` more threads can run at once. For libraries that
/// never return, or end the whole program, when they cannot start one, as oneTBB and ZeroMQ do.
/// What was found once is not asked again.
///
/// Threads: the one that drives the race.
inline void require_threads(std::size_t count) {
    static std::size_t known = 0;
    if (count <= known) {
        return;
    }
    std::atomic<bool> over{false};
    struct ending {
        std::atomic<bool>& over;
        ~ending() {
            over.store(true, std::memory_order_relaxed); // relaxed: it publishes nothing.
            over.notify_all();
        }
    };
    std::vector<std::jthread> all;
    const ending at_end{over}; // Before the threads are joined.
    all.reserve(count);
    while (all.size() < count) {
        all.emplace_back([&over] { over.wait(false, std::memory_order_relaxed); });
    }
    known = count;
}

} // namespace regatta::race
