// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Lengths of time on the command line: "10s", "500ms".

#include "common/argument_checks.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace regatta::command {

/// A number and a unit: ns, us, ms, s, min, h or d; without a unit seconds. Fractions are allowed.
/// Nothing for anything else, for what is not above 0, and for more than 30 days.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

/// A length of time within bounds, which are themselves written so.
argument_check length_of_time(std::string_view shortest, std::string_view longest);

} // namespace regatta::command
