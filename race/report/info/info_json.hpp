// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The record of a machine as JSON.

#include "report/common/provenance.hpp"

#include <string>

namespace regatta::race {

/// The document, indented, with a final newline; docs/reference/info.md describes it.
std::string info_json(const provenance& from);

} // namespace regatta::race
