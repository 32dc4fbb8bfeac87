// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Names of shared segments and the files behind them.

#include <cstddef>
#include <string>
#include <string_view>

namespace regatta::detail {

/// The directory of named shared memory, as in shm_open(3).
inline constexpr const char* segment_directory = "/dev/shm";

/// The maximum length of a name, without its leading '/'.
inline constexpr std::size_t max_segment_name = 255;

/// Checks a name and returns it with a leading '/', which the caller may omit.
/// Failure: `std::invalid_argument` for an empty or too long name, another '/', a zero byte, "."
/// and "..".
std::string checked_segment_name(std::string_view name);

/// The path of the file behind a checked name.
std::string segment_path(const std::string& checked_name);

} // namespace regatta::detail
