// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Threads of a test that wait for each other. The standard's `latch` and `barrier` may lose a
/// wake-up where GCC 12 has no futex.

#include "support/eventually.hpp"

#include <condition_variable>
#include <mutex>

namespace library_test {

/// Opens for good once it has been counted down to 0, as `std::latch`.
class latch {
public:
    explicit latch(int count) : count_(count) {}
    void count_down() {
        const std::lock_guard lock(lock_);
        if (--count_ == 0) {
            opened_.notify_all();
        }
    }
    void wait() {
        std::unique_lock lock(lock_);
        eventually("a latch that opens", opened_, lock, [&] { return count_ <= 0; });
    }
    void arrive_and_wait() {
        count_down();
        wait();
    }

private:
    std::mutex lock_;
    std::condition_variable opened_;
    int count_;
};

/// Lets its threads go on together, again and again, as `std::barrier`.
class barrier {
public:
    explicit barrier(int threads) : threads_(threads) {}
    void arrive_and_wait() {
        std::unique_lock lock(lock_);
        const int mine = meeting_;
        if (++here_ == threads_) {
            here_ = 0;
            ++meeting_;
            all_here_.notify_all();
        } else {
            eventually("all threads at a barrier", all_here_, lock,
                       [&] { return meeting_ != mine; });
        }
    }

private:
    std::mutex lock_;
    std::condition_variable all_here_;
    const int threads_;
    int here_ = 0;
    int meeting_ = 0;
};

} // namespace library_test
