// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a check of CPUs found, for people and as JSON.

#include "text/text.hpp"

#include <regatta/inspect/exclusivity_check.hpp>

#include <string>

namespace regatta::race {

/// The report as it is printed; lines keep to the width.
std::string cpus_check_text(const exclusivity_report& report, const text_style& style);

/// The whole of it as JSON, as docs/reference/inspect.md describes. @param time when it began, UTC.
std::string cpus_check_json(const exclusivity_report& report, const std::string& time);

} // namespace regatta::race
