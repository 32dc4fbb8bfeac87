// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Durations, time points and `std::chrono::steady_clock` without the calendars and streams of
/// `<chrono>`, which cost a tenth of a second in each file that includes them.

#include <mutex> // Its timed locks take these types.

namespace regatta::detail {
using std::chrono::steady_clock;
} // namespace regatta::detail
