// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What this kernel lacks of what `process/` would like to use, and what takes its place.

#include <regatta/base/config.hpp>

#include <string_view>
#include <vector>

namespace regatta {

/// Something that the kernel, or a sandbox around this process, refuses.
struct kernel_gap {
    std::string_view what;    ///< The system call or the flag.
    std::string_view instead; ///< What is done in its place, and what that costs.
};

/// Tries what `process/` would like to use. Empty on Linux 5.11 or later without a sandbox; no gap
/// keeps `spawn`, `shared_memory` or `process_pool` from working.
///
/// Threads: any. Cost: some system calls; nothing is remembered.
REGATTA_SYSTEM_API std::vector<kernel_gap> kernel_gaps();

} // namespace regatta
