// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta shm`: the segments of shared memory on this machine, and those that nobody uses.

#include "common/subcommand.hpp"

namespace regatta::command {

/// Adds the command. @param chosen as `action` says.
void add_shm_command(subcommand app, action& chosen);

} // namespace regatta::command
