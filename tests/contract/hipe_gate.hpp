// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Holds tasks of a pond up until a test lets them go on.

#include "support/threads.hpp"

#include <atomic>

namespace hipe_test {

/// Keeps who passes inside until it is opened.
class gate {
public:
    void pass() {
        ++inside_;
        library_test::await([this] { return open_.load(); });
    }
    /// A task that passes.
    auto keeper() {
        return [this] { pass(); };
    }
    void await_inside(int count) {
        library_test::await([&] { return inside_.load() >= count; });
    }
    void open() { open_ = true; }

private:
    std::atomic<int> inside_{0};
    std::atomic<bool> open_{false};
};

} // namespace hipe_test
