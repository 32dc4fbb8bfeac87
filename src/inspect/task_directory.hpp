// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The tasks behind the numbers in a switch trace: name, process and parent.

#include "inspect/switch_trace.hpp"
#include <regatta/inspect/task_scan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace regatta::detail {

/// Names the tasks that switch traces see, even if they are too short-lived to be looked up. Names
/// and starts from the traces of all CPUs are kept until the task is gone.
///
/// Threads: one.
/// Failure: a task that cannot be named has an empty name.
/// Cost: reads one small file for each task first seen on a CPU. Holds about 100 bytes for each
/// living task that started or was renamed since.
class task_directory {
public:
    /// A task that was seen on a CPU.
    struct entry {
        int pid = 0;
        int tid = 0;
        std::string name;
        bool kernel = false;
        std::int64_t seen_ns = 0; ///< When it was first seen.
        bool was_owned = false;   ///< It was `owned`; its process's number is another's since.
    };
    using index = std::size_t;
    /// The entry of an idle CPU.
    static constexpr index idle = 0;

    /// @param owners processes that are `owned`, with their descendants.
    explicit task_directory(const std::vector<int>& owners = {}, std::string root = {});

    /// The entry of the task with this number at this time; created if necessary.
    index find(int pid, int tid, std::int64_t time_ns);

    /// Processes a record other than `runs`.
    void learn(const switch_record& record);

    /// Names tasks and adopts descendants of owners that were unknown before, and forgets tasks
    /// that had ended at the previous call. Call it when all traces were read.
    void settle();

    const entry& operator[](index one) const noexcept { return entries_[one]; }
    std::size_t size() const noexcept { return entries_.size(); }
    /// Whether the task belongs to an owner or to a descendant of one.
    bool owned(index one) const {
        return entries_[one].was_owned || owners_.contains(entries_[one].pid);
    }
    /// Owners and their known descendants.
    const std::unordered_set<int>& owners() const noexcept { return owners_; }

    /// Adds the descendants of owners among `tasks` to the owners. Ends the ownership of numbers
    /// that other processes have got since the last call.
    void adopt(const std::vector<task_sample>& tasks);

private:
    /// Data from traces about a task that may never be seen on a CPU.
    struct fact {
        std::string name;
        std::int64_t named_ns = 0;
        int parent_pid = 0;
        int parent_tid = 0;
    };
    /// The start of a process by one that is not known to be an owner.
    struct birth {
        int pid = 0;
        int parent_pid = 0;
    };
    static constexpr int kernel_parent = 2; ///< The process that starts kernel threads.

    /// Adds descendants whose start was read before that of a process between them and the owner:
    /// the traces of different CPUs are read one after the other.
    void adopt_late();

    /// Ends the ownership of a number that another process has got. Tasks seen before stay owned.
    void disown(int pid, std::int64_t time_ns);

    /// Gives a task the name of its parent, which it has until it sets its own.
    void name_late(entry& one) const;

    std::string root_;
    std::unordered_set<int> owners_;
    std::unordered_map<int, std::uint64_t> starts_; ///< Of owners, as of the last `adopt`.
    std::vector<entry> entries_;
    std::unordered_map<int, index> by_tid_; ///< The latest task of each number.
    std::unordered_map<int, fact> facts_;
    std::vector<index> unnamed_;
    std::vector<birth> births_;         ///< Since the last `settle`.
    std::vector<birth> earlier_births_; ///< Between the last two.
    std::vector<int> ended_;            ///< Since the last `settle`.
    std::vector<int> forgotten_;        ///< At the next `settle`.
};

} // namespace regatta::detail
