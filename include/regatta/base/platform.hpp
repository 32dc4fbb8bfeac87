// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Every call that the portable core (base, sync, pool, bus, time) makes to the operating system.
/// To port the core, port this file.

#include <regatta/base/config.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <thread>

#if REGATTA_LINUX
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#endif

namespace regatta::platform {

/// Who may share the word of a futex: threads of this process, or any process that maps it.
enum class futex_scope { process, shared };

/// Blocks while `word` holds `expected`, until woken, until `deadline`, or spuriously.
///
/// Threads: any. Blocks: yes. Order: none; read the state again with the order that you need.
/// Failure: none; every return means "look again". Source: futex(2).
/// @returns false only when the deadline has passed.
inline bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       const std::chrono::steady_clock::time_point* deadline = nullptr,
                       futex_scope scope = futex_scope::process) noexcept {
#if REGATTA_LINUX
    static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
    static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
    const int flag = scope == futex_scope::process ? FUTEX_PRIVATE_FLAG : 0;
    timespec until{};
    if (deadline != nullptr) {
        // steady_clock is CLOCK_MONOTONIC, which FUTEX_WAIT_BITSET takes as an absolute time.
        // A time before the clock began has passed, too; the kernel would refuse it.
        const auto since =
            std::max(deadline->time_since_epoch(), std::chrono::steady_clock::duration::zero());
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
        until.tv_sec = static_cast<time_t>(seconds.count());
        until.tv_nsec = static_cast<long>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds).count());
    }
    // A 32-bit system whose time_t has 64 bits needs the call of that width.
#if defined(SYS_futex_time64)
    constexpr long call = sizeof(time_t) > sizeof(long) ? SYS_futex_time64 : SYS_futex;
#else
    constexpr long call = SYS_futex;
#endif
    const long status =
        ::syscall(call, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_BITSET | flag, expected,
                  deadline != nullptr ? &until : nullptr, nullptr, FUTEX_BITSET_MATCH_ANY);
    return !(status != 0 && errno == ETIMEDOUT);
#else
    static_cast<void>(scope);
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
#endif
}

/// Wakes up to `count` threads that block in `futex_wait` on `word`.
///
/// Threads: any. Blocks: never. Cost: one system call, about 200 ns when nobody waits.
inline void futex_wake(std::atomic<std::uint32_t>& word, int count = INT_MAX,
                       futex_scope scope = futex_scope::process) noexcept {
#if REGATTA_LINUX
    const int flag = scope == futex_scope::process ? FUTEX_PRIVATE_FLAG : 0;
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE | flag, count, nullptr,
              nullptr, 0);
#else
    static_cast<void>(scope);
    if (count == 1) {
        word.notify_one();
    } else {
        word.notify_all();
    }
#endif
}

/// Registers this process for `process_fence`; false where the kernel has no such thing.
/// Cheap to call again. Source: membarrier(2), MEMBARRIER_CMD_PRIVATE_EXPEDITED, Linux 4.14.
inline bool register_process_fence() noexcept {
#if REGATTA_LINUX && defined(SYS_membarrier)
    return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
#else
    return false;
#endif
}

/// Makes every thread of this process that runs execute a full memory fence before it returns.
///
/// Needs `register_process_fence()` to have returned true. Cost: one system call and an interrupt
/// to each other core that runs this process, some microseconds: for the side that is about to
/// sleep anyway, so that the other side needs no fence at all.
inline void process_fence() noexcept {
#if REGATTA_LINUX && defined(SYS_membarrier)
    // The kernel may want memory for a moment that it does not have; there is no going on without
    // the fence.
    while (::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0 &&
           errno == ENOMEM) {
        std::this_thread::yield();
    }
#endif
}

/// Names the calling thread for debuggers and `top`; Linux shows the first 15 bytes.
inline void name_this_thread(const char* name) noexcept {
#if REGATTA_LINUX
    char shortened[16] = {};
    for (std::size_t i = 0; i + 1 < sizeof shortened && name[i] != '\0'; ++i) {
        shortened[i] = name[i];
    }
    ::pthread_setname_np(::pthread_self(), shortened);
#else
    static_cast<void>(name);
#endif
}

/// Restricts the calling thread to the CPUs whose bits are set in `words` (bit c of the array is
/// CPU c; `bytes` is the array's size in bytes).
/// @returns 0, or the error number of the system; `ENOTSUP` where there is no such call.
inline int pin_this_thread(const unsigned long* words, std::size_t bytes) noexcept {
#if REGATTA_LINUX
    return ::sched_setaffinity(0, bytes, reinterpret_cast<const cpu_set_t*>(words)) == 0 ? 0
                                                                                         : errno;
#else
    static_cast<void>(words);
    static_cast<void>(bytes);
    return ENOTSUP;
#endif
}

/// Writes the calling thread's allowed CPUs to `words`, as `pin_this_thread` reads them.
/// @returns 0, or the error number (`EINVAL`: the array is smaller than the kernel's mask).
inline int affinity_of_this_thread(unsigned long* words, std::size_t bytes) noexcept {
#if REGATTA_LINUX
    for (std::size_t i = 0; i < bytes / sizeof(unsigned long); ++i) {
        words[i] = 0;
    }
    return ::sched_getaffinity(0, bytes, reinterpret_cast<cpu_set_t*>(words)) == 0 ? 0 : errno;
#else
    static_cast<void>(words);
    static_cast<void>(bytes);
    return ENOTSUP;
#endif
}

} // namespace regatta::platform
