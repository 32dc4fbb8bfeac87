// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A gap loop on a thread of its own, on a CPU of one's choice.

#include <regatta/cpu/affinity.hpp>
#include <regatta/inspect/jitter.hpp>
#include <regatta/sync/spsc_ring.hpp>

#include <cstdint>
#include <functional>
#include <semaphore>
#include <stop_token>
#include <thread>

namespace regatta::detail {

/// Runs the gap loop on one CPU from construction to `stop`.
///
/// Threads: the one that made it. Blocks: the constructor until the loop runs. Failure: `error`.
/// Cost: all of that CPU; a ring of 400 kB.
class gap_probe {
public:
    /// @param prepare called in the new thread before it is pinned; may be empty.
    gap_probe(unsigned cpu, std::int64_t threshold_ns, const std::function<void()>& prepare);
    gap_probe(const gap_probe&) = delete;
    gap_probe& operator=(const gap_probe&) = delete;
    ~gap_probe() { stop(); }

    /// Why it does not run: what pinning its thread said; 0: it runs.
    int error() const noexcept { return error_; }
    /// The thread that runs it.
    thread_number thread() const noexcept { return number_; }

    /// Hands the gaps since the last call to `visit(const gap&)`, in the order of time.
    void drain(const std::function<void(const gap&)>& visit);

    /// Ends the loop; `drain` still gives its last gaps, and the members below are set.
    void stop();
    const gap_loop_result& result() const noexcept { return result_; }
    /// Gaps that found no room because nobody drained.
    std::uint64_t dropped() const noexcept { return dropped_; }

private:
    void run(unsigned cpu, std::int64_t threshold_ns, const std::function<void()>& prepare,
             const std::stop_token& stop);

    spsc_ring<gap> ring_;
    std::binary_semaphore started_{0};
    // Written by the probe's thread: these before `started_`, ...
    int error_ = 0;
    thread_number number_ = 0;
    // ... and these before it is joined.
    gap_loop_result result_;
    std::uint64_t dropped_ = 0;
    std::jthread thread_; ///< The last one: it uses the others.
};

} // namespace regatta::detail
