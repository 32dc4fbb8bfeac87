// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The result of a race as CSV, for spreadsheets and data frames.

#include "sampling/race_result.hpp"

#include <string>

namespace regatta::race {

/// A header and one line a scheme (RFC 4180, lines end with \n); what is not known is empty. The
/// columns are those members of the JSON document.
std::string to_csv(const race_result& result);
/// Its parts: the header, and the lines, each after `first`.
std::string csv_head();
std::string csv_lines(const race_result& result, const std::string& first);

} // namespace regatta::race
