// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// `regatta watch`.

#include "subcommand.hpp"

namespace regatta::command {

/// Adds `watch`. @param chosen as `action` says.
void add_watch_command(CLI::App& app, action& chosen);

} // namespace regatta::command
