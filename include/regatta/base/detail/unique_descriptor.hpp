// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A file descriptor that closes itself.

#include <unistd.h>

#include <utility>

namespace regatta::detail {

/// Owns one file descriptor, or none.
///
/// Threads: like an int.
/// Failure: none; errors of close(2) are ignored.
class unique_descriptor {
public:
    unique_descriptor() = default;
    explicit unique_descriptor(int number) noexcept : number_(number) {}
    unique_descriptor(unique_descriptor&& other) noexcept
        : number_(std::exchange(other.number_, -1)) {}
    unique_descriptor& operator=(unique_descriptor&& other) noexcept {
        if (this != &other) {
            reset(std::exchange(other.number_, -1));
        }
        return *this;
    }
    ~unique_descriptor() { reset(); }

    /// The descriptor; -1 if there is none.
    int get() const noexcept { return number_; }
    explicit operator bool() const noexcept { return number_ >= 0; }
    /// Closes the descriptor that it owns and takes `number`.
    void reset(int number = -1) noexcept {
        if (number_ >= 0) {
            ::close(number_);
        }
        number_ = number;
    }
    /// Gives up the descriptor without closing it.
    int release() noexcept { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};

} // namespace regatta::detail
