// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Sentences about the limits of a check.

#include "inspect/gap_probe.hpp"

#include <string>
#include <vector>

namespace regatta::detail {

/// The limits of /proc for this process.
struct sight {
    bool sees_all_tasks = true;     ///< As in `exclusivity_report`.
    bool lists_all_tasks = true;    ///< Likewise.
    std::vector<std::string> notes; ///< As sentences; empty: it shows everything.
};
sight limits_of_sight();

/// Why the kernel does not report switches, as a sentence.
std::string why_no_trace(int error, bool gap_loop);

} // namespace regatta::detail
