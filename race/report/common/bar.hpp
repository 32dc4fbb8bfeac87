// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A bar that shows where the workers' time went.

#include "sampling/attribution.hpp"
#include "text/text.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace regatta::race {

/// How many of `width` cells each part gets; they sum to `width` (largest remainders are rounded
/// up), or to 0 where nothing is known.
std::array<std::size_t, part_count> bar_cells(const attribution& where, std::size_t width);

/// The bar, `width` columns wide. Each part has its own character, so colours only help.
std::string bar_text(const attribution& where, std::size_t width, const text_style& style);

/// What the characters of the bars mean, "█ work  ░ dispatch …", for the parts that any bar shows:
/// lines that keep to the width, as `verbatim` gives them. Empty if no bar shows any part.
std::string legend_text(const std::vector<attribution>& bars, std::size_t width,
                        const text_style& style);

} // namespace regatta::race
