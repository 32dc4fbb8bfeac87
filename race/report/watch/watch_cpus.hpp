// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the CPUs do, in as many lines as there are.

#include "machine/observer.hpp"
#include "report/common/screen_line.hpp"

#include <cstddef>
#include <vector>

namespace regatta::race {

/// A line of titles, one of all CPUs together, and the CPUs: a line each with its shares, its clock
/// and a bar; where that is more than `rows`, several bars a line; and where even that is, one
/// character a CPU. At least three lines.
/// @param style width as many columns as a line may have.
std::vector<screen_line> cpu_lines(const observation& seen, std::size_t rows,
                                   const text_style& style);

/// What the marks in the bars are.
screen_line cpu_legend(const text_style& style);

} // namespace regatta::race
