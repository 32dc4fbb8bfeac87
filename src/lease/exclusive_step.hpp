// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// One step of taking a lease, with its inverse, as a line of text.

#include "lease/exclusive_tasks.hpp"
#include <regatta/cpu/cpu_set.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::detail {

/// The kinds of steps.
enum class step_kind {
    make_group,    ///< Creates the group `path`; the inverse moves its tasks to the group `target`.
    set_file,      ///< Writes `text` into `path`; the inverse writes `undo_text` unless empty.
    enable_cpuset, ///< Gives the groups below `path` the cpuset controller.
    take_cpus,     ///< Removes `cpus` from the list or mask in the file `path`.
    add_cpus,      ///< Adds `cpus` to the list in the file `path`.
    move_tasks,    ///< Moves every movable task of the group `path` to `target`.
    save_masks,    ///< Records which tasks are pinned, because older kernels forget it.
    narrow_masks,  ///< Removes `cpus` from the mask of every task of the machine.
    move_process   ///< Moves the process or thread of the folder `path` to the group `target`, made
                   ///< for it; the inverse moves the tasks of `masks` to the group `before`, and
                   ///< with a process's first thread those that it has started since. If `before`
                   ///< is empty, removing the group moves them back.
};

/// The text of masks that were saved by a lease that keeps no other task off its CPUs.
inline constexpr std::string_view pins_only = "pins only";

/// The file with the CPUs that an interrupt gets when it first appears.
inline constexpr std::string_view default_interrupts = "/proc/irq/default_smp_affinity";

/// One step. The first group of members is the plan. The second group is filled when the step is
/// done; its inverse needs it.
struct exclusive_step {
    step_kind kind = step_kind::set_file;
    std::string path{};   ///< A file or the directory of a group.
    std::string target{}; ///< The group that takes the tasks.
    std::string member{}; ///< The file of a group that lists its tasks and accepts new ones.
    /// The text to write; of saved masks `pins_only`, or nothing; of `default_interrupts` the
    /// numbers of those that there are.
    std::string text{};
    std::string undo_text{}; ///< The text that the inverse writes.
    cpu_set cpus{};          ///< The CPUs to remove or add; for masks, those of the lease.
    cpu_set rest{};          ///< The CPUs for all other tasks: all without those of the lease.
    bool shared = false;     ///< Other leases may need its effect, too: the last one undoes it.
    bool optional = false;   ///< A failure is reported and has no other effect.

    std::string before{}; ///< The previous content of the file.
    std::string after{};  ///< The new content.
    std::vector<task_mask> masks{};

    /// Whether another lease's step has the same effect: only the last of both is undone.
    bool same_effect(const exclusive_step& other) const;
};

/// Why a step failed; false: it did not.
struct step_error {
    int number = 0;
    std::string text{};
    explicit operator bool() const noexcept { return number != 0; }
};

/// The fields of a line of the journal, empty ones included.
std::vector<std::string> fields_of(std::string_view line);

std::string join_fields(const std::vector<std::string>& fields);

/// A step as a line of the journal, without the line break.
std::string step_to_line(const exclusive_step& step);

/// The inverse of `step_to_line`; nothing for any other line.
std::optional<exclusive_step> step_from_fields(const std::vector<std::string>& fields);

} // namespace regatta::detail
