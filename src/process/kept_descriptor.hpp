// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Descriptors that the library keeps, away from the numbers of the standard streams.

#include <regatta/base/detail/unique_descriptor.hpp>

#include <fcntl.h>

namespace regatta::detail {

/// Takes a new descriptor under a number from 3 on. In a program that has closed a standard stream
/// the system gives out its number, and whatever prints then writes into what was opened.
/// Another thread that prints in the instant between the two calls still does.
/// @returns none, with errno, if `number` is negative or there is no other number for it.
inline unique_descriptor kept_descriptor(int number) noexcept {
    if (number < 0 || number > 2) {
        return unique_descriptor(number);
    }
    const unique_descriptor low(number);
    return unique_descriptor(::fcntl(low.get(), F_DUPFD_CLOEXEC, 3));
}

} // namespace regatta::detail
