// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta advise`.

#include "common/subcommand.hpp"

#include <string>
#include <vector>

namespace regatta::command {

/// Adds `advise`. @param chosen as `action` says. @param words the whole command line, for the
/// record.
void add_advise_command(subcommand app, action& chosen, const std::vector<std::string>& words);

} // namespace regatta::command
