// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The tasks of the machine and where each may run.

#include "lease/exclusive_system.hpp"
#include <regatta/cpu/cpu_set.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::detail {

/// A thread and the CPUs that it may use. The time of its start tells it from a later thread with
/// the same number.
struct task_mask {
    int process = 0;
    int thread = 0;
    std::uint64_t start = 0; ///< In clock ticks since the machine was started.
    cpu_set allowed{};
};

/// What else is of interest about a task.
struct task_details {
    int parent = 0;
    std::uint64_t start = 0;
    bool of_kernel = false;
    bool is_fixed = false; ///< The kernel lets nobody change its affinity.
    bool is_dead = false;  ///< It has ended, and nobody has waited for it yet.
};

std::string task_folder(int process, int thread);

/// The value of a line "NAME:\tVALUE" in a status file; empty where there is none.
std::string_view status_field(std::string_view status, std::string_view name);

/// From /proc/…/stat; nothing for a task that has ended.
std::optional<task_details> read_task_details(exclusive_system& system, int process, int thread);

/// The CPUs that a thread may use, those that are off included; nothing for one that has ended.
std::optional<cpu_set> read_task_mask(exclusive_system& system, int process, int thread);

/// One thread as a whole; nothing if it has ended.
std::optional<task_mask> read_task(exclusive_system& system, int process, int thread);

/// Every thread of the machine whose mask `is_wanted` and whose affinity can be changed.
/// Cost: a small file a thread, about 10 µs, and another one for each that is wanted.
std::vector<task_mask> find_tasks(exclusive_system& system,
                                  const std::function<bool(const cpu_set&)>& is_wanted);

/// Every thread of the machine that may use one of `cpus` and can be kept from it.
std::vector<task_mask> tasks_allowed_on(exclusive_system& system, const cpu_set& cpus);

/// The process to which a thread belongs; 0 for one that has ended.
int process_of_thread(exclusive_system& system, int thread);

/// Whether nobody is left in a numbering of processes; false where this cannot be known.
bool is_numbering_gone(exclusive_system& system, const std::string& numbering);

} // namespace regatta::detail
