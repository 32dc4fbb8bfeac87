// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The record of a machine for people.

#include "machine/fingerprint.hpp"
#include "text/text.hpp"

#include <string>

namespace regatta::race {

/// Everything that decides a measurement, by theme, and then what spoils one.
std::string info_text(const fingerprint& machine, const text_style& style);

/// For the head of a report: what spoils any measurement, the worst first. What is left out for the
/// sake of brevity is counted.
std::string short_warnings(const fingerprint& machine, const text_style& style);

} // namespace regatta::race
