// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What one sees who watches the machine, for programs.

#include "machine/observer.hpp"

#include <string>

namespace regatta::race {

/// The observation as a JSON document in one line, with its end; watch.schema.json describes it.
std::string to_json_line(const observation& seen);

} // namespace regatta::race
