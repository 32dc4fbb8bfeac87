// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta race isolation`.

#include "common/subcommand.hpp"

#include <string>
#include <vector>

namespace regatta::command {

/// Adds `isolation` below `race`. @param chosen as `action` says. @param words the whole command
/// line, for the record.
void add_race_isolation(subcommand race, action& chosen, const std::vector<std::string>& words);

} // namespace regatta::command
