// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The command `regatta cpus`: which CPUs there are, and CPUs of one's own.

#include "common/subcommand.hpp"

#include <string>
#include <vector>

namespace regatta::command {

/// Adds `cpus` and the commands below it. @param chosen as `action` says. @param words the whole
/// command line.
subcommand add_cpus_command(subcommand app, action& chosen, const std::vector<std::string>& words);

} // namespace regatta::command
