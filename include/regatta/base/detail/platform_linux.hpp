// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The calls of platform.hpp on Linux.

#include <regatta/base/detail/platform.hpp>
#include <regatta/base/detail/width_cast.hpp>

#if REGATTA_LINUX

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace regatta::detail::platform {

// The 32-bit systems that are young enough have only the call with a 64-bit time.
#if defined(SYS_futex)
inline constexpr long futex_call = SYS_futex;
#else
inline constexpr long futex_call = SYS_futex_time64;
#endif

// Source: futex(2).
inline bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       const std::chrono::steady_clock::time_point* deadline, futex_scope scope,
                       std::uint32_t bits) noexcept {
    static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
    static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
    const int flag = scope == futex_scope::process ? FUTEX_PRIVATE_FLAG : 0;
    timespec until{};
    if (deadline != nullptr) {
        // steady_clock is CLOCK_MONOTONIC, which FUTEX_WAIT_BITSET takes as an absolute time. The
        // kernel would refuse a time before the start of the clock, which has passed, too.
        const auto since =
            std::max(deadline->time_since_epoch(), std::chrono::steady_clock::duration::zero());
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
        // A 32-bit time_t ends after 68 years.
        until.tv_sec = static_cast<time_t>(
            std::min<std::int64_t>(seconds.count(), std::numeric_limits<time_t>::max()));
        until.tv_nsec = width_cast<long>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds).count());
    }
    const auto wait = [&](long call, const void* time) noexcept {
        return ::syscall(call, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_BITSET | flag,
                         expected, time, nullptr, bits) == 0
                   ? 0
                   : errno;
    };
    if (deadline == nullptr) {
        return wait(futex_call, nullptr) != ETIMEDOUT;
    }
#if defined(SYS_futex_time64)
    // A 32-bit system with a 64-bit time_t needs the call of that width, which Linux has since 5.1.
    if constexpr (sizeof(time_t) > sizeof(long)) {
        if (const int error = wait(SYS_futex_time64, &until); error != ENOSYS) {
            return error != ETIMEDOUT;
        }
        const struct {
            long seconds;
            long nanoseconds;
        } narrow{
            static_cast<long>(std::min<time_t>(until.tv_sec, std::numeric_limits<long>::max())),
            until.tv_nsec};
        return wait(futex_call, &narrow) != ETIMEDOUT;
    }
#endif
    return wait(futex_call, &until) != ETIMEDOUT;
}

inline bool futex_wake(std::atomic<std::uint32_t>& word, int count, futex_scope scope) noexcept {
    const int flag = scope == futex_scope::process ? FUTEX_PRIVATE_FLAG : 0;
    return ::syscall(futex_call, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE | flag, count,
                     nullptr, nullptr, 0) > 0;
}

inline constexpr bool tells_threads_apart = true;
inline bool futex_wake_of(std::atomic<std::uint32_t>& word, int count,
                          std::uint32_t bits) noexcept {
    return ::syscall(futex_call, reinterpret_cast<std::uint32_t*>(&word),
                     FUTEX_WAKE_BITSET | FUTEX_PRIVATE_FLAG, count, nullptr, nullptr, bits) > 0;
}

// Source: membarrier(2), MEMBARRIER_CMD_PRIVATE_EXPEDITED, Linux 4.14.
inline bool register_process_fence() noexcept {
#if defined(SYS_membarrier)
    // Once: the registration is the process's, and a child of fork(2) inherits it. If two threads
    // come at once, both register. The compiler's lock of an initialised static would let only one
    // do so, but if the process forked meanwhile, that lock would stay locked in the child.
    enum { unknown, refused, registered };
    static std::atomic<int> answer{unknown};
    // relaxed, all: each has the same answer, which publishes nothing else.
    if (answer.load(std::memory_order_relaxed) == unknown) {
        const bool done =
            ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
        answer.store(done ? registered : refused, std::memory_order_relaxed);
    }
    return answer.load(std::memory_order_relaxed) == registered;
#else
    return false;
#endif
}

inline void process_fence() noexcept {
#if defined(SYS_membarrier)
    while (::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
        // ENOMEM: the kernel lacks memory for the moment.
        if (errno != ENOMEM) {
            // A filter came later that forbids the call (seccomp). The other threads still make no
            // fence, so this one waits until what they stored before the call, and what they are
            // about to load, is past: a core keeps a store for microseconds at most, and drains its
            // buffer when its thread is interrupted.
            const auto past = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
            do {
                std::this_thread::yield();
            } while (std::chrono::steady_clock::now() < past);
            return;
        }
        std::this_thread::yield();
    }
#endif
}

inline void name_this_thread(const char* name) noexcept {
    // Of a name that is too long the number after the last '/' stays: it tells workers apart.
    char shortened[16] = {};
    constexpr std::size_t most = sizeof shortened - 1;
    const std::size_t length = std::strlen(name);
    const char* const slash = std::strrchr(name, '/');
    const std::size_t tail = slash == nullptr ? 0 : length - static_cast<std::size_t>(slash - name);
    const std::size_t head = length <= most || tail >= most ? std::min(length, most) : most - tail;
    std::copy(name, name + head, shortened);
    if (head < length && head < most) {
        std::copy(slash, slash + tail, shortened + head);
    }
    ::pthread_setname_np(::pthread_self(), shortened);
}

// Source: prctl(2), PR_SET_TIMERSLACK.
inline void sharpen_waits_of_this_thread() noexcept {
    ::prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
}

inline int pin_thread(std::int32_t thread, const unsigned long* words, std::size_t bytes) noexcept {
    const auto* const set = reinterpret_cast<const cpu_set_t*>(words);
    return ::sched_setaffinity(thread, bytes, set) == 0 ? 0 : errno;
}

inline int affinity_of_thread(std::int32_t thread, unsigned long* words,
                              std::size_t bytes) noexcept {
    for (std::size_t i = 0; i < bytes / sizeof(unsigned long); ++i) {
        words[i] = 0;
    }
    auto* const set = reinterpret_cast<cpu_set_t*>(words);
    return ::sched_getaffinity(thread, bytes, set) == 0 ? 0 : errno;
}

inline std::int32_t this_thread_number() noexcept {
    return static_cast<std::int32_t>(::syscall(SYS_gettid));
}

// Source: sched_getcpu(3). It needs no system call.
inline int cpu_of_this_thread() noexcept {
    return ::sched_getcpu();
}

// Source: getcpu(2). The function of the C library needs no system call.
inline unsigned node_of_this_thread() noexcept {
    unsigned node = 0;
#if defined(__GLIBC__) && __GLIBC__ * 100 + __GLIBC_MINOR__ >= 229
    return ::getcpu(nullptr, &node) == 0 ? node : 0;
#else
    return ::syscall(SYS_getcpu, nullptr, &node, nullptr) == 0 ? node : 0;
#endif
}

/// 1 + the last number of a list as "0-1,4"; 1 if the file has a single number or cannot be read.
REGATTA_RARE inline unsigned listed_nodes(const char* path) noexcept {
    char text[256];
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return 1;
    }
    const auto size = ::read(file, text, sizeof text);
    ::close(file);
    bool several = false;
    unsigned last = 0;
    for (const char* at = text; at < text + size && *at != '\n'; ++at) {
        const bool digit = *at >= '0' && *at <= '9';
        several = several || !digit;
        last = digit ? last * 10 + static_cast<unsigned>(*at - '0') : 0;
    }
    return several ? last + 1 : 1;
}

// Source: Documentation/ABI/stable/sysfs-devices-node of the kernel.
inline unsigned memory_nodes() noexcept {
    static std::atomic<unsigned> nodes{0}; // As in register_process_fence().
    if (nodes.load(std::memory_order_relaxed) == 0) {
        nodes.store(listed_nodes("/sys/devices/system/node/has_memory") == 1
                        ? 1
                        : listed_nodes("/sys/devices/system/node/has_cpu"),
                    std::memory_order_relaxed);
    }
    return nodes.load(std::memory_order_relaxed);
}

// Source: madvise(2).
inline void renew_pages(void* start, std::size_t bytes) noexcept {
    ::madvise(start, bytes, MADV_DONTNEED);
}

/// The first version of the kernel's `sched_attr`, which the C library does not define.
struct scheduling_attributes {
    std::uint32_t size = sizeof(scheduling_attributes);
    std::uint32_t policy = 0;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0;
    std::uint64_t deadline = 0;
    std::uint64_t period = 0;
};
static_assert(sizeof(scheduling_attributes) == 48);

// Source: sched_setattr(2). It sets class and number together, so that a refusal changes nothing.
inline int schedule_this_thread(scheduling_policy policy, int priority) noexcept {
    scheduling_attributes wanted;
    switch (policy) {
    case scheduling_policy::inherit:
        return 0;
    case scheduling_policy::other:
    case scheduling_policy::batch:
        wanted.policy = policy == scheduling_policy::other ? SCHED_OTHER : SCHED_BATCH;
        wanted.nice = priority;
        break;
    case scheduling_policy::idle:
        wanted.policy = SCHED_IDLE;
        break;
    case scheduling_policy::fifo:
    case scheduling_policy::round_robin:
        wanted.policy = policy == scheduling_policy::fifo ? SCHED_FIFO : SCHED_RR;
        wanted.priority = static_cast<std::uint32_t>(priority);
        break;
    }
    return ::syscall(SYS_sched_setattr, 0, &wanted, 0u) == 0 ? 0 : errno;
}

inline bool is_real_time(scheduling_policy policy) noexcept {
    const int inherited = policy == scheduling_policy::inherit ? ::sched_getscheduler(0) : -1;
    return policy == scheduling_policy::fifo || policy == scheduling_policy::round_robin ||
           inherited == SCHED_FIFO || inherited == SCHED_RR || inherited == SCHED_DEADLINE;
}

// Source: pthread_mutexattr_setprotocol(3), PTHREAD_PRIO_INHERIT; futex(2), priority-inheritance
// futexes.
inline void lend_priority(std::mutex& mutex) noexcept {
    ::pthread_mutex_t* const at = mutex.native_handle();
    ::pthread_mutexattr_t kind;
    if (::pthread_mutexattr_init(&kind) != 0) {
        return;
    }
    ::pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
    ::pthread_mutex_destroy(at);
    if (::pthread_mutex_init(at, &kind) != 0) {
        ::pthread_mutex_init(at, nullptr);
    }
    ::pthread_mutexattr_destroy(&kind);
}

} // namespace regatta::detail::platform

#endif
