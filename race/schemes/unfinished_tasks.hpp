// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a scheme knows that all tasks are done where the pool does not say.

#include <regatta/base/cache_line.hpp>

#include <atomic>
#include <cstdint>

namespace regatta::race {

/// Counts the tasks that have been handed over and are not done.
///
/// Threads: `add` and `done` from any; one waits. Cost: a read-modify-write a task, as a latch.
class unfinished_tasks {
public:
    /// @param few how many `wait_for_few` does not wait for.
    explicit unfinished_tasks(std::uint32_t few = 0) noexcept : few_(few) {}

    /// To be called before so many tasks are handed over.
    void add(std::uint32_t tasks) noexcept {
        unfinished_.fetch_add(tasks, std::memory_order_relaxed);
    }

    /// To be called at the end of each.
    void done() noexcept {
        const std::uint32_t left = unfinished_.fetch_sub(1, std::memory_order_release) - 1;
        if (left == 0 || left == few_) {
            unfinished_.notify_one();
        }
    }

    /// Blocks until all are done.
    void wait() const noexcept { wait_for_all_but(0); }

    /// Blocks until few are left. Asleep: a worker may need the CPU.
    void wait_for_few() const noexcept { wait_for_all_but(few_); }

private:
    void wait_for_all_but(std::uint32_t tasks) const noexcept {
        for (std::uint32_t left; (left = unfinished_.load(std::memory_order_acquire)) > tasks;) {
            unfinished_.wait(left, std::memory_order_relaxed);
        }
    }

    const std::uint32_t few_;
    /// Written by all. Release in `done` and acquire in what waits: what a task wrote is there once
    /// it is counted. Relaxed in `add`: the pool hands the task over after it.
    alignas(destructive_alignment) std::atomic<std::uint32_t> unfinished_{0};
};

} // namespace regatta::race
