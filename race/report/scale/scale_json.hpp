// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The result of a measurement of scaling as JSON.

#include "report/common/provenance.hpp"
#include "scaling/scale_result.hpp"

#include <string>

namespace regatta::race {

/// The document, indented, with a final newline; docs/reference/scale.md describes it.
std::string to_json(const scale_result& result, const provenance& from);

} // namespace regatta::race
