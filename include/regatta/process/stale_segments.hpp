// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Finding and removing the named segments that a crash left behind.

#include <regatta/base/config.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace regatta {
/// The names of this user's named segments that begin with `prefix` and that no process uses: those
/// that a crash left. Never lists files that are not segments, or segments of other users.
///
/// Threads: any. A concurrent `replace` of a segment waits a moment while this call looks at it.
/// Failure: `std::system_error` if the directory cannot be read.
REGATTA_SYSTEM_API std::vector<std::string> stale_segments(std::string_view prefix);

/// Removes the segments that `stale_segments` lists, and returns the names of those removed.
REGATTA_SYSTEM_API std::vector<std::string> remove_stale_segments(std::string_view prefix);

} // namespace regatta
