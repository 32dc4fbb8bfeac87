// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The end of a report: what the figures say, in plain words.

#include "sampling/race_result.hpp"
#include "text/text.hpp"

#include <string>

namespace regatta::race {

/// What won, or which may have.
std::string outcome_words(const race_result& result, const text_style& style);
/// Why: what the workers of the winner and of others did with their time; empty without a verdict
/// because the baseline failed.
std::string reason_words(const race_result& result);
/// What the set-up of workers consists of that are processes; empty where none was begun in a run.
std::string set_up_words(const race_result& result, const text_style& style);
/// What kills of workers came to, in the schemes that replace them; empty where none was killed.
std::string death_words(const race_result& result, const text_style& style);
/// Which scheme suits which need, the fastest of those that do; empty where none suits one.
std::string choice_words(const race_result& result);

} // namespace regatta::race
