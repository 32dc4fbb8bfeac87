// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "inspect/task_directory.hpp"

#include "inspect/switch_trace.hpp"
#include <regatta/inspect/task_scan.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace regatta::detail {

task_directory::task_directory(const std::vector<int>& owners, std::string root)
    : root_(std::move(root))
    , owners_(owners.begin(), owners.end()) {
    entries_.push_back({0, 0, "idle", true, 0, false});
}

task_directory::index task_directory::find(int pid, int tid, std::int64_t time_ns) {
    if (tid == 0) {
        return idle;
    }
    const auto known = by_tid_.find(tid);
    if (known != by_tid_.end()) {
        return known->second;
    }
    entry made{pid, tid, {}, false, time_ns, false};
    if (const auto sample = read_task(pid, tid, root_)) {
        made.name = sample->name;
        made.kernel = sample->kernel;
        if (owners_.contains(sample->parent_pid)) {
            owners_.insert(pid);
        }
    } else if (const auto told = facts_.find(tid); told != facts_.end()) {
        made.name = told->second.name;
        made.kernel = told->second.parent_pid == kernel_parent;
    }
    entries_.push_back(std::move(made));
    by_tid_[tid] = entries_.size() - 1;
    if (entries_.back().name.empty()) {
        unnamed_.push_back(entries_.size() - 1);
    }
    return entries_.size() - 1;
}

void task_directory::learn(const switch_record& record) {
    switch (record.what) {
    case switch_record::kind::named: {
        fact& told = facts_[record.tid];
        if (record.time_ns < told.named_ns) {
            break; // It has a later name: the traces of different CPUs are read one after the
                   // other.
        }
        told.name = std::string(record.name);
        told.named_ns = record.time_ns;
        if (const auto known = by_tid_.find(record.tid); known != by_tid_.end()) {
            entries_[known->second].name = told.name;
        }
        break;
    }
    case switch_record::kind::began: {
        if (owners_.contains(record.other_pid)) {
            owners_.insert(record.pid);
        } else if (record.pid == record.tid) {
            disown(record.pid, record.time_ns);
            births_.push_back({record.pid, record.other_pid});
        }
        // A task seen before this start is an earlier one of the same number. A task seen later may
        // already be known: the traces of different CPUs are read one after the other.
        const auto known = by_tid_.find(record.tid);
        if (known != by_tid_.end()) {
            entry& seen = entries_[known->second];
            if (seen.seen_ns < record.time_ns) {
                by_tid_.erase(known);
            } else {
                seen.kernel = seen.kernel || record.other_pid == kernel_parent;
            }
        }
        fact& told = facts_[record.tid];
        if (told.named_ns < record.time_ns) {
            told.name.clear();
            told.named_ns = record.time_ns;
        }
        told.parent_pid = record.other_pid;
        told.parent_tid = record.other_tid;
        break;
    }
    case switch_record::kind::ended:
        ended_.push_back(record.tid);
        break;
    case switch_record::kind::runs:
    case switch_record::kind::lost:
        break;
    }
}

void task_directory::settle() {
    adopt_late();
    for (const index one : unnamed_) {
        name_late(entries_[one]);
    }
    std::erase_if(unnamed_, [&](index one) { return !entries_[one].name.empty(); });
    for (const int tid : forgotten_) {
        facts_.erase(tid);
    }
    forgotten_ = std::exchange(ended_, {});
}

void task_directory::adopt(const std::vector<task_sample>& tasks) {
    if (owners_.empty()) {
        return;
    }
    for (const task_sample& one : tasks) {
        const auto known = starts_.find(one.pid);
        if (one.tid == one.pid && known != starts_.end() && known->second != one.started) {
            disown(one.pid, std::numeric_limits<std::int64_t>::max());
        }
    }
    for (std::size_t before = 0; before != owners_.size();) {
        before = owners_.size();
        for (const task_sample& one : tasks) {
            if (owners_.contains(one.parent_pid)) {
                owners_.insert(one.pid);
            }
        }
    }
    for (const task_sample& one : tasks) {
        if (one.tid == one.pid && owners_.contains(one.pid)) {
            starts_[one.pid] = one.started;
        }
    }
}

void task_directory::adopt_late() {
    births_.insert(births_.end(), earlier_births_.begin(), earlier_births_.end());
    for (bool found = true; found;) {
        found = false;
        for (const birth& one : births_) {
            found = (owners_.contains(one.parent_pid) && owners_.insert(one.pid).second) || found;
        }
    }
    births_.resize(births_.size() - earlier_births_.size());
    earlier_births_ = std::exchange(births_, {});
}

void task_directory::disown(int pid, std::int64_t time_ns) {
    if (owners_.erase(pid) != 0) {
        starts_.erase(pid);
        for (entry& one : entries_) {
            one.was_owned = one.was_owned || (one.pid == pid && one.seen_ns < time_ns);
        }
    }
}

void task_directory::name_late(entry& one) const {
    auto known = facts_.find(one.tid);
    if (known == facts_.end()) {
        return;
    }
    one.kernel = known->second.parent_pid == kernel_parent;
    constexpr int generations = 8;
    for (int i = 0; i < generations && known != facts_.end(); ++i) {
        if (!known->second.name.empty()) {
            one.name = known->second.name;
            return;
        }
        const int parent = known->second.parent_tid;
        if (const auto entry_of = by_tid_.find(parent);
            entry_of != by_tid_.end() && !entries_[entry_of->second].name.empty()) {
            one.name = entries_[entry_of->second].name;
            return;
        }
        if (const auto sample = read_task(known->second.parent_pid, parent, root_)) {
            one.name = sample->name;
            return;
        }
        known = facts_.find(parent);
    }
}

} // namespace regatta::detail
