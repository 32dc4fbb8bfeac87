// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Lines of text whose parts have a meaning, which whoever shows them turns into colours.

#include "text/text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// What a part of a line is. Nothing is told by it alone: without colours the text says it, too.
enum class tone {
    plain,
    bold,
    faint,
    user,      ///< Time of programs.
    system,    ///< Time of the kernel.
    interrupt, ///< Time of interrupts.
    steal,     ///< Time that the hypervisor took away.
    iowait,    ///< Time of waiting for devices.
    alarm      ///< What one has to see.
};

/// A part of a line.
struct screen_span {
    std::string text;
    tone as = tone::plain;
};

/// A line, without its end.
using screen_line = std::vector<screen_span>;

/// Columns that it takes.
std::size_t columns_of(const screen_line& line) noexcept;

/// The line; one that is longer than the style is wide ends in an ellipsis there.
screen_line shortened(screen_line line, const text_style& style);
/// The line without its last parts, as many as do not fit the style's width; the first stays.
screen_line whole_parts(screen_line line, const text_style& style);

/// The line with its end, coloured where the style has colours; no blanks at its end.
std::string text_of(const screen_line& line, const text_style& style);

/// Text of others, such as the names that programs give themselves, as it may be shown: printable
/// ASCII; a '?' stands for every other character, so that none of them moves the cursor.
std::string harmless(std::string_view text);

} // namespace regatta::race
