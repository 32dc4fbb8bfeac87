// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// All tasks of the machine at one moment, with the CPU on which each last ran.

#include <regatta/base/config.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace regatta {

/// A thread, as /proc describes it.
struct task_sample {
    int pid = 0; ///< Of the process.
    int tid = 0;
    int parent_pid = 0;
    unsigned cpu = 0;    ///< On which it runs, or last ran.
    bool kernel = false; ///< A kernel thread.
    char state = '?';    ///< As in proc_pid_stat(5): R runnable, S sleeping, T stopped …
    std::string name;
    std::uint64_t started = 0;    ///< Start time; distinguishes tasks of the same number.
    std::int64_t run_ns = 0;      ///< CPU time so far.
    std::int64_t wait_ns = 0;     ///< Runnable without a CPU; 0 if the kernel does not count it.
    std::uint64_t turns = 0;      ///< How often it got a CPU; 0 if the kernel does not count it.
    std::int64_t children_ns = 0; ///< CPU time of children that the process waited for.
};

/// One thread by its number; nothing if it has ended or is hidden. `pid` is the number of its
/// process.
REGATTA_SYSTEM_API std::optional<task_sample> read_task(int pid, int tid,
                                                        const std::string& root = {});

/// A process as a whole: its times are sums over all its threads, ended ones included; `turns` is
/// 0.
REGATTA_SYSTEM_API std::optional<task_sample> read_process(int pid, const std::string& root = {});

/// Every thread that /proc shows, process by process. Threads that start or end during the scan
/// may or may not be listed.
///
/// Threads: any.
/// Failure: none; unreadable tasks are left out.
/// Cost: two small files for each thread, about 2 ms for a hundred.
/// @param root a directory to use instead of `/`.
REGATTA_SYSTEM_API std::vector<task_sample> scan_tasks(const std::string& root = {});

} // namespace regatta
