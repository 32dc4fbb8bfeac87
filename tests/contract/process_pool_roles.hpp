// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Roles of the program that tests process pools, each in a process of its own. What they return
/// is the exit status: 0 is good, 77 says that it cannot be tried here.

#include <string>
#include <string_view>

namespace pool_test {

/// Uses a pool, children and segments where the kernel lacks something.
int work_without(std::string_view name);
/// Has workers killed for memory, in a control group that has a limit.
int work_in_memory_group(const std::string& folder);
/// Uses a pool with a /dev/shm of 1 MB.
int work_with_small_shm();
/// Uses a pool, children and segments with all standard streams closed.
int work_without_streams();
/// Makes a pool where there is no /dev/null.
int work_without_dev_null();

} // namespace pool_test
