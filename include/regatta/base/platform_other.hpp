// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The calls of platform.hpp where nothing but the standard library is known.

#include <regatta/base/platform.hpp>

#if !REGATTA_LINUX && !REGATTA_WINDOWS

#include <cerrno>
#include <thread>

namespace regatta::platform {

inline bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       const std::chrono::steady_clock::time_point* deadline,
                       futex_scope) noexcept {
    if (deadline == nullptr) {
        word.wait(expected, std::memory_order_relaxed);
        return true;
    }
    while (word.load(std::memory_order_relaxed) == expected) {
        if (std::chrono::steady_clock::now() >= *deadline) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

inline void futex_wake(std::atomic<std::uint32_t>& word, int count, futex_scope) noexcept {
    if (count == 1) {
        word.notify_one();
    } else {
        word.notify_all();
    }
}

inline bool register_process_fence() noexcept {
    return false;
}
inline void process_fence() noexcept {}
inline void name_this_thread(const char*) noexcept {}
inline void sharpen_waits_of_this_thread() noexcept {}
inline int pin_this_thread(const unsigned long*, std::size_t) noexcept {
    return ENOTSUP;
}
inline int affinity_of_this_thread(unsigned long*, std::size_t) noexcept {
    return ENOTSUP;
}
inline int schedule_this_thread(scheduling_policy policy, int) noexcept {
    return policy == scheduling_policy::inherit ? 0 : ENOTSUP;
}

} // namespace regatta::platform

#endif
