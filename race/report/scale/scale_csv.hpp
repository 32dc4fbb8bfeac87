// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The result of a measurement of scaling as CSV.

#include "scaling/scale_result.hpp"

#include <string>

namespace regatta::race {

/// A header and a line for each number of workers (RFC 4180, lines end with \n); what is not known
/// is empty. The columns are those members of the JSON.
std::string to_csv(const scale_result& result);

} // namespace regatta::race
