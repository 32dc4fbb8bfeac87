// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The shared memory of a race, and the way to end it early.

#include "schemes/run_log.hpp"

#include <regatta/process/shared_memory.hpp>

#include <atomic>
#include <cstdint>

namespace regatta::race {

struct scheme_info;

/// Holds the log that the workers of all runs write to; lives as long as whoever may want to stop
/// the race.
class race_control {
public:
    /// Failure: `std::system_error` where the memory cannot be had.
    race_control()
        : memory_(shared_memory::anonymous("regatta race log", sizeof(run_log), run_log_layout))
        , log_(&log_in(memory_)) {}
    race_control(const race_control&) = delete;
    race_control& operator=(const race_control&) = delete;

    /// Ends the race: workers skip the items that are left, the sample in progress is forgotten,
    /// and the race returns what it has measured so far.
    /// Threads: any; may be called from a signal handler.
    void request_stop() noexcept { log_->stop.store(1, std::memory_order_relaxed); }
    bool stop_requested() const noexcept { return log_->stop.load(std::memory_order_relaxed) != 0; }

    /// A run has ended that took so long, with its preparation, reset and verification.
    /// Threads: the one that measures.
    void note_run(std::int64_t ns) noexcept {
        if (ns > longest_run_ns()) {
            longest_run_ns_.store(ns, std::memory_order_relaxed);
        }
    }
    /// The longest so far: a run with forks does not end before its time, whoever requests it, and
    /// no verification does.
    /// Threads: any; may be called from a signal handler.
    std::int64_t longest_run_ns() const noexcept {
        return longest_run_ns_.load(std::memory_order_relaxed);
    }

    /// Whether a run may be going on, from now on: not while what was measured is evaluated, which
    /// takes minutes of some hundred thousand rounds.
    /// Threads: the one that measures.
    void note_measuring(bool on) noexcept { measuring_.store(on, std::memory_order_relaxed); }
    /// Threads: any; may be called from a signal handler.
    bool is_measuring() const noexcept { return measuring_.load(std::memory_order_relaxed); }

    /// That scheme runs from now on, until the next one; it must outlive the race.
    /// Threads: the one that measures.
    void note_scheme(const scheme_info& scheme) noexcept {
        scheme_.store(&scheme, std::memory_order_release);
    }
    /// The scheme that runs; null: none has begun.
    /// Threads: any; may be called from a signal handler.
    const scheme_info* scheme() const noexcept { return scheme_.load(std::memory_order_acquire); }

    run_log& log() noexcept { return *log_; }
    int descriptor() const noexcept { return memory_.descriptor(); }

private:
    shared_memory memory_;
    run_log* log_;
    /// Written by the thread that measures, read by a signal handler. Relaxed: it publishes nothing
    /// but itself.
    std::atomic<std::int64_t> longest_run_ns_{0};
    static_assert(std::atomic<std::int64_t>::is_always_lock_free);
    std::atomic<bool> measuring_{true}; ///< In the same way.
    static_assert(std::atomic<bool>::is_always_lock_free);
    /// Written by the thread that measures, read by a signal handler on any thread. Release and
    /// acquire: the handler sees the name.
    std::atomic<const scheme_info*> scheme_{nullptr};
    static_assert(std::atomic<const scheme_info*>::is_always_lock_free);
};

} // namespace regatta::race
