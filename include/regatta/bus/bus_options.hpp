// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What an `async_bus` is made with and what it counts.

#include <regatta/bus/admission.hpp>

#include <cstddef>
#include <cstdint>

namespace regatta {

/// What a blocking `publish` does when there is no room.
enum class when_full {
    block,  ///< Waits for room: spins, then sleeps.
    discard ///< Gives the message up, counts it and returns false.
};

/// What an `async_bus` is made with.
struct bus_options {
    /// Messages that each lane holds; rounded up to a power of two, at least 2.
    std::size_t capacity = 1024;
    /// Lanes for `make_producer`: how many producers can be alive at once.
    std::size_t producers = 4;
    /// Handlers that each message type can have at once.
    std::size_t subscribers = 16;
    admission_levels admission{};
    when_full on_full = when_full::block;
};

/// What a bus has done so far. While others are at work the figures are of slightly different
/// moments; they are exact when nobody is.
struct bus_stats {
    std::uint64_t published = 0; ///< Messages accepted.
    std::uint64_t refused = 0;   ///< Messages not accepted: no room, by class, or closed.
    std::uint64_t processed = 0; ///< Messages that were given to handlers or to a visitor.
    std::uint64_t unhandled = 0; ///< Of those: had no handler.
    std::uint64_t parked = 0;    ///< Times that `run` went to sleep.
    std::size_t queued = 0;      ///< Messages accepted and not yet processed.
};

} // namespace regatta
