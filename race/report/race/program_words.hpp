// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What programs took that were in a race, in plain words.

#include "sampling/race_result.hpp"
#include "text/text.hpp"

#include <string>

namespace regatta::race {

/// How many CPUs each program used on average, and how much memory, the fastest first; empty where
/// none was measured.
std::string program_words(const race_result& result, const text_style& style);

} // namespace regatta::race
