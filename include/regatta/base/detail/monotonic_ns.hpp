// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The clock that compares moments across threads, processes and the kernel.

#include <regatta/base/detail/clock.hpp>

#include <cstdint>

namespace regatta::detail {

/// Nanoseconds of the steady clock. On Linux it is CLOCK_MONOTONIC, the same clock in every process
/// of the machine.
inline std::int64_t monotonic_ns() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace regatta::detail
