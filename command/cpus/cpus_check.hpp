// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta cpus check`.

#include "common/subcommand.hpp"

namespace regatta::command {

/// Adds `check` below `cpus`. @param chosen as `action` says.
void add_cpus_check(subcommand cpus, action& chosen);

} // namespace regatta::command
