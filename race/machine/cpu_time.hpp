// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// CPU time that this process and its children used, in nanoseconds.

#include <sys/resource.h>

#include <cstdint>
#include <ctime>

namespace regatta::race {

/// CPU time of all threads of this process, those that run at this moment included.
/// Cost: one system call, under 1 µs.
inline std::int64_t own_cpu_ns() noexcept {
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// CPU time of the children that ended and were waited for, and of theirs.
inline std::int64_t children_cpu_ns() noexcept {
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    const auto ns = [](const timeval& t) {
        return std::int64_t{t.tv_sec} * 1'000'000'000 + std::int64_t{t.tv_usec} * 1000;
    };
    return ns(usage.ru_utime) + ns(usage.ru_stime);
}

/// CPU time that a living child used so far; 0 where it has ended.
inline std::int64_t process_cpu_ns(std::int64_t process) noexcept {
    clockid_t clock{};
    timespec t{};
    if (process <= 0 || ::clock_getcpuclockid(static_cast<pid_t>(process), &clock) != 0 ||
        ::clock_gettime(clock, &t) != 0) {
        return 0;
    }
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

} // namespace regatta::race
