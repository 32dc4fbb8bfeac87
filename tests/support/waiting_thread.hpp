// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A thread that can be pinned by its number.

#include "support/meeting.hpp"

#include <regatta/cpu/affinity.hpp>

#include <thread>

namespace library_test {

/// A thread that waits until it is told to end.
class waiting_thread {
public:
    waiting_thread()
        : thread_([this] {
            number_ = regatta::number_of_this_thread();
            begun_.count_down();
            end_.wait();
        }) {
        begun_.wait();
    }
    waiting_thread(const waiting_thread&) = delete;
    waiting_thread& operator=(const waiting_thread&) = delete;
    ~waiting_thread() {
        end_.count_down();
        thread_.join();
    }

    regatta::thread_number number() const { return number_; }

private:
    latch begun_{1};
    latch end_{1};
    regatta::thread_number number_ = 0; // Written before begun_ is counted down, read after.
    std::thread thread_;
};

} // namespace library_test
