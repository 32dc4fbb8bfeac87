// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The times in which a thread was off its CPU: their causes, and a histogram.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace regatta {

/// Why the gap loop did not run.
enum class gap_cause : std::uint8_t {
    user_task,      ///< A user task; only a switch trace tells which.
    kernel_thread,  ///< A kernel thread.
    checker,        ///< The check itself.
    held_back,      ///< No task: the loop was stopped, or its CPU quota was used up.
    tick,           ///< The CPU's own timer.
    device,         ///< Device interrupts.
    interprocessor, ///< Interrupts of other CPUs.
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

} // namespace regatta
