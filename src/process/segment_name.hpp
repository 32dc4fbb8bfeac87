// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Names of shared segments and the files behind them.

#include <cstddef>
#include <string>
#include <string_view>

namespace regatta::detail {

/// Where the kernel keeps named shared memory, as shm_open(3) does.
inline constexpr const char* segment_directory = "/dev/shm";

/// The longest name, without its leading '/'.
inline constexpr std::size_t max_segment_name = 255;

/// Checks a name and returns it with its leading '/', which the caller may leave out.
/// Failure: `std::invalid_argument` for an empty or too long name, another '/', a zero byte, and
/// the names "." and "..".
std::string checked_segment_name(std::string_view name);

/// The file of a checked name.
std::string segment_path(const std::string& checked_name);

} // namespace regatta::detail
