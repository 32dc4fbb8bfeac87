// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A gap loop on its own thread, on a chosen CPU.

#include <regatta/cpu/affinity.hpp>
#include <regatta/inspect/jitter.hpp>
#include <regatta/sync/spsc_ring.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <semaphore>
#include <stop_token>
#include <thread>

namespace regatta::detail {

/// Runs the gap loop on one CPU from construction to `stop`.
///
/// Threads: the one that constructed it.
/// Blocks: the constructor, until the loop runs.
/// Failure: see `error`.
/// Cost: all of that CPU; a ring of 400 kB.
class gap_probe {
public:
    /// @param prepare called in the new thread before it is pinned; may be empty.
    gap_probe(unsigned cpu, std::int64_t threshold_ns, const std::function<void()>& prepare);
    gap_probe(const gap_probe&) = delete;
    gap_probe& operator=(const gap_probe&) = delete;
    ~gap_probe() { stop(); }

    /// The error of pinning its thread; 0: the loop runs.
    int error() const noexcept { return error_; }
    /// The thread that runs it.
    thread_number thread() const noexcept { return number_; }

    /// Passes the gaps since the last call to `visit(const gap&)`, in order of time.
    void drain(const std::function<void(const gap&)>& visit);

    /// Ends the loop. `drain` still returns its last gaps; `result` and `dropped` are valid
    /// afterwards.
    void stop();
    const gap_loop_result& result() const noexcept { return result_; }
    /// Gaps lost because the ring was full.
    std::uint64_t dropped() const noexcept { return dropped_; }

private:
    void run(unsigned cpu, std::int64_t threshold_ns, const std::function<void()>& prepare,
             const std::stop_token& stop);

    spsc_ring<gap> ring_;
    std::binary_semaphore started_{0};
    // Written by the probe's thread before it releases `started_`.
    int error_ = 0;
    std::exception_ptr failure_{}; ///< What `prepare` threw.
    thread_number number_ = 0;
    // Written by the probe's thread before it is joined.
    gap_loop_result result_;
    std::uint64_t dropped_ = 0;
    std::jthread thread_; ///< The last member: its thread uses the others.
};

} // namespace regatta::detail
