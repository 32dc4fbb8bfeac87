// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The tasks of the machine and their affinity.

#include "lease/exclusive_system.hpp"
#include <regatta/cpu/cpu_set.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace regatta::detail {

/// A thread and the CPUs that it may use. Its start time distinguishes it from a later thread of
/// the same number.
struct task_mask {
    int process = 0;
    int thread = 0;
    std::uint64_t start = 0; ///< In clock ticks since boot, in no time namespace.
    cpu_set allowed{};
};

/// Whether tasks of one number that started then are the same. A time namespace that shifts the
/// clock by a part of a tick shifts starts by one tick more or less.
constexpr bool is_same_start(std::uint64_t a, std::uint64_t b) noexcept {
    return a - b + 1 <= 2;
}

/// Further facts about a task.
struct task_details {
    int parent = 0;
    std::uint64_t start = 0;
    bool of_kernel = false;
    bool is_fixed = false;  ///< The kernel refuses changes of its affinity.
    bool has_ended = false; ///< Nobody waited for it, or other threads of its process go on.
    bool is_dead = false;   ///< It and all threads of its process have ended; nobody waited for it.
};

std::string task_folder(int process, int thread);

/// Whether a thread is no more; false for one that cannot be seen for another reason.
bool is_task_gone(exclusive_system& system, int process, int thread);

/// Reads /proc/…/stat; nothing for a task that has ended.
std::optional<task_details> read_task_details(exclusive_system& system, int process, int thread);

/// The CPUs that a thread may use, including offline ones; nothing if it has ended.
std::optional<cpu_set> read_task_mask(exclusive_system& system, int process, int thread);

/// One thread as a whole; nothing if it has ended.
std::optional<task_mask> read_task(exclusive_system& system, int process, int thread);

/// Every thread of the machine whose mask `is_wanted` and whose affinity can be changed; nothing if
/// /proc cannot be listed.
///
/// Cost: reads a small file for each thread, about 10 µs, and another for each wanted one.
std::optional<std::vector<task_mask>>
find_tasks(exclusive_system& system, const std::function<bool(const cpu_set&)>& is_wanted);

/// The same for every thread that may use one of `cpus`.
std::optional<std::vector<task_mask>> tasks_allowed_on(exclusive_system& system,
                                                       const cpu_set& cpus);

/// The note of threads of the kernel that stay where they are.
std::string kernel_threads_stay(std::size_t count);

/// The process of a thread; 0 if it has ended.
int process_of_thread(exclusive_system& system, int thread);

/// Whether a PID namespace has no living process; false if unknown.
bool is_numbering_gone(exclusive_system& system, const std::string& numbering);

} // namespace regatta::detail
