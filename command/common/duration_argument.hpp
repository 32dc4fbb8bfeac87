// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Lengths of time on the command line: "10s", "500ms".

#include <chrono>
#include <optional>
#include <string_view>

namespace regatta::command {

/// A number and a unit: ns, us, ms, s, min or h; without a unit seconds. Fractions are allowed.
/// Nothing for anything else, for what is not above 0, and for more than 30 days.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

} // namespace regatta::command
