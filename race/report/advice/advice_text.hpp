// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Advice as text for people.

#include "advice/advice.hpp"
#include "text/text.hpp"

#include <string>

namespace regatta::race {

/// The whole report: what it is about, then topic by topic each sentence with the places of its
/// figures, and at the end what cannot be said and what would say it.
std::string to_text(const advice& made, const text_style& style);

} // namespace regatta::race
