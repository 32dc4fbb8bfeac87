// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A value for tests of containers: move-only, and its owner sees how many of them are alive.

#include <atomic>
#include <utility>

namespace library_test {

/// A number that cannot be copied; `alive` counts the objects that hold one. What was moved from
/// holds none.
class counted {
public:
    counted(std::atomic<int>& alive, int value) noexcept : alive_(&alive), value_(value) {
        ++*alive_;
    }
    counted(counted&& other) noexcept
        : alive_(std::exchange(other.alive_, nullptr))
        , value_(other.value_) {}
    counted& operator=(counted&& other) noexcept {
        std::swap(alive_, other.alive_);
        std::swap(value_, other.value_);
        return *this;
    }
    ~counted() {
        if (alive_ != nullptr) {
            --*alive_;
        }
    }

    int value() const noexcept { return value_; }
    bool holds() const noexcept { return alive_ != nullptr; }

private:
    std::atomic<int>* alive_;
    int value_;
};

} // namespace library_test
