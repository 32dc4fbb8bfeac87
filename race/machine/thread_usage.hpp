// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the kernel has counted of the calling thread.

#include "machine/run_delay.hpp"

#include <sys/resource.h>
#include <sys/time.h>

#include <cstdint>
#include <ctime>
#include <optional>

namespace regatta::race {

inline std::int64_t nanoseconds_of(const timeval& time) noexcept {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_usec} * 1000;
}

/// Counters of one thread since its start.
struct thread_usage {
    std::int64_t cpu_ns = 0;
    std::int64_t user_ns = 0;              ///< Its part in user mode, as the kernel parts it.
    std::int64_t system_ns = 0;            ///< Its part in the kernel.
    std::int64_t voluntary_switches = 0;   ///< It waited for something.
    std::int64_t involuntary_switches = 0; ///< Its CPU was taken away.
    /// How long it could have run and had no CPU. Absent where the kernel keeps no such account
    /// (CONFIG_SCHED_INFO).
    std::optional<std::int64_t> run_delay_ns;
};

/// Reads the calling thread's counters.
/// Threads: any, each its own. Failure: none. Cost: some 10 µs; not for a measured stretch.
/// Source: getrusage(2), the kernel's documentation of schedstat.
inline thread_usage usage_of_this_thread() {
    thread_usage now;
    now.run_delay_ns = run_delay_of_this_thread();
    // Before getrusage: the kernel brings the thread's account up to now, which that parts.
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    now.cpu_ns = std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    now.user_ns = nanoseconds_of(usage.ru_utime);
    now.system_ns = nanoseconds_of(usage.ru_stime);
    now.voluntary_switches = usage.ru_nvcsw;
    now.involuntary_switches = usage.ru_nivcsw;
    return now;
}

} // namespace regatta::race
