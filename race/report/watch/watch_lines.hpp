// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What one sees who watches the machine: as a screen, and as text.

#include "machine/observer.hpp"
#include "report/common/screen_line.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace regatta::race {

/// What a screen shows besides the observation.
struct watch_frame {
    std::string clock;            ///< The time of day.
    std::string pace;             ///< How long between looks: "every 1s".
    std::string last_output;      ///< The last line that the watched program has written.
    bool has_output = false;      ///< Whether there is room for it.
    std::size_t first_thread = 0; ///< How far the list of threads is scrolled.
};

/// The lines of a screen, from the top: at most `rows`, none longer than the style's width.
/// Where not all fits, threads are left out first, and the CPUs become smaller.
std::vector<screen_line> watch_screen(const observation& seen, const watch_frame& frame,
                                      std::size_t rows, const text_style& style);

/// How far the list of threads can be scrolled on such a screen.
std::size_t last_first_thread(const observation& seen, const watch_frame& frame, std::size_t rows,
                              const text_style& style);

/// All of it: every CPU and every thread in a line.
std::string watch_text(const observation& seen, const watch_frame& frame, const text_style& style);

} // namespace regatta::race
