// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How the library reports misuse and failed system calls, with exceptions and without.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/text_parts.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace regatta {

/// Reports a failed system call: throws `std::system_error` with the code and the operation.
/// Without exceptions it prints the same text to stderr and calls `std::abort`.
/// @param error_number as in `errno`, even where the system itself counts differently.
[[noreturn]] REGATTA_POOLS_EXPORT void fail_system(int error_number, std::string_view operation);

/// Reports an argument that is out of its range: throws `std::invalid_argument`.
/// Without exceptions it prints the text to stderr and calls `std::abort`.
[[noreturn]] REGATTA_POOLS_EXPORT void fail_argument(const std::string& what);

/// Reports a call that the object's state does not allow: throws `std::logic_error`.
/// Without exceptions it prints the text to stderr and calls `std::abort`.
[[noreturn]] REGATTA_POOLS_EXPORT void fail_state(const std::string& what);

#if REGATTA_POOLS_DEFINITIONS

REGATTA_RARE REGATTA_POOLS_API void fail_system(int error_number, std::string_view operation) {
    // If the operation already ends with the reason, do not repeat it.
    const std::string reason = std::generic_category().message(error_number);
    if (operation.ends_with(reason)) {
        const std::string_view before(operation.data(), operation.size() - reason.size());
        operation = before.ends_with(": ") ? before : operation;
        operation.remove_suffix(before.ends_with(": ") ? 2 : 0);
    }
    const std::string what = detail::text_of(
        {operation, REGATTA_WINDOWS && error_number == ENOTSUP
                        ? " (not supported on this system)" // Its C library has no text for it.
                        : ""});
#if REGATTA_EXCEPTIONS
    throw std::system_error(error_number, std::generic_category(), what);
#else
    std::fprintf(stderr, "regatta: %s: %s\n", what.c_str(), reason.c_str());
    std::abort();
#endif
}

REGATTA_RARE REGATTA_POOLS_API void fail_argument(const std::string& what) {
#if REGATTA_EXCEPTIONS
    throw std::invalid_argument(what);
#else
    std::fprintf(stderr, "regatta: %s\n", what.c_str());
    std::abort();
#endif
}

REGATTA_RARE REGATTA_POOLS_API void fail_state(const std::string& what) {
#if REGATTA_EXCEPTIONS
    throw std::logic_error(what);
#else
    std::fprintf(stderr, "regatta: %s\n", what.c_str());
    std::abort();
#endif
}

#endif

} // namespace regatta
