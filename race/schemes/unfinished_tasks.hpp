// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a scheme knows that all tasks are done where the pool does not say.

#include <regatta/base/cache_line.hpp>

#include <atomic>
#include <cstdint>
#include <thread>

namespace regatta::race {

/// Counts the tasks that have been handed over and are not done.
///
/// Threads: `add` and `done` from any; one waits. Cost: a read-modify-write a task, as a latch.
class unfinished_tasks {
public:
    /// To be called before so many tasks are handed over.
    void add(std::uint32_t tasks) noexcept {
        unfinished_.fetch_add(tasks, std::memory_order_relaxed);
    }

    /// To be called at the end of each.
    void done() noexcept {
        if (unfinished_.fetch_sub(1, std::memory_order_release) == 1) {
            unfinished_.notify_one();
        }
    }

    /// Blocks until all are done.
    void wait() const noexcept {
        for (std::uint32_t left; (left = unfinished_.load(std::memory_order_acquire)) != 0;) {
            unfinished_.wait(left, std::memory_order_relaxed);
        }
    }

    /// Spins, giving way to others, until at most so many are not done.
    void wait_for_at_most(std::uint32_t tasks) const noexcept {
        while (unfinished_.load(std::memory_order_acquire) > tasks) {
            std::this_thread::yield();
        }
    }

private:
    /// Written by all. Release in `done` and acquire in what waits: what a task wrote is there once
    /// it is counted. Relaxed in `add`: the pool hands the task over after it.
    alignas(destructive_alignment) std::atomic<std::uint32_t> unfinished_{0};
};

} // namespace regatta::race
