// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The result of the experiment on pinning and owning as JSON.

#include "isolation/isolation_result.hpp"
#include "report/common/provenance.hpp"

#include <string>

namespace regatta::race {

/// The document, indented, with a final newline; docs/reference/race_isolation.md describes it.
std::string to_json(const isolation_result& result, const provenance& from);

} // namespace regatta::race
