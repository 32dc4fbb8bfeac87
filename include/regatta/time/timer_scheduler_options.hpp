// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a `timer_scheduler` is made with, what it gives out and what it counts.

#include <regatta/core/error_sink.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace regatta {

/// A timer of one scheduler. No scheduler gives the same id twice; two schedulers may give the
/// same.
enum class timer_id : std::uint64_t {
    none = 0 ///< No timer has it.
};

/// What becomes of the ticks of a periodic timer that passed while it was late.
enum class missed_ticks {
    skip,    ///< They are left out; the next run is for the first tick that has not passed.
    catch_up ///< Each still gets a run, one after the other, until the timer is on time again.
};

/// What a `timer_scheduler` is made with.
struct timer_scheduler_options {
    /// Of the timer thread; Linux shows the first 15 bytes.
    std::string name = "timer";
    /// Receives what callbacks throw, on the thread that ran them, and what the executor's
    /// `execute` throws, on the timer thread.
    error_sink on_error{};
};

/// What a scheduler has done so far.
struct timer_scheduler_stats {
    std::uint64_t scheduled = 0; ///< Timers that were given an id.
    std::uint64_t run = 0;       ///< Runs of callbacks that have ended, also those that threw.
    std::uint64_t cancelled = 0; ///< Timers ended by a cancel that returned true, or by `close`.
    std::uint64_t skipped = 0;   ///< Ticks left out by `missed_ticks::skip`.
    std::uint64_t refused = 0;   ///< Runs that the executor did not take, or dropped.
    std::uint64_t errors = 0;    ///< What was handed to `on_error`.
    std::size_t pending = 0;     ///< As `pending()` says.
};

} // namespace regatta
