// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The calls of platform.hpp with the standard library alone.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/detail/platform.hpp>

#if !REGATTA_LINUX && !REGATTA_WINDOWS

#include <regatta/base/detail/platform_unpinned.hpp>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace regatta::detail::platform {

/// Where threads sleep: words that share a place wake each other spuriously.
struct sleeping_place {
    std::mutex lock;
    std::condition_variable changed;
};

/// The place of a word, one of a fixed number. The whole process shares them, as it would the
/// kernel's. Not `std::atomic::wait`: without a futex, GCC 12 loses its wake-ups.
inline sleeping_place& place_of(const void* word) noexcept {
    union for_good { // Not destroyed: threads of objects that end at exit sleep here until then.
        sleeping_place places[256];
        for_good() : places() {}
        ~for_good() {}
    };
    static for_good all;
    return all.places[std::hash<const void*>()(word) / cache_line_size % 256];
}

inline bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       const std::chrono::steady_clock::time_point* deadline, futex_scope,
                       std::uint32_t) noexcept {
    sleeping_place& place = place_of(&word);
    std::unique_lock lock(place.lock);
    // relaxed: the lock publishes every change that came before a futex_wake().
    if (word.load(std::memory_order_relaxed) != expected) {
        return true;
    }
    if (deadline == nullptr) {
        place.changed.wait(lock);
        return true;
    }
    // The clock of the condition variable may not reach as far as the deadline.
    const auto next = std::min(*deadline, std::chrono::steady_clock::now() + std::chrono::hours(1));
    return place.changed.wait_until(lock, next) == std::cv_status::no_timeout || next < *deadline;
}

inline bool futex_wake(std::atomic<std::uint32_t>& word, int, futex_scope) noexcept {
    sleeping_place& place = place_of(&word);
    // A sleeper holds the lock from its look until it sleeps.
    const std::lock_guard lock(place.lock);
    place.changed.notify_all();
    return false;
}

inline constexpr bool tells_threads_apart = false;
inline bool futex_wake_of(std::atomic<std::uint32_t>&, int, std::uint32_t) noexcept {
    return false;
}

inline bool register_process_fence() noexcept {
    return false;
}
inline void process_fence() noexcept {}
inline void name_this_thread(const char*) noexcept {}

} // namespace regatta::detail::platform

#endif
