// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A stopwatch.

#include <chrono>
#include <utility>

namespace regatta {

/// Counts the time since its construction or last reset, without pauses.
///
/// ```cpp
/// regatta::stopwatch watch;
/// load();
/// const std::chrono::duration<double> loading = watch.lap();
/// compute();
/// std::printf("%.3f s, %.3f s in all\n", loading.count(), watch.seconds());
/// ```
///
/// Threads: as a plain value.
/// Blocks: never.
/// Cost: one clock read per call.
/// @tparam Clock a clock of the standard's kind; if it can go back, times may be negative.
template<class Clock = std::chrono::steady_clock>
class basic_stopwatch {
public:
    using clock = Clock;
    using duration = typename Clock::duration;

    /// Starts running.
    basic_stopwatch() : since_(Clock::now()) {}

    /// The time counted so far.
    duration elapsed() const { return running_ ? counted_ + (Clock::now() - since_) : counted_; }

    /// The same in seconds.
    double seconds() const { return std::chrono::duration<double>(elapsed()).count(); }

    /// Returns the time counted since the last `lap` or the start, and begins a new lap. All laps,
    /// the current one included, add up to `elapsed()`.
    duration lap() {
        const duration now = elapsed();
        return now - std::exchange(lap_start_, now);
    }

    /// Restarts from zero, running. @returns the time counted until then.
    duration reset() {
        const auto now = Clock::now();
        const duration counted = running_ ? counted_ + (now - since_) : counted_;
        since_ = now;
        counted_ = lap_start_ = duration{};
        running_ = true;
        return counted;
    }

    /// Stops counting until `resume`. Does nothing if paused.
    void pause() {
        counted_ = elapsed();
        running_ = false;
    }

    /// Continues counting. Does nothing if running.
    void resume() {
        if (!running_) {
            since_ = Clock::now();
            running_ = true;
        }
    }

    /// Whether it is counting.
    bool running() const noexcept { return running_; }

private:
    typename Clock::time_point since_; ///< Start of the current running period.
    duration counted_{};               ///< Time counted in earlier running periods.
    duration lap_start_{};             ///< `elapsed()` at the start of the current lap.
    bool running_ = true;
};

/// The stopwatch over `std::chrono::steady_clock`.
using stopwatch = basic_stopwatch<>;

} // namespace regatta
