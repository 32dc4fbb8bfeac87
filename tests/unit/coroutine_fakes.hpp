// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// An executor and coroutines of the tests of coroutines.

#include <regatta/core/coroutine.hpp>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace coroutine_test {

/// Refuses every task.
struct full_executor {
    template<class F>
    void execute(F&&) {
        throw std::runtime_error("full");
    }
};

inline regatta::co_task<int> value(int v) {
    co_return v;
}
inline regatta::co_task<> note(std::vector<std::string>& notes, std::string text) {
    notes.push_back(std::move(text));
    co_return;
}

} // namespace coroutine_test
