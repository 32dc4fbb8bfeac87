// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// An `item_runner` for each thread of a library that hands out tasks but no workers.

#include "schemes/run_log.hpp"

#include <atomic>
#include <cstdint>
#include <optional>

namespace regatta::race {

/// Gives each thread that asks its own `item_runner` for one run.
///
/// Threads: any may call. Cost: one thread-local read and a comparison an item.
///
/// The runner lives in the thread and is replaced when the thread first takes part in another run;
/// one of a run that is over is never used again, since no two runs have the same number.
class thread_runners {
public:
    thread_runners(workload& work, run_log& log) noexcept
        : work_(work)
        , log_(log)
        , run_(next_run().fetch_add(1, std::memory_order_relaxed)) {}
    thread_runners(const thread_runners&) = delete;
    thread_runners& operator=(const thread_runners&) = delete;

    /// Runs an item as the calling thread's worker.
    void operator()(std::size_t item) noexcept { of_this_thread()(item); }
    /// The same where items may spawn others.
    void operator()(std::size_t item, spawner& to) noexcept { of_this_thread()(item, to); }

private:
    item_runner& of_this_thread() noexcept {
        struct of_thread {
            std::uint64_t run = 0;
            std::optional<item_runner> runner;
        };
        thread_local of_thread mine;
        if (mine.run != run_) {
            mine.run = run_;
            mine.runner.emplace(work_, log_);
        }
        return *mine.runner;
    }

    /// Written by whoever begins a run. Relaxed: it only hands out distinct numbers, from 1 on.
    static std::atomic<std::uint64_t>& next_run() noexcept {
        static std::atomic<std::uint64_t> next{1};
        return next;
    }

    workload& work_;
    run_log& log_;
    const std::uint64_t run_;
};

} // namespace regatta::race
