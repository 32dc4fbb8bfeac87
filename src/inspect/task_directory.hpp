// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Which task a number of a switch trace is: its name, its process, whose child it is.

#include "inspect/switch_trace.hpp"
#include <regatta/inspect/task_scan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace regatta::detail {

/// Names the tasks that switch traces see, also those that live too short to be looked up: what
/// traces of all CPUs say of new names and of starts is remembered until the task is gone.
///
/// Threads: one. Failure: a task that nothing names has an empty name. Cost: one small file for
/// each task that is seen on a CPU for the first time; some 100 bytes a living task that began or
/// was renamed meanwhile.
class task_directory {
public:
    /// A task that was seen on a CPU.
    struct entry {
        int pid = 0;
        int tid = 0;
        std::string name;
        bool kernel = false;
        std::int64_t seen_ns = 0; ///< First.
    };
    using index = std::size_t;
    /// The entry of a CPU that is idle.
    static constexpr index idle = 0;

    /// @param owners processes whose tasks, and those of their descendants, are `owned`.
    explicit task_directory(const std::vector<int>& owners = {}, std::string root = {})
        : root_(std::move(root))
        , owners_(owners.begin(), owners.end()) {
        entries_.push_back({0, 0, "idle", true, 0});
    }

    /// The entry of the task that has a number at a moment; it is made if need be.
    index find(int pid, int tid, std::int64_t time_ns) {
        if (tid == 0) {
            return idle;
        }
        const auto known = by_tid_.find(tid);
        if (known != by_tid_.end()) {
            return known->second;
        }
        entry made{pid, tid, {}, false, time_ns};
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

    /// Takes in a record that is not `runs`.
    void learn(const switch_record& record) {
        switch (record.what) {
        case switch_record::kind::named:
            facts_[record.tid].name = std::string(record.name);
            if (const auto known = by_tid_.find(record.tid); known != by_tid_.end()) {
                entries_[known->second].name = std::string(record.name);
            }
            break;
        case switch_record::kind::began: {
            if (owners_.contains(record.other_pid)) {
                owners_.insert(record.pid);
            }
            // A task seen before it began is an earlier one of that number. One that is seen later
            // may be known already: the traces of different CPUs are read one after the other.
            const auto known = by_tid_.find(record.tid);
            if (known != by_tid_.end() && entries_[known->second].seen_ns < record.time_ns) {
                by_tid_.erase(known);
            }
            facts_[record.tid] = {{}, record.other_pid, record.other_tid};
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

    /// To be called when all traces were read: names what could not be named before, and forgets
    /// those that had ended when it was called the last time.
    void settle() {
        for (const index one : unnamed_) {
            name_late(entries_[one]);
        }
        std::erase_if(unnamed_, [&](index one) { return !entries_[one].name.empty(); });
        for (const int tid : forgotten_) {
            facts_.erase(tid);
        }
        forgotten_ = std::exchange(ended_, {});
    }

    const entry& operator[](index one) const noexcept { return entries_[one]; }
    std::size_t size() const noexcept { return entries_.size(); }
    /// Whether the task belongs to an owner or to a descendant of one.
    bool owned(index one) const { return owners_.contains(entries_[one].pid); }
    /// Owners and the descendants that are known.
    const std::unordered_set<int>& owners() const noexcept { return owners_; }

    /// Takes the descendants of owners among `tasks` for owned, too.
    void adopt(const std::vector<task_sample>& tasks) {
        if (owners_.empty()) {
            return;
        }
        for (std::size_t before = 0; before != owners_.size();) {
            before = owners_.size();
            for (const task_sample& one : tasks) {
                if (owners_.contains(one.parent_pid)) {
                    owners_.insert(one.pid);
                }
            }
        }
    }

private:
    /// What traces said of a task that may never be seen on a CPU.
    struct fact {
        std::string name;
        int parent_pid = 0;
        int parent_tid = 0;
    };
    static constexpr int kernel_parent = 2; ///< The process that starts the kernel's threads.

    /// A task has the name of its parent until it takes one.
    void name_late(entry& one) const {
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

    std::string root_;
    std::unordered_set<int> owners_;
    std::vector<entry> entries_;
    std::unordered_map<int, index> by_tid_; ///< The latest of each number.
    std::unordered_map<int, fact> facts_;
    std::vector<index> unnamed_;
    std::vector<int> ended_;     ///< Since the last `settle`.
    std::vector<int> forgotten_; ///< At the next one.
};

} // namespace regatta::detail
