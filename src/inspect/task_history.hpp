// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The changes of tasks between two scans.

#include <regatta/inspect/task_scan.hpp>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace regatta::detail {

/// The change of a task since an earlier scan.
struct task_delta {
    task_sample now;
    std::int64_t run_ns = 0;
    std::int64_t wait_ns = 0;
    std::uint64_t turns = 0;
};

/// Compares each scan with the previous one.
///
/// Threads: one.
/// Failure: none.
/// Cost: a look-up for each task; holds one scan.
class task_history {
public:
    /// The changes of `tasks` since the last call; none at the first call. A new task did
    /// everything since then.
    std::vector<task_delta> update(std::vector<task_sample> tasks);

private:
    std::unordered_map<int, task_sample> latest_;
    bool first_ = true;
};

} // namespace regatta::detail
