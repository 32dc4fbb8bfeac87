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

/// What the number beside "unclear" means, of the one that needs least; empty where none is.
/// @param least so many rounds or launches more. @param unit "round" or "launch".
std::string unclear_words(std::optional<unsigned> least, std::string_view unit,
                          std::string_view units);
/// Says so where no difference can be shown, with so many rounds or launches among so many that are
/// compared; otherwise empty.
/// @param most of one scheme. @param compared beside the baseline.
std::string too_few_to_differ(std::size_t most, std::size_t compared, std::string_view unit,
                              std::string_view units);

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
