// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a measurement of scaling showed, in plain words.

#include "scaling/scale_result.hpp"
#include "text/text.hpp"

#include <string>
#include <vector>

namespace regatta::race {

/// What the fitted laws say: the serial fraction, contention and coherence with their intervals,
/// where the peak lies, and which law describes the points better.
std::vector<std::string> fit_sentences(const scale_result& result, const text_style& style);

/// How close the machine's peak was come to; empty where none is known.
std::string peak_sentence(const scale_result& result);

/// How far it scales, and whether that can be relied upon: the end of the report.
std::string scale_conclusion(const scale_result& result, const text_style& style);

} // namespace regatta::race
