// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "inspect/task_history.hpp"

#include <regatta/inspect/task_scan.hpp>

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace regatta::detail {

std::vector<task_delta> task_history::update(std::vector<task_sample> tasks) {
    std::vector<task_delta> deltas;
    std::unordered_map<int, task_sample> latest;
    for (task_sample& one : tasks) {
        const auto before = latest_.find(one.tid);
        const bool same = before != latest_.end() && before->second.started == one.started;
        const task_sample nothing;
        const task_sample& old = same ? before->second : nothing;
        if (!first_ && one.run_ns > old.run_ns) {
            // A task that died before its schedstat was read has neither waits nor turns.
            deltas.push_back({one, one.run_ns - old.run_ns,
                              std::max<std::int64_t>(one.wait_ns - old.wait_ns, 0),
                              one.turns - std::min(one.turns, old.turns)});
        }
        latest.emplace(one.tid, std::move(one));
    }
    latest_ = std::move(latest);
    first_ = false;
    return deltas;
}

} // namespace regatta::detail
