// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A way for tests to hold workers inside their tasks.

#include "support/threads.hpp"

#include <atomic>

namespace library_test {

/// Keeps tasks inside until it is opened; opens, and lets them out, before it ends.
class door {
public:
    door() = default;
    door(const door&) = delete;
    door& operator=(const door&) = delete;
    ~door() {
        open();
        await([this] { return gone_.load() == inside_.load(); });
    }

    void pass() {
        ++inside_;
        await([this] { return open_.load(); });
        ++gone_;
    }
    void await_inside(int count) {
        await([&] { return inside_.load() >= count; });
    }
    void open() { open_ = true; }

private:
    std::atomic<int> inside_{0};
    std::atomic<int> gone_{0};
    std::atomic<bool> open_{false};
};

} // namespace library_test
