// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta scale`.

#include "common/subcommand.hpp"

#include <string>
#include <vector>

namespace regatta::command {

/// Adds `scale`. @param chosen as `action` says. @param words the whole command line, for the
/// record.
void add_scale_command(subcommand app, action& chosen, const std::vector<std::string>& words);

} // namespace regatta::command
