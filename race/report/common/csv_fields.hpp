// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Fields of CSV files.

#include "sampling/statistics.hpp"

#include <string>

namespace regatta::race {

/// In quotation marks where RFC 4180 asks for them.
std::string csv_quoted(const std::string& text);

/// Its median, low and high with so many digits behind the point; three empty fields where nothing
/// is known.
std::string csv_fields(const estimate& e, int digits);

} // namespace regatta::race
