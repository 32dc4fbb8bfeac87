// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What somebody may have meant who mistyped a name.

#include <string>
#include <string_view>
#include <vector>

namespace regatta::command {

/// The name that the fewest insertions, deletions, replacements and swaps of neighbours turn
/// `typed` into (restricted Damerau–Levenshtein distance); empty where none is near.
std::string nearest_name(std::string_view typed, const std::vector<std::string_view>& names);

} // namespace regatta::command
