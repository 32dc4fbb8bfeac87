// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The result of a race as text for people.

#include "report/common/provenance.hpp"
#include "sampling/race_result.hpp"
#include "text/text.hpp"

#include <string>

namespace regatta::race {

/// The whole report: what ran where, warnings, the table, who was skipped or failed and why, and
/// the three closing lines.
std::string to_text(const race_result& result, const provenance& from, const text_style& style);

} // namespace regatta::race
