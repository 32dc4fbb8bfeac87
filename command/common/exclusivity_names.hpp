// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The levels of `exclusivity` as one types them.

#include <string>
#include <vector>

namespace regatta::command {

/// One a level, in their order: "isolated-partition".
std::vector<std::string> exclusivity_names();

} // namespace regatta::command
