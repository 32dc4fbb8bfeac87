// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Sentences about the limits of a check.

#include "inspect/gap_probe.hpp"

#include <string>
#include <vector>

namespace regatta::detail {

/// The limits of /proc for this process, as sentences; empty: it shows everything.
std::vector<std::string> limits_of_sight(bool& sees_all_tasks);

/// Why the kernel does not report switches, as a sentence.
std::string why_no_trace(int error);

} // namespace regatta::detail
