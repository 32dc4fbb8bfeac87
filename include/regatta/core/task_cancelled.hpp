// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The exception of a future whose task never ran.

#include <regatta/base/config.hpp>

#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace regatta {

/// The task was cancelled, its stop token was stopped before its turn came, or its pool discarded
/// it. The code is `std::errc::operation_canceled`.
class task_cancelled : public std::system_error {
public:
    task_cancelled()
        : std::system_error(std::make_error_code(std::errc::operation_canceled),
                            "the task was cancelled before it started") {}
};

/// Throws `task_cancelled`. Without exceptions, prints the same text to stderr and calls
/// `std::abort`.
[[noreturn]] REGATTA_RARE inline void fail_cancelled() {
#if REGATTA_EXCEPTIONS
    throw task_cancelled();
#else
    std::fputs("regatta: the task was cancelled before it started\n", stderr);
    std::abort();
#endif
}

} // namespace regatta
