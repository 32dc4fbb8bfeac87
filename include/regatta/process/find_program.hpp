// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Looking up a program in PATH.

#include <regatta/base/config.hpp>

#include <string>

namespace regatta {

/// The path that `spawn` starts for `program`. A name with a '/' is returned as it is; any other
/// name is looked up in this process's PATH. Returns an empty string if no folder of PATH has it.
///
/// Threads: any; no other thread may change the environment during the call.
/// Cost: up to two system calls for each absolute folder of PATH.
REGATTA_SYSTEM_API std::string find_program(const std::string& program);

} // namespace regatta
