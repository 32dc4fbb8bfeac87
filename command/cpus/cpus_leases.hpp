// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta cpus status` and `regatta cpus release`.

#include "common/subcommand.hpp"

namespace regatta::command {

/// Adds `status` and `release` below `cpus`. @param chosen as `action` says.
void add_cpus_leases(subcommand cpus, action& chosen);

} // namespace regatta::command
