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
/// The names of this user's named segments that begin with `prefix` and that no process uses: what
/// a crash left. Files that are no segments, and those of others, are never listed.
///
/// Threads: any; a `replace` of the very segment that is looked at may meanwhile see it in use.
/// Failure: `std::system_error` if the directory cannot be read.
REGATTA_SYSTEM_API std::vector<std::string> stale_segments(std::string_view prefix);

/// Removes what `stale_segments` lists, and returns the names that it removed.
REGATTA_SYSTEM_API std::vector<std::string> remove_stale_segments(std::string_view prefix);

} // namespace regatta
