// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the terminals behind standard output and standard error can show, and what users are told.

#include "text/text.hpp"

#include <string_view>

namespace regatta::command {

/// How to write to a stream. Colours: not where NO_COLOR is set, TERM is "dumb", CLICOLOR is 0 or
/// the stream is no terminal; always where CLICOLOR_FORCE is set and not 0, unless NO_COLOR is.
/// Width: COLUMNS, or the terminal's own, or 100. UTF-8: where the locale says so.
race::text_style style_of(int descriptor);

/// Whether it is a terminal on which a line can be drawn over (TERM is not "dumb").
bool is_live_terminal(int descriptor);

/// The width of the terminal at this moment.
unsigned width_of(int descriptor);

/// Writes "regatta: TEXT" to standard error. Names that others chose may be in it.
void tell(std::string_view text);

} // namespace regatta::command
