// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta cpus` without a further word: the CPUs of a machine.

#include "common/subcommand.hpp"

namespace regatta::command {

/// Makes `cpus` show the CPUs when no command below it is chosen. @param chosen as `action` says.
void add_cpus_show(subcommand cpus, action& chosen);

} // namespace regatta::command
