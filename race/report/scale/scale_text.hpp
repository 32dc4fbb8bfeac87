// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The result of a measurement of scaling as text for people.

#include "report/common/provenance.hpp"
#include "scaling/scale_result.hpp"
#include "text/text.hpp"

#include <string>

namespace regatta::race {

/// The whole report: what ran where, what about the machine spoils it, the curve, the table, what
/// the laws make of it, the notes on what cannot be true, and the conclusion.
std::string to_text(const scale_result& result, const provenance& from, const text_style& style);

} // namespace regatta::race
