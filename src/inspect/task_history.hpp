// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What tasks did between two scans.

#include <regatta/inspect/task_scan.hpp>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace regatta::detail {

/// What a task did since an earlier scan.
struct task_delta {
    task_sample now;
    std::int64_t run_ns = 0;
    std::int64_t wait_ns = 0;
    std::uint64_t turns = 0;
};

/// Compares each scan with the one before.
///
/// Threads: one. Failure: none. Cost: a look-up a task; holds one scan.
class task_history {
public:
    /// What the tasks of `tasks` did since the last call; at the first call, nothing. A task that
    /// was not there then did it all meanwhile.
    std::vector<task_delta> update(std::vector<task_sample> tasks);

private:
    std::unordered_map<int, task_sample> latest_;
    bool first_ = true;
};

} // namespace regatta::detail
