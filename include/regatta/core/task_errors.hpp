// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The exceptions for tasks that never run: cancelled, or rejected by a pool.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/text_parts.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
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
[[noreturn]] REGATTA_POOLS_EXPORT void fail_cancelled();

/// Thrown by a pool that rejects a task. The task has not run and will not.
class task_rejected : public std::runtime_error {
public:
    enum class reason {
        full,  ///< The pool is bounded, full, and set to reject.
        closed ///< The pool is closed.
    };

    REGATTA_RARE task_rejected(const std::string& pool, reason r, std::size_t accepted_before = 0)
        : std::runtime_error(detail::text_of({"the pool '", pool, "' rejected the task: it is ",
                                              r == reason::full ? "full" : "closed"}))
        , reason_(r)
        , accepted_(accepted_before) {}

    reason why() const noexcept { return reason_; }
    /// The number of tasks of a batch, from the front, that the pool accepted.
    std::size_t accepted() const noexcept { return accepted_; }

private:
    reason reason_;
    std::size_t accepted_;
};

/// Throws `task_rejected`. Without exceptions, prints the same text to stderr and calls
/// `std::abort`.
[[noreturn]] REGATTA_POOLS_EXPORT void
fail_rejected(const std::string& pool, task_rejected::reason why, std::size_t accepted);

#if REGATTA_POOLS_DEFINITIONS

REGATTA_RARE REGATTA_POOLS_API void fail_cancelled() {
#if REGATTA_EXCEPTIONS
    throw task_cancelled();
#else
    std::fputs("regatta: the task was cancelled before it started\n", stderr);
    std::abort();
#endif
}
REGATTA_RARE REGATTA_POOLS_API void fail_rejected(const std::string& pool,
                                                  task_rejected::reason why, std::size_t accepted) {
    const task_rejected error(pool, why, accepted);
#if REGATTA_EXCEPTIONS
    throw error;
#else
    std::fprintf(stderr, "regatta: %s\n", error.what());
    std::abort();
#endif
}

#endif

} // namespace regatta
