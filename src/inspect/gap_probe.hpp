// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A gap loop on its own thread, on a chosen CPU.

#include <regatta/cpu/affinity.hpp>
#include <regatta/inspect/jitter.hpp>
#include <regatta/sync/spsc_ring.hpp>

#include <chrono>
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
/// Blocks: the constructor, until `prepare` has returned; `await_start` until its deadline; `stop`
///     for its patience, and until the loop has left a CPU on which it gets no time.
/// Failure: see `error`.
/// Cost: all of that CPU; a ring of 400 kB.
class gap_probe {
public:
    /// @param prepare called in the new thread before it is pinned; may be empty. What it throws
    /// is thrown.
    gap_probe(unsigned cpu, std::int64_t threshold_ns, const std::function<void()>& prepare);
    gap_probe(const gap_probe&) = delete;
    gap_probe& operator=(const gap_probe&) = delete;
    ~gap_probe() { stop(); }

    /// Waits until the loop runs or its thread could not be pinned. @returns false if the deadline
    /// passed first. A real-time task may keep the CPU for a second; without the kernel's
    /// throttling it may never leave it.
    bool await_start(std::chrono::steady_clock::time_point deadline) {
        has_started_ = has_started_ || started_.try_acquire_until(deadline);
        return has_started_;
    }
    /// After that: the error of pinning its thread; 0: the loop runs.
    int error() const noexcept { return error_; }
    /// The thread that runs it.
    thread_number thread() const noexcept { return number_; }

    /// Passes the gaps since the last call to `visit(const gap&)`, in order of time.
    void drain(const std::function<void(const gap&)>& visit);

    /// Ends the loop. `drain` still returns its last gaps; `result` and `dropped` are valid
    /// afterwards.
    /// @param patience until its thread is moved off the CPU, which is a gap of its own.
    void stop(std::chrono::milliseconds patience = std::chrono::seconds(1));
    const gap_loop_result& result() const noexcept { return result_; }
    /// Gaps lost because the ring was full.
    std::uint64_t dropped() const noexcept { return dropped_; }

private:
    void run(std::int64_t threshold_ns, const std::function<void()>& prepare,
             const std::stop_token& stop);

    const unsigned cpu_;
    bool has_started_ = false;
    spsc_ring<gap> ring_;
    std::binary_semaphore prepared_{0}; ///< The thread goes to its CPU next, or has failed.
    std::binary_semaphore started_{0};
    std::binary_semaphore ended_{0};
    // Written by the probe's thread before it releases `started_`.
    int error_ = 0;
    std::exception_ptr failure_{}; ///< What `prepare` threw. Written before `prepared_`,
    thread_number number_ = 0;     ///< as this is.
    // Written by the probe's thread before it is joined.
    gap_loop_result result_;
    std::uint64_t dropped_ = 0;
    std::jthread thread_; ///< The last member: its thread uses the others.
};

} // namespace regatta::detail
