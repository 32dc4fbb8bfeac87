// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta cpus run`.

#include "subcommand.hpp"

namespace regatta::command {

/// Adds `run` below `cpus`. @param chosen as `action` says.
void add_cpus_run(CLI::App& cpus, action& chosen);

} // namespace regatta::command
