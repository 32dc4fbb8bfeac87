// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Why the schemes in Python took the time that they took, in plain words.

#include "sampling/race_result.hpp"
#include "text/text.hpp"

#include <string>
#include <vector>

namespace regatta::race {

/// What the figures of this race say of Python's lock, of the threads of numpy's BLAS, of processes
/// and of pickling: a sentence each, of those only for which there are figures. Two schemes are
/// called different only where that was shown. Empty where no scheme in Python ran.
std::vector<std::string> python_words(const race_result& result, const text_style& style);

} // namespace regatta::race
