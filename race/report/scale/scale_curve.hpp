// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The curve of scaling, drawn with characters.

#include "scaling/scale_result.hpp"
#include "text/text.hpp"

#include <string>

namespace regatta::race {

/// Speed-up over workers: what was measured with its intervals, the ideal, and the preferred law as
/// far as it was fitted. Both axes double from tick to tick, so that the ideal is a straight line,
/// and equal distances below it are equal shares lost. Ends with a line that explains the marks.
///
/// Empty where fewer than two numbers of workers have figures, where a rate was offered, and in a
/// window too narrow for it.
std::string scale_curve_text(const scale_result& result, const text_style& style);

} // namespace regatta::race
