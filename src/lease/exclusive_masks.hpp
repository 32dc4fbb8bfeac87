// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Saving, narrowing and restoring the affinity of the machine's tasks.

#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/exclusive_tasks.hpp"
#include <regatta/cpu/cpu_set.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace regatta::detail {

/// Which records of masks: `of_entries` those of threads that entered a lease, and of pins that a
/// group makes the kernel forget; without those of the masks that a lease itself narrowed.
enum class mask_records { all, of_entries };

/// The mask of a task that one of `steps` has recorded, the last one first; null: none has.
const task_mask* find_mask(const std::vector<exclusive_step>& steps, const task_mask& task,
                           mask_records which = mask_records::all);

/// Lets all of `steps` that have recorded the mask of a task restore this one.
void replace_mask(std::vector<exclusive_step>& steps, const task_mask& task);

/// Lets all of `steps`, in their order, restore the mask of a task that the last of them has saved.
void use_last_masks(std::vector<exclusive_step>& steps);

/// The CPUs off which leases that have recorded masks keep other tasks.
cpu_set cpus_of(const std::vector<exclusive_step>& steps);

/// A mask without the CPUs that other leases keep clear by the masks of tasks alone; the whole mask
/// if nothing would be left.
cpu_set beside_others(const cpu_set& mask, const std::vector<exclusive_step>& of_others);

/// Whether a mask is what leases made of the saved one: `step` and those of others. A mask that was
/// set since is not.
bool is_made_of(exclusive_system& system, const exclusive_step& step,
                const std::vector<exclusive_step>& of_others, const cpu_set& saved,
                const cpu_set& now);

/// The error of a step for which the tasks of the machine cannot be listed.
step_error tasks_not_listed();

/// The tasks that may not use all of `everything`, and those that other leases recorded as such. It
/// lists them whatever CPUs they may use: older kernels forget a task's mask when its group
/// changes. Nothing if the tasks cannot be listed.
std::optional<std::vector<task_mask>> pinned_tasks(exclusive_system& system,
                                                   const cpu_set& everything,
                                                   const std::vector<exclusive_step>& of_others);

/// Removes the step's CPUs from the mask of every task and repeats until no new task appears. A
/// task that has no other CPU gets `step.rest`.
/// @param record keeps the inverse of each pass before the pass acts.
step_error narrow_all(exclusive_system& system, const exclusive_step& step,
                      const std::vector<exclusive_step>& of_others, std::vector<std::string>& notes,
                      const std::function<step_error(const exclusive_step&)>& record);

/// Restores masks that older kernels forget when groups change, without the lease's CPUs, while the
/// lease lasts.
void pin_again(exclusive_system& system, const std::vector<exclusive_step>& done,
               const std::vector<exclusive_step>& of_others);

/// The inverse of `save_masks` and `narrow_masks`.
step_error restore_masks(exclusive_system& system, const exclusive_step& step,
                         const std::vector<exclusive_step>& of_others);

} // namespace regatta::detail
