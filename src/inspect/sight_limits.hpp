// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a check cannot see, in words.

#include "inspect/gap_probe.hpp"

#include <string>
#include <vector>

namespace regatta::detail {

/// What /proc lets this process see, as sentences; empty: everything.
std::vector<std::string> limits_of_sight(bool& sees_all_tasks);

/// Why the kernel does not tell of switches, as a sentence.
std::string why_no_trace(int error);

} // namespace regatta::detail
