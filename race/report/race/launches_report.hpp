// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What several launches of a race found out together, for people and programs.

#include "report/common/provenance.hpp"
#include "sampling/launches.hpp"
#include "text/text.hpp"

#include <string>

namespace regatta::race {

/// For people: a row a scheme, with the interval over the launches.
std::string to_text(const launches_result& result, const provenance& from, const text_style& style);

/// A line for each scheme that some launch lacks, with why. @param where " of size 64", or nothing.
std::string missing_text(const launches_result& result, const std::string& where,
                         const text_style& style);

/// Whether that race, a document, is about the longest latencies: `race_result::judges_longest`.
bool judges_longest(const json& race);

/// The document, indented, with a final newline; docs/reference/launches.schema.json describes it.
std::string to_json(const launches_result& result, const provenance& from);

/// The names of the columns, with a newline.
std::string launches_csv_head();
/// A line a scheme (RFC 4180), each after `first`.
std::string launches_csv_lines(const launches_result& result, const std::string& first);
/// Both.
std::string to_csv(const launches_result& result);

} // namespace regatta::race
