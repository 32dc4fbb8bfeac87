// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The record of a machine as JSON.

#include "report/provenance.hpp"

#include <string>

namespace regatta::race {

/// Which description the document follows; docs/reference/info.md explains it.
inline constexpr const char* info_schema = "regatta-info/1";

/// The document, indented, with a final newline.
std::string info_json(const provenance& from);

} // namespace regatta::race
