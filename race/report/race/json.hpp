// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The result of a race as JSON: the source of which table and CSV are views.

#include "report/common/provenance.hpp"
#include "sampling/race_result.hpp"

#include <string>

namespace regatta::race {

/// The document, indented, with a final newline; docs/reference/race-json.md describes it.
std::string to_json(const race_result& result, const provenance& from);

} // namespace regatta::race
