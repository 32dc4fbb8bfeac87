// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What `regatta race --list` shows.

#include "text/text.hpp"
#include "workloads/workload.hpp"

#include <string>

namespace regatta::command {

/// All workloads with their options and all schemes with what they suit; of a scheme that cannot
/// run `chosen` it says why.
std::string list_text(const race::workload_info& chosen, const race::text_style& style);

} // namespace regatta::command
