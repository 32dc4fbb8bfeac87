// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Durations, time points and `std::chrono::steady_clock`, without the calendars and streams of
/// `<chrono>`: those double what the library's headers cost to compile.

#include <mutex> // IWYU pragma: export (its timed locks take these types)
