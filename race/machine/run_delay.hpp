// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How long a thread could have run and had no CPU.

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace regatta::race {

/// The second number of a schedstat file: nanoseconds of waiting for a CPU. Absent where the text
/// is something else.
inline std::optional<std::int64_t> run_delay_in(std::string_view schedstat) noexcept {
    const auto blank = schedstat.find(' ');
    if (blank == schedstat.npos) {
        return std::nullopt;
    }
    schedstat.remove_prefix(blank + 1);
    std::int64_t ns = 0;
    const auto read = std::from_chars(schedstat.data(), schedstat.data() + schedstat.size(), ns);
    return read.ec == std::errc() ? std::optional(ns) : std::nullopt;
}

/// How long the calling thread has had no CPU since its start. Absent where the kernel keeps no
/// such account (CONFIG_SCHED_INFO).
///
/// Threads: any, each its own. Cost: three system calls, some 5 µs; no memory from the heap.
/// Source: the kernel's documentation of schedstat.
inline std::optional<std::int64_t> run_delay_of_this_thread() noexcept {
    const int file = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return std::nullopt;
    }
    std::array<char, 128> text;
    const auto got = ::read(file, text.data(), text.size());
    ::close(file);
    return got <= 0 ? std::nullopt : run_delay_in({text.data(), static_cast<std::size_t>(got)});
}

} // namespace regatta::race
