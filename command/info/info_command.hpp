// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta info`: what this machine is, and what spoils a measurement here.

#include "common/subcommand.hpp"

#include <string>
#include <vector>

namespace regatta::command {

/// Adds the command. @param chosen as `action` says. @param words the whole command line.
void add_info_command(subcommand app, action& chosen, const std::vector<std::string>& words);

} // namespace regatta::command
