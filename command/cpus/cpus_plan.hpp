// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta cpus plan`.

#include "common/subcommand.hpp"

namespace regatta::command {

/// Adds `plan` below `cpus`. @param chosen as `action` says.
void add_cpus_plan(subcommand cpus, action& chosen);

} // namespace regatta::command
