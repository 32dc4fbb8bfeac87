// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Admission classes: up to which fill level a queue accepts a message.

#include <regatta/base/error.hpp>

#include <cstddef>
#include <string>

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
    admission_limits(admission_levels levels, std::size_t capacity)
        : limits_{share(levels.low, capacity), share(levels.medium, capacity),
                  share(levels.high, capacity)} {
        if (levels.low > levels.medium || levels.medium > levels.high || levels.high > 100) {
            fail_argument("admission levels must satisfy low <= medium <= high <= 100, got " +
                          std::to_string(levels.low) + ", " + std::to_string(levels.medium) + ", " +
                          std::to_string(levels.high));
        }
    }

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

} // namespace regatta
