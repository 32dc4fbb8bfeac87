// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The result of the experiment on pinning and owning as CSV.

#include "isolation/isolation_result.hpp"

#include <string>

namespace regatta::race {

/// A header and one line for each sample (RFC 4180, lines end with \n), round by round; a mode that
/// did not run has none. What is not known is empty. The columns are those members of the JSON.
std::string to_csv(const isolation_result& result);

} // namespace regatta::race
