// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Which messages a queue admits, and the options and statistics of an `async_bus`.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/text_parts.hpp>
#include <regatta/base/error.hpp>

#include <cstddef>
#include <cstdint>

namespace regatta {

/// The importance of a message when room is short. It decides which messages are admitted, not
/// their order: a queue stays first in, first out.
enum class admission_class : unsigned char { low, medium, high };

/// Up to which percentage of its capacity a queue admits messages of each class.
///
/// A message without a class is admitted while there is any room.
struct admission_levels {
    unsigned low = 60;
    unsigned medium = 80;
    unsigned high = 99;
};

/// Admission levels as numbers of messages, for one queue capacity.
class admission_limits {
public:
    /// Throws `std::invalid_argument` unless 0 <= low <= medium <= high <= 100.
    REGATTA_APART REGATTA_POOLS_API admission_limits(admission_levels levels, std::size_t capacity);

    /// Messages of this class are admitted while fewer than this many are queued.
    std::size_t operator[](admission_class c) const noexcept {
        return limits_[static_cast<std::size_t>(c)];
    }

private:
    static std::size_t share(unsigned percent, std::size_t capacity) noexcept {
        return capacity / 100 * percent + capacity % 100 * percent / 100;
    }

    std::size_t limits_[3];
};

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
    /// Messages not accepted: no room, by class, closed, or by a handler into a full lane.
    std::uint64_t refused = 0;
    std::uint64_t processed = 0; ///< Messages given to handlers or to a visitor.
    std::uint64_t unhandled = 0; ///< Those of `processed` that had no handler.
    std::uint64_t parked = 0;    ///< Times that the consumer went to sleep.
    std::size_t queued = 0;      ///< Messages accepted and not yet processed.
};

#if REGATTA_POOLS_DEFINITIONS

admission_limits::admission_limits(admission_levels levels, std::size_t capacity)
    : limits_{share(levels.low, capacity), share(levels.medium, capacity),
              share(levels.high, capacity)} {
    if (levels.low > levels.medium || levels.medium > levels.high || levels.high > 100) {
        fail_argument(
            detail::text_of({"admission levels must satisfy low <= medium <= high <= 100, got ",
                             detail::decimal(levels.low), ", ", detail::decimal(levels.medium),
                             ", ", detail::decimal(levels.high)}));
    }
}

#endif

} // namespace regatta
