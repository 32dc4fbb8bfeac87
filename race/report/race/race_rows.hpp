// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the tables of a race have in common.

#include "sampling/race_result.hpp"
#include "text/text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// Those that have figures, the lowest ratio first; behind them, by their time, those without one.
std::vector<const scheme_result*> rows_of(const race_result& result);
/// The text of a ratio; "-" if no ratio was measured.
std::string ratio_cell(const estimate& ratio);
/// Both ends, or "-" where there are too few rounds for an interval.
std::string interval_text(const estimate& ratio, const text_style& style);
/// Its word, and of an unclear one how many rounds more it takes.
std::string verdict_text(const scheme_result& row);
/// As `coloured` takes it.
std::string_view verdict_colour(verdict word) noexcept;

} // namespace regatta::race
