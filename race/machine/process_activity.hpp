// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Where the threads of a process run, and how often they change hands.

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/inspect/task_scan.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace regatta::race {

/// A thread at one moment. What the kernel does not count is absent.
struct thread_activity {
    task_sample task;
    std::optional<cpu_set> allowed;          ///< Its affinity, CPUs that are off included.
    std::optional<std::int64_t> voluntary;   ///< Switches because it had to wait.
    std::optional<std::int64_t> involuntary; ///< Switches because another was to run.
    std::optional<std::int64_t> migrations;  ///< How often it has changed its CPU.
};

/// The threads of a process and of its descendants: of the process first, then in the order in
/// which they were found. None where there is no such process.
///
/// A child whose parent has ended belongs to nobody any more, and is not found; no descendants are
/// where the kernel lists no children (CONFIG_PROC_CHILDREN).
///
/// Threads: any. Failure: none; a thread that ends meanwhile is in it or not. Cost: five small
/// files a thread, some 50 µs. Source: proc_pid_status(5), proc_pid_task(5), the kernel's
/// documentation of /proc/PID/sched.
/// @param root a directory that stands in for `/`.
std::vector<thread_activity> read_process_activity(int process, const std::string& root = {});

/// The CPU time that the processes of a reading have used so far, in nanoseconds: with that of
/// their threads that have ended and of their children that they have waited for. So what ends is
/// not lost, except for orphans. Cost: one file a process; good to a tick a process, as a rule of
/// 10 ms.
std::int64_t cpu_ns_of(const std::vector<thread_activity>& threads, const std::string& root = {});

/// What a thread did between two readings.
struct thread_use {
    thread_activity now;
    double use = 0;             ///< Of a CPU's time, 0..1.
    std::optional<double> wait; ///< The share of the time in which it wanted a CPU and had none.
    std::optional<std::int64_t> voluntary; ///< Switches meanwhile.
    std::optional<std::int64_t> involuntary;
    std::optional<std::int64_t> migrations; ///< Changes of its CPU meanwhile.
};

/// The threads of the later reading, in its order. A thread that was not there before did all that
/// it did meanwhile.
/// @param elapsed_ns the time between the readings, above 0.
std::vector<thread_use> use_between(const std::vector<thread_activity>& before,
                                    const std::vector<thread_activity>& after,
                                    std::int64_t elapsed_ns);

/// The words with which a process was started, joined by blanks; its name in brackets where there
/// are none, as for a thread of the kernel. Empty where there is no such process.
std::string title_of_process(int process, const std::string& root = {});

/// The process that a number belongs to, which is another one if it is that of a thread; nothing if
/// there is neither.
std::optional<int> process_of_task(int number, const std::string& root = {});

} // namespace regatta::race
