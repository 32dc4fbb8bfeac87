// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Shared memory and child processes. Needs the target `regatta::system`.

#include <regatta/process/shared_memory.hpp>
#include <regatta/process/subprocess.hpp>
