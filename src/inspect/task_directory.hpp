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
    explicit task_directory(const std::vector<int>& owners = {}, std::string root = {});

    /// The entry of the task that has a number at a moment; it is made if need be.
    index find(int pid, int tid, std::int64_t time_ns);

    /// Takes in a record that is not `runs`.
    void learn(const switch_record& record);

    /// To be called when all traces were read: names what could not be named before, and forgets
    /// those that had ended when it was called the last time.
    void settle();

    const entry& operator[](index one) const noexcept { return entries_[one]; }
    std::size_t size() const noexcept { return entries_.size(); }
    /// Whether the task belongs to an owner or to a descendant of one.
    bool owned(index one) const { return owners_.contains(entries_[one].pid); }
    /// Owners and the descendants that are known.
    const std::unordered_set<int>& owners() const noexcept { return owners_; }

    /// Takes the descendants of owners among `tasks` for owned, too.
    void adopt(const std::vector<task_sample>& tasks);

private:
    /// What traces said of a task that may never be seen on a CPU.
    struct fact {
        std::string name;
        int parent_pid = 0;
        int parent_tid = 0;
    };
    static constexpr int kernel_parent = 2; ///< The process that starts the kernel's threads.

    /// A task has the name of its parent until it takes one.
    void name_late(entry& one) const;

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
