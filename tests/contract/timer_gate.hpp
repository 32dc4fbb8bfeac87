// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A way to have several timers due at once.

#include "support/threads.hpp"

#include <regatta/time/timer_scheduler.hpp>

#include <atomic>

namespace library_test {

/// Keeps the timer thread busy until it is opened, so that several timers are due at once.
class timer_gate {
public:
    explicit timer_gate(regatta::timer_scheduler& timers) {
        timers.at(regatta::timer_scheduler::clock::time_point::min(), [this] {
            inside_ = true;
            await([this] { return open_.load(); });
        });
        await([this] { return inside_.load(); });
    }
    void open() { open_ = true; }

private:
    std::atomic<bool> inside_{false};
    std::atomic<bool> open_{false};
};

} // namespace library_test
