// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Columns of text with titles, as many as there is room for.

#include "text/text.hpp"

#include <string>
#include <vector>

namespace regatta::race {

/// A column of a grid.
struct grid_column {
    std::string title;
    bool to_the_left = false; ///< Words stand to the left, figures to the right.
    /// Where there is no room, columns go in the rising order of this number; 0: never.
    unsigned dropped = 0;
    std::vector<std::string> cells{};   ///< A row each.
    std::vector<std::string> colours{}; ///< Of the cells, as `coloured` takes them; may be fewer.
    /// Whether the cells are drawings, whose characters keep their places. They are escaped
    /// already.
    bool drawn = false;
};

/// A line of titles and a line a row. Where even the columns that stay are too wide for a screen,
/// the widest one of words is shortened, and the first one counts as such. A page has all columns.
std::string grid_text(std::vector<grid_column> columns, const text_style& style);

} // namespace regatta::race
