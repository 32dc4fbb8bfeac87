// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The result of a sweep as text, JSON and CSV.

#include "report/common/provenance.hpp"
#include "sampling/sweep.hpp"
#include "text/text.hpp"

#include <string>

namespace regatta::race {

/// For people: who won each cell, and all ratios as a matrix with a row a scheme and a column a
/// cell. A row ends with the ratios drawn as bars, where there is room.
std::string to_text(const sweep_result& sweep, const provenance& from, const text_style& style);

/// The document, indented, with a final newline; docs/reference/sweep.schema.json describes it.
std::string to_json(const sweep_result& sweep, const provenance& from);

/// The lines of every cell's race, after the columns `cell_size`, `cell_workers`, `cell_chunk` and
/// `cell_capacity`
/// (RFC 4180).
std::string to_csv(const sweep_result& sweep);

} // namespace regatta::race
