// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The times in which a thread is off its CPU: the gap loop, which measures them from within the
/// thread, their causes, and a histogram.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/monotonic_ns.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

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
    result.shortest_ns = INT64_MAX;
    std::int64_t last = result.begin_ns;
    for (bool ends = false; !ends;) {
        // Called before the clock is read, so that a gap at the end is found, too.
        ends = stop();
        const std::int64_t now = detail::monotonic_ns();
        const std::int64_t length = now - last;
        ++result.reads;
        ends = ends || now >= until_ns;
        if (length < result.shortest_ns) {
            result.shortest_ns = length;
        }
        if (length >= threshold_ns) {
            const std::uint64_t switches = detail::displacements_of_this_thread();
            found(gap{last, length, switches != displaced});
            displaced = switches;
            last = detail::monotonic_ns();
            continue;
        }
        last = now;
    }
    result.end_ns = last;
    result.displacements = detail::displacements_of_this_thread() - displaced_before;
    return result;
}

/// Why the gap loop did not run.
enum class gap_cause : std::uint8_t {
    user_task,      ///< A user task; only a switch trace tells which.
    kernel_thread,  ///< A kernel thread.
    checker,        ///< The check itself.
    held_back,      ///< No task: the loop was stopped, or its CPU quota was used up.
    tick,           ///< The CPU's own timer.
    device,         ///< Device interrupts.
    interprocessor, ///< Interrupts of other CPUs, and all that are neither tick nor device.
    steal,          ///< The hypervisor ran something else.
    unexplained     ///< A silent hypervisor, the firmware, or the hardware.
};
inline constexpr std::size_t gap_causes = 9;

constexpr std::string_view to_string(gap_cause cause) noexcept {
    constexpr std::array<std::string_view, gap_causes> names = {
        "task",   "kernel_thread",  "checker", "held_back",  "tick",
        "device", "interprocessor", "steal",   "unexplained"};
    return names[static_cast<std::size_t>(cause)];
}

/// One of the longest gaps.
struct long_gap {
    std::int64_t start_ns = 0; ///< Steady clock.
    std::int64_t length_ns = 0;
    gap_cause cause = gap_cause::unexplained;
    std::size_t task =
        0; ///< The task with most of the time, if the cause is a task; as given to `ran`.
};

/// Counts durations in bins of the series 1, 2, 5 from 100 ns to 10 s.
///
/// Threads: like a plain value.
/// Failure: none.
/// Cost: 25 bins of 16 bytes; `add` searches them, without a division.
class gap_histogram {
public:
    /// The lower edge of each bin; the first bin also holds all shorter times.
    static constexpr auto edges = [] {
        std::array<std::int64_t, 25> result{};
        std::int64_t decade = 100;
        for (std::size_t i = 0; i < result.size(); decade *= 10) {
            for (const std::int64_t factor : {1, 2, 5}) {
                if (i < result.size()) {
                    result[i++] = decade * factor;
                }
            }
        }
        return result;
    }();
    static constexpr std::size_t bins = edges.size();

    /// The durations between an edge and the next one.
    struct bin {
        std::uint64_t count = 0;
        std::int64_t total_ns = 0;
    };

    /// The bin of a duration.
    static constexpr std::size_t bin_of(std::int64_t ns) noexcept {
        const auto above = std::upper_bound(edges.begin(), edges.end(), ns);
        return above == edges.begin() ? 0 : static_cast<std::size_t>(above - edges.begin()) - 1;
    }

    void add(std::int64_t ns) noexcept {
        bin& one = bins_[bin_of(ns)];
        ++one.count;
        one.total_ns += ns;
        longest_ns_ = std::max(longest_ns_, ns);
    }
    gap_histogram& operator+=(const gap_histogram& other) noexcept {
        for (std::size_t i = 0; i < bins; ++i) {
            bins_[i].count += other.bins_[i].count;
            bins_[i].total_ns += other.bins_[i].total_ns;
        }
        longest_ns_ = std::max(longest_ns_, other.longest_ns_);
        return *this;
    }

    const bin& operator[](std::size_t index) const noexcept { return bins_[index]; }
    std::int64_t longest_ns() const noexcept { return longest_ns_; }
    std::uint64_t count() const noexcept {
        std::uint64_t sum = 0;
        for (const bin& one : bins_) {
            sum += one.count;
        }
        return sum;
    }
    std::int64_t total_ns() const noexcept {
        std::int64_t sum = 0;
        for (const bin& one : bins_) {
            sum += one.total_ns;
        }
        return sum;
    }
    bool empty() const noexcept { return count() == 0; }

private:
    std::array<bin, bins> bins_{};
    std::int64_t longest_ns_ = 0;
};

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
