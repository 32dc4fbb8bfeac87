// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta watch`.

#include "common/subcommand.hpp"

#include <string>
#include <vector>

namespace regatta::command {

/// Adds `watch`. @param chosen as `action` says.
void add_watch_command(subcommand app, action& chosen, const std::vector<std::string>& words);

} // namespace regatta::command
