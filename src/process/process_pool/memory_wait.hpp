// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Repeats what found no memory, in a thread that has no caller to tell.

#include <chrono>
#include <new>
#include <thread>

namespace regatta::detail {

/// Calls `f` again after a pause, as often as it throws `std::bad_alloc`; then it has to have left
/// all as it was, or as far done.
template<class F>
void once_there_is_memory(F&& f) {
    for (;;) {
        try {
            f();
            return;
        } catch (const std::bad_alloc&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
}

} // namespace regatta::detail
