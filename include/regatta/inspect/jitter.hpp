// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The gap loop: measuring from within a thread how often it loses its CPU.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/monotonic_ns.hpp>
#include <regatta/inspect/gap_histogram.hpp>

#include <chrono>
#include <cstdint>

namespace regatta {

/// A time in which the gap loop did not run.
struct gap {
    std::int64_t start_ns = 0; ///< Steady clock, when the loop last ran.
    std::int64_t length_ns = 0;
    /// Whether the scheduler took the CPU from the thread: another task ran, or none (a used-up CPU
    /// quota, a stop). False: an interrupt, or the whole machine stood still.
    bool displaced = false;

    std::int64_t end_ns() const noexcept { return start_ns + length_ns; }
};

/// The result of a gap loop.
struct gap_loop_result {
    std::int64_t begin_ns = 0; ///< Steady clock.
    std::int64_t end_ns = 0;
    std::uint64_t reads = 0;         ///< Of the clock.
    std::int64_t shortest_ns = 0;    ///< Between two reads: the loop's own cost.
    std::uint64_t displacements = 0; ///< How often the scheduler took the CPU away.

    std::int64_t elapsed_ns() const noexcept { return end_ns - begin_ns; }
};

namespace detail {

/// How often the scheduler took the CPU from the calling thread so far; 0 if unknown.
REGATTA_SYSTEM_API std::uint64_t displacements_of_this_thread() noexcept;

} // namespace detail

/// Reads the clock repeatedly, until `until_ns` or until `stop()` returns true, and passes each gap
/// of at least `threshold_ns` to `found(gap)`. The loop is always ready to run, so it loses time
/// only if its CPU is taken: any thread there would have the same gaps.
///
/// Threads: any; pin it first, because a migration to another CPU is a gap, too.
/// Blocks: never; it uses the whole CPU.
/// Failure: none of its own.
/// Cost: a read of the clock per iteration; a system call per gap, outside the gaps.
/// @param stop called in each iteration, so it should be a single load.
/// @param found should be short: its own time is not measured, so gaps in it are not seen.
template<class Stop, class Found>
gap_loop_result run_gap_loop(std::int64_t until_ns, std::int64_t threshold_ns, Stop&& stop,
                             Found&& found) {
    gap_loop_result result;
    const std::uint64_t displaced_before = detail::displacements_of_this_thread();
    std::uint64_t displaced = displaced_before;
    result.begin_ns = detail::monotonic_ns();
    result.shortest_ns = threshold_ns;
    std::int64_t last = result.begin_ns;
    for (bool ends = false; !ends;) {
        // Called before the clock is read, so that a gap at the end is found, too.
        ends = stop();
        const std::int64_t now = detail::monotonic_ns();
        const std::int64_t length = now - last;
        ++result.reads;
        ends = ends || now >= until_ns;
        if (length >= threshold_ns) {
            const std::uint64_t switches = detail::displacements_of_this_thread();
            found(gap{last, length, switches != displaced});
            displaced = switches;
            last = detail::monotonic_ns();
            continue;
        }
        if (length < result.shortest_ns) {
            result.shortest_ns = length;
        }
        last = now;
    }
    result.end_ns = last;
    result.displacements = detail::displacements_of_this_thread() - displaced_before;
    return result;
}

/// The histogram of the calling thread's gaps.
struct jitter {
    gap_histogram gaps;
    gap_loop_result loop;
};

/// Measures the calling thread for `duration`. See `run_gap_loop`.
REGATTA_SYSTEM_API jitter
measure_jitter(std::chrono::nanoseconds duration,
               std::chrono::nanoseconds threshold = std::chrono::microseconds(1));

} // namespace regatta
