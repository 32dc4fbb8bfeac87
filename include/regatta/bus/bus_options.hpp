// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The options and statistics of an `async_bus`.

#include <regatta/bus/admission.hpp>

#include <cstddef>
#include <cstdint>

namespace regatta {

/// The reaction of a blocking `publish` to a full lane.
enum class when_full {
    block,  ///< Waits for room: spins, then sleeps.
    discard ///< Discards the message, counts it as refused and returns false.
};

/// The options of an `async_bus`.
struct bus_options {
    /// Messages that each lane holds; rounded up to a power of two, at least 2.
    std::size_t capacity = 1024;
    /// Lanes for `make_producer`: the most producers that can be alive at once.
    std::size_t producers = 4;
    /// The most handlers that each message type can have at once.
    std::size_t subscribers = 16;
    admission_levels admission{};
    when_full on_full = when_full::block;
};

/// The statistics of an `async_bus`. Figures read during work are of slightly different moments;
/// without concurrent work they are exact.
struct bus_stats {
    std::uint64_t published = 0; ///< Messages accepted.
    std::uint64_t refused = 0;   ///< Messages not accepted: no room, by class, or closed.
    std::uint64_t processed = 0; ///< Messages given to handlers or to a visitor.
    std::uint64_t unhandled = 0; ///< Those of `processed` that had no handler.
    std::uint64_t parked = 0;    ///< Times that `run` went to sleep.
    std::size_t queued = 0;      ///< Messages accepted and not yet processed.
};

} // namespace regatta
