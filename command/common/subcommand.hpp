// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How the commands below `regatta` are told apart.

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace regatta::command {

/// What the chosen command does once the whole command line is read; returns the exit status. Each
/// command sets it in its own `final_callback`, unless a more special one below it has done so.
using action = std::function<int()>;

/// Throws `usage_error` if `typed` is no name of a command below `parent`, with the nearest name.
/// @param parents how the user got there: "" or "cpus ".
void check_subcommand(const CLI::App& parent, std::string_view typed,
                      const std::string& parents = {});

} // namespace regatta::command
