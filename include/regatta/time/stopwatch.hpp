// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Measuring how long something takes.

#include <chrono>
#include <utility>

namespace regatta {

/// Counts the time since it was made or reset, pauses left out.
///
/// ```cpp
/// regatta::stopwatch watch;
/// load();
/// const auto loading = watch.lap();
/// compute();
/// std::printf("%.3f s, %.3f s in all\n", seconds(watch.lap()), watch.seconds());
/// ```
///
/// Threads: as a plain value. Blocks: never. Failure: none. Cost: a read of the clock a call.
/// @tparam Clock any clock of the standard's kind; one that may go back counts negative times.
template<class Clock = std::chrono::steady_clock>
class basic_stopwatch {
public:
    using clock = Clock;
    using duration = typename Clock::duration;

    /// Runs from now on.
    basic_stopwatch() : since_(Clock::now()) {}

    /// The time counted so far.
    duration elapsed() const { return running_ ? counted_ + (Clock::now() - since_) : counted_; }

    /// The same in seconds.
    double seconds() const { return std::chrono::duration<double>(elapsed()).count(); }

    /// The time counted since the last call of `lap`, or since the start, and begins a new lap. So
    /// all laps and the one under way add up to `elapsed()`.
    duration lap() {
        const duration now = elapsed();
        return now - std::exchange(lap_start_, now);
    }

    /// Begins anew, and runs. @returns the time counted until then.
    duration reset() {
        const duration counted = elapsed();
        *this = basic_stopwatch();
        return counted;
    }

    /// Stops counting until `resume`. Again: does nothing.
    void pause() {
        counted_ = elapsed();
        running_ = false;
    }

    /// Goes on counting. If it counts already: does nothing.
    void resume() {
        if (!running_) {
            since_ = Clock::now();
            running_ = true;
        }
    }

    /// Whether it counts.
    bool running() const noexcept { return running_; }

private:
    typename Clock::time_point since_; ///< Since when it runs, if it does.
    duration counted_{};               ///< Before that.
    duration lap_start_{};             ///< What `elapsed` was then.
    bool running_ = true;
};

/// The stopwatch that one means.
using stopwatch = basic_stopwatch<>;

} // namespace regatta
