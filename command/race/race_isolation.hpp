// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta race isolation`.

#include "common/subcommand.hpp"

#include <string>
#include <vector>

namespace regatta::command {

/// Adds `isolation` below a command: `race`, and `cpus`. @param chosen as `action` says. @param
/// words the whole command line, for the record.
void add_race_isolation(subcommand parent, action& chosen, const std::vector<std::string>& words);

} // namespace regatta::command
