// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// One step on the way to CPUs of one's own, with what undoes it, as a line of text.

#include "lease/exclusive_tasks.hpp"
#include <regatta/cpu/cpu_set.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::detail {

/// What a step does.
enum class step_kind {
    make_group,    ///< Creates the group `path`; undone, its tasks go to the group `target`.
    set_file,      ///< Writes `text` into `path`; undone, it writes `undo_text` unless empty.
    enable_cpuset, ///< Gives the groups below `path` the cpuset controller.
    take_cpus,     ///< Takes `cpus` from the list or mask in the file `path`.
    add_cpus,      ///< Adds `cpus` to the list in the file `path`.
    move_tasks,    ///< Moves every task of the group `path` that can be moved to `target`.
    save_masks,    ///< Notes which tasks are pinned, since older kernels forget it.
    narrow_masks,  ///< Takes `cpus` from every task of the machine.
    move_process   ///< Moves the process of the folder `path` to the group `target`, which was made
                   ///< for it: undoing that moves it back.
};

/// One step. The first group of members is the plan; the second is filled when the step is done,
/// and is what its inverse needs.
struct exclusive_step {
    step_kind kind = step_kind::set_file;
    std::string path{};      ///< A file or the directory of a group.
    std::string target{};    ///< The group that takes the tasks.
    std::string member{};    ///< The file of a group that lists its tasks and takes new ones.
    std::string text{};      ///< What is written.
    std::string undo_text{}; ///< What the inverse writes.
    cpu_set cpus{};          ///< The CPUs that are taken or added; for masks, those of the lease.
    cpu_set rest{};          ///< Where everything else may go: all CPUs without those of the lease.
    bool shared = false;     ///< Other leases may need its effect, too: the last one undoes it.
    bool optional = false;   ///< Failing is told and changes nothing else.

    std::string before{}; ///< What the file held.
    std::string after{};  ///< What it was given.
    std::vector<task_mask> masks{};

    /// Whether another lease's step is the same, so that only the last of both is undone.
    bool same_effect(const exclusive_step& other) const;
};

/// Why a step failed; false where it did not.
struct step_error {
    int number = 0;
    std::string text{};
    explicit operator bool() const noexcept { return number != 0; }
};

/// The fields of a journal's line, empty ones included.
std::vector<std::string> fields_of(std::string_view line);

std::string join_fields(const std::vector<std::string>& fields);

/// A step as a line of a journal, without the line's end.
std::string step_to_line(const exclusive_step& step);

/// The inverse of `step_to_line`; nothing for a line that it did not make.
std::optional<exclusive_step> step_from_fields(const std::vector<std::string>& fields);

} // namespace regatta::detail
