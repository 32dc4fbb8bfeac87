// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the race and the launcher of a program agree on.

#include <cstdint>

namespace regatta::race {

/// Under this number the launcher inherits a socket. A byte on it says "go"; the launcher answers
/// with one record and then waits for its end. The end of the other side is that of the race: the
/// launcher then kills its process group, in which the program is.
inline constexpr int launch_descriptor = 3;

/// What became of the program. Texts end with a zero byte.
struct launch_record {
    std::int64_t begin_ns = 0; ///< Of CLOCK_MONOTONIC, just before it was started.
    std::int64_t end_ns = 0;
    std::int64_t user_ns = 0;   ///< CPU time, with that of its descendants.
    std::int64_t system_ns = 0; ///< The same in the kernel.
    std::int64_t voluntary_switches = 0;
    std::int64_t involuntary_switches = 0;
    std::int64_t peak_bytes = 0; ///< Of the largest of these processes.
    bool success = false;        ///< It was started and returned 0.
    char how[80] = {};        ///< How it ended, or why it could not be started: "exited with …".
    char last_line[400] = {}; ///< What it wrote last on standard error.
};

} // namespace regatta::race
