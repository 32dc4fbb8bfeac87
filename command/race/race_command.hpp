// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta race`.

#include "race/race_arguments.hpp"

#include <string>
#include <vector>

namespace regatta::command {

/// Races and reports.
/// @param words the whole command line, for the record.
/// @param typed_options the names of those that are there.
/// @returns the status of the process. Failure: `usage_error` and `std::invalid_argument` for wrong
/// usage, `std::system_error` where the system refuses memory or a file.
int run_race_command(const race_arguments& arguments, const std::vector<std::string>& words,
                     const std::vector<std::string>& typed_options);

} // namespace regatta::command
