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

struct cpu_view {
    std::vector<screen_line> lines; ///< At least three.
    screen_line legend;             ///< What the marks are.
};

/// A line of titles, one of all CPUs together, and the CPUs: a line each with its shares, its clock
/// and a bar; where that is more than `rows`, several bars a line; and where even that is, one
/// character a CPU, of which the last line may say how many more there are.
/// @param style width as many columns as a line may have.
cpu_view view_of_cpus(const observation& seen, std::size_t rows, const text_style& style);

} // namespace regatta::race
