// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Advice as JSON.

#include "advice/advice.hpp"
#include "report/common/provenance.hpp"

#include <string>

namespace regatta::race {

/// The document, indented, with a final newline; docs/reference/advise.md describes it.
std::string to_json(const advice& made, const provenance& from);

} // namespace regatta::race
