// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The messages of random programs on a bus.

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace library_test {

struct oddity {};

/// Counts its objects.
struct counting {
    static inline std::atomic<int> alive{0};
    counting() noexcept { ++alive; }
    counting(const counting&) noexcept { ++alive; }
    counting& operator=(const counting&) = default;
    ~counting() { --alive; }
};

/// What every message says: the number among those that were accepted of its stream.
struct stamp {
    std::size_t stream;
    int number;
    counting here{};
};
struct note {
    note(std::size_t stream, int number) noexcept : s{stream, number} {}
    stamp s;
};
/// Can only be moved.
struct parcel {
    stamp s;
    std::unique_ptr<int> own;
};
/// The copy throws once a thread has made as many as it may.
struct letter {
    static inline thread_local int copies = 0;
    letter(std::size_t stream, int number) : s{stream, number} {}
    letter(letter&&) noexcept = default;
    letter(const letter& other) : s(other.s), text(other.text) {
        if (copies-- == 0) {
            throw oddity();
        }
    }
    stamp s;
    std::string text = "longer than what a string holds without the heap";
};
/// What a message's destructor calls.
struct called_back {
    virtual void call_back() noexcept = 0;
    virtual ~called_back() = default;
};
/// Uses the bus when it is destroyed.
struct trick {
    trick(std::size_t stream, int number, called_back& p) : s{stream, number}, to(&p) {}
    trick(trick&& other) noexcept : s(other.s), to(std::exchange(other.to, nullptr)) {}
    ~trick() {
        if (to != nullptr) {
            to->call_back();
        }
    }
    stamp s;
    called_back* to;
};
/// More types than are compared one after the other.
template<int>
struct other {
    stamp s;
};

} // namespace library_test
