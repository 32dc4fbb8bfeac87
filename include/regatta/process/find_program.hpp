// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Where a program is.

#include <regatta/base/config.hpp>

#include <string>

namespace regatta {

/// The path that `spawn` starts for a program: a name with a '/' is one already, any other name is
/// looked up in this process's PATH. Empty: no folder of PATH has such a program.
///
/// Threads: any; no other thread may change the environment meanwhile.
/// Cost: a system call for each folder of PATH.
REGATTA_SYSTEM_API std::string find_program(const std::string& program);

} // namespace regatta
