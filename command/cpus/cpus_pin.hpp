// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta cpus pin`: restricts a process that runs already.

#include "common/subcommand.hpp"

namespace regatta::command {

/// Adds the command below `cpus`.
void add_cpus_pin(subcommand cpus, action& chosen);

} // namespace regatta::command
