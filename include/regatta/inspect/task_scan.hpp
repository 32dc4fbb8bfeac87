// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// All tasks of the machine at one moment, and on which CPU each one ran last.

#include <regatta/base/config.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace regatta {

/// A thread, as /proc tells of it.
struct task_sample {
    int pid = 0; ///< Of the process.
    int tid = 0;
    int parent_pid = 0;
    unsigned cpu = 0;    ///< On which it runs, or ran last.
    bool kernel = false; ///< A thread of the kernel itself.
    char state = '?';    ///< As in proc_pid_stat(5): R runs or could, S sleeps, T is stopped …
    std::string name;
    std::uint64_t started = 0; ///< Tells two tasks of one number apart.
    std::int64_t run_ns = 0;   ///< CPU time so far.
    std::int64_t wait_ns = 0;  ///< Ready to run, without a CPU; 0 where the kernel does not count.
    std::uint64_t turns = 0;   ///< How often it was given a CPU; 0 where the kernel does not count.
    std::int64_t children_ns = 0; ///< CPU time of the process's children that it has waited for.
};

/// One thread by its number; nothing if it is gone or hidden. `pid` is the number of the process.
REGATTA_SYSTEM_API std::optional<task_sample> read_task(int pid, int tid,
                                                        const std::string& root = {});

/// A process as a whole: its times are the sums over all threads that it has and had; no turns.
REGATTA_SYSTEM_API std::optional<task_sample> read_process(int pid, const std::string& root = {});

/// Every thread that /proc shows, in the order of their processes. One that begins or ends
/// meanwhile is in it or not.
///
/// Threads: any. Failure: none; what cannot be read is left out. Cost: two small files a thread,
/// some 2 ms a hundred.
/// @param root a directory that stands in for `/`.
REGATTA_SYSTEM_API std::vector<task_sample> scan_tasks(const std::string& root = {});

} // namespace regatta
