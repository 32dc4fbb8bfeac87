// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Words as one text.

#include <string>
#include <vector>

namespace regatta::race {

/// The words as one would type them into a shell.
std::string command_line(const std::vector<std::string>& words);
/// One after the other with spaces between them, whatever is in them.
std::string joined(const std::vector<std::string>& words);

} // namespace regatta::race
