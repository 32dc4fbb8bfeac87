// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The options, ids and statistics of a `timer_scheduler`.

#include <regatta/core/error_sink.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace regatta {

/// Identifies a timer of one scheduler. A scheduler never reuses an id; ids of two schedulers may
/// be equal.
enum class timer_id : std::uint64_t {
    none = 0 ///< No timer.
};

/// The treatment of a periodic timer's ticks that passed while it was late.
enum class missed_ticks {
    skip,    ///< They are skipped; the next run is for the first tick that has not passed.
    catch_up ///< Each gets a run, one after the other, until the timer is on time again.
};

/// The options of a `timer_scheduler`.
struct timer_scheduler_options {
    /// Name of the timer thread; Linux shows the first 15 bytes.
    std::string name = "timer";
    /// Receives exceptions of callbacks, on the thread that ran them, and of the executor's
    /// `execute`, on the timer thread.
    error_sink on_error{};
};

/// The statistics of a `timer_scheduler`.
struct timer_scheduler_stats {
    std::uint64_t scheduled = 0; ///< Timers that were given an id.
    std::uint64_t run = 0;       ///< Callback runs that have ended, including those that threw.
    std::uint64_t cancelled = 0; ///< Timers ended by a cancel that returned true, or by `close`.
    std::uint64_t skipped = 0;   ///< Ticks skipped by `missed_ticks::skip`.
    std::uint64_t refused = 0;   ///< Runs that the executor did not accept, or dropped.
    std::uint64_t errors = 0;    ///< Exceptions passed to `on_error`.
    std::size_t pending = 0;     ///< As `pending()`.
};

} // namespace regatta
