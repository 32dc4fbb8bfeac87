// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Workloads of the user's own, from shared libraries.

#include "workloads/workload.hpp"

#include <memory>
#include <string>

namespace regatta::race {

/// The workload in a file that was made with regatta/race/item_workload.hpp. Its name is that
/// path. It stays loaded.
///
/// Threads: any, at once. Failure: `std::runtime_error` where that is no such file, which says why.
const workload_info& load_workload(const std::string& path);

/// Attaches to the mapping of such a workload, which says in which file it is. Throws if it is
/// none.
std::unique_ptr<workload> attach_loaded(int descriptor);

} // namespace regatta::race
