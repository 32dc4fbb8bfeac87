// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The names in the directory of named segments.

#include <string>
#include <string_view>
#include <vector>

namespace regatta::detail {

/// The names that begin with `prefix`, each with its leading '/', sorted: of any files.
/// Failure: `std::system_error` if the directory cannot be read.
std::vector<std::string> names_in_segment_directory(std::string_view prefix);

} // namespace regatta::detail
