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
/// Blocks: the constructor, until the loop runs or has had no CPU time for `patience`; `stop`, for
///     up to a second.
/// Failure: see `error`.
/// Cost: all of that CPU; a ring of 400 kB.
class gap_probe {
public:
    /// How long the loop may take to get its CPU. With the kernel's usual throttling a real-time
    /// task leaves it some time each second; without that, perhaps none for ever.
    static constexpr std::chrono::milliseconds usual_patience{5000};

    /// @param prepare called in the new thread before it is pinned; may be empty.
    /// @param give_up asked while the loop waits for its CPU; may be empty.
    gap_probe(unsigned cpu, std::int64_t threshold_ns, const std::function<void()>& prepare,
              const std::function<bool()>& give_up = {},
              std::chrono::milliseconds patience = usual_patience);
    gap_probe(const gap_probe&) = delete;
    gap_probe& operator=(const gap_probe&) = delete;
    ~gap_probe() { stop(); }

    /// The error of pinning its thread, ETIMEDOUT if it got no CPU time there; 0: the loop runs.
    int error() const noexcept { return error_; }
    /// The thread that runs it.
    thread_number thread() const noexcept { return number_; }

    /// Passes the gaps since the last call to `visit(const gap&)`, in order of time.
    void drain(const std::function<void(const gap&)>& visit);

    /// Ends the loop. `drain` still returns its last gaps; `result` and `dropped` are valid
    /// afterwards.
    void stop() { end(std::chrono::seconds(1)); }
    const gap_loop_result& result() const noexcept { return result_; }
    /// Gaps lost because the ring was full.
    std::uint64_t dropped() const noexcept { return dropped_; }

private:
    void run(unsigned cpu, std::int64_t threshold_ns, const std::function<void()>& prepare,
             const std::stop_token& stop);
    /// As `stop`; a loop that does not end in that time is moved off its CPU.
    void end(std::chrono::milliseconds patience);

    spsc_ring<gap> ring_;
    std::binary_semaphore prepared_{0}; ///< The thread goes to its CPU next, or has failed.
    std::binary_semaphore started_{0};
    std::binary_semaphore ended_{0};
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
