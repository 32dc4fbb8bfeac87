// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The end of a report: what the figures say, in plain words.

#include "sampling/race_result.hpp"
#include "text/text.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace regatta::race {

/// What is lacking for verdicts: so many rounds or launches that a difference can be shown among so
/// many schemes at all; otherwise what the number beside "unclear" means. Empty where nothing is.
/// @param most rounds or launches of one scheme. @param compared beside the baseline.
/// @param least what the scheme lacks that lacks least; nothing: none is unclear.
/// @param unit "round" or "launch".
std::string lacking_words(std::size_t most, std::size_t compared, std::optional<unsigned> least,
                          std::string_view unit, std::string_view units);

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
