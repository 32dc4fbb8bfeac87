// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Starting a child without copying the parent.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/process/subprocess.hpp>

#include <sched.h>
#include <sys/types.h>

#include <string>

namespace regatta::detail {

/// A child that has not been waited for yet.
struct started_child {
    pid_t pid;
    unique_descriptor pidfd;
};

#if REGATTA_THREAD_SANITIZER
// The sanitizer wraps clone(2) and treats every call as a fork with its own memory, which would
// corrupt its records of this process. `__clone` is the C library's other name of the same
// function.
extern "C" int unwrapped_clone(int (*)(void*), void*, int, void*, ...) noexcept __asm__("__clone");
#else
inline constexpr auto& unwrapped_clone = ::clone;
#endif

/// A descriptor that becomes readable when a child of this process has ended that nobody has waited
/// for. Failure: ends the child, waits for it, and throws `std::system_error`.
unique_descriptor open_end_of_child(pid_t pid, const std::string& operation);

/// Implements `spawn`.
started_child start_program(const spawn_options& options);

} // namespace regatta::detail
