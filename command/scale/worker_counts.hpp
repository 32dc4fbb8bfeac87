// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Numbers of workers on the command line: "1,2,4,8" or "auto".

#include <string>
#include <vector>

namespace regatta::command {

/// The numbers, rising and each once; none for "auto". Failure: `usage_error`, with the word that
/// is wrong and what is allowed.
std::vector<unsigned> parse_worker_counts(const std::string& text);

} // namespace regatta::command
