// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What tests of threads need: to know that a thread sleeps, what it has used, and how long to go
/// on. Nothing here sleeps to synchronise.

#include "support/eventually.hpp"
#include "support/observed_thread.hpp"

#include <regatta/base/config.hpp>

#include <atomic>

namespace library_test {

/// `full` rounds; a tenth under the thread sanitizer, with random delays and on an emulated
/// processor.
inline int rounds(int full) {
#if defined(__aarch64__) || defined(REGATTA_DELAYED_TESTS)
    const bool slow = true;
#else
    const bool slow = REGATTA_THREAD_SANITIZER != 0;
#endif
    return slow ? (full + 9) / 10 : full;
}

/// A message whose first move takes as long as it is told to. That move puts it into its queue, so
/// that the place is claimed already and the message is not yet there.
class slow_message {
public:
    struct door {
        std::atomic<bool> reached{false};
        std::atomic<bool> open{false};
    };

    slow_message() = default;
    explicit slow_message(door& d) noexcept : door_(&d) {}
    slow_message(slow_message&& other) noexcept {
        if (other.door_ != nullptr) {
            other.door_->reached = true;
            await([&] { return other.door_->open.load(); });
        }
    }

private:
    door* door_ = nullptr;
};

} // namespace library_test
