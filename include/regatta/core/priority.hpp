// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How important a message or a task is, and how full a queue may be for it to be let in.

#include <regatta/base/error.hpp>

#include <cstddef>
#include <string>

namespace regatta {

/// How important a message is when room runs short, and which task of a thread pool comes first.
enum class priority : unsigned char { low, medium, high };

/// Up to which share of its capacity, in percent, a queue admits messages of each priority.
///
/// What carries no priority is admitted while there is any room at all.
struct admission_levels {
    unsigned low = 60;
    unsigned medium = 80;
    unsigned high = 99;
};

/// Admission levels as numbers of messages, for a queue of a given capacity.
class admission_limits {
public:
    /// Throws `std::invalid_argument` unless 0 <= low <= medium <= high <= 100.
    admission_limits(admission_levels levels, std::size_t capacity)
        : limits_{share(levels.low, capacity), share(levels.medium, capacity),
                  share(levels.high, capacity)} {
        if (levels.low > levels.medium || levels.medium > levels.high || levels.high > 100) {
            fail_argument("admission levels must satisfy low <= medium <= high <= 100, got " +
                          std::to_string(levels.low) + ", " + std::to_string(levels.medium) + ", " +
                          std::to_string(levels.high));
        }
    }

    /// A message of this priority is admitted while fewer than so many are queued.
    std::size_t operator[](priority p) const noexcept {
        return limits_[static_cast<std::size_t>(p)];
    }

private:
    static std::size_t share(unsigned percent, std::size_t capacity) noexcept {
        return capacity / 100 * percent + capacity % 100 * percent / 100;
    }

    std::size_t limits_[3];
};

} // namespace regatta
