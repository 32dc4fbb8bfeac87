// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta cpus run`.

#include "common/subcommand.hpp"

#include <string>
#include <vector>

namespace regatta::command {

/// Adds `run` below `cpus`. @param chosen as `action` says. @param words the whole command line.
void add_cpus_run(subcommand cpus, action& chosen, const std::vector<std::string>& words);

} // namespace regatta::command
