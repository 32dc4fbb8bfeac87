// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

#include "common/command_entry.hpp"

#include <string>

namespace regatta::command {

/// The man page of a command, as roff.
/// @param path the words that call it: "regatta race isolation".
/// @param version what the page's footer names: "regatta 0.1.0".
std::string manual_page(const command_entry& command, const std::string& path,
                        const std::string& version);

/// The name of that page: "regatta-race-isolation".
std::string manual_name(const std::string& path);

} // namespace regatta::command
