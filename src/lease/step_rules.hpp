// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The kinds of steps: the name, description, action and inverse of each.

#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::detail {

/// The environment of a step.
struct step_context {
    exclusive_system& system;
    /// The steps that other leases have done and not undone.
    const std::vector<exclusive_step>& of_others;
    /// Records a step's inverse before the step acts; returns the error number of the journal.
    std::function<int(const exclusive_step&)> record;
    /// Forgets the last recorded step: it was not done. Returns the error number of the journal,
    /// which still names the step then.
    std::function<int()> forget;
    /// Facts for the user that are not failures.
    std::vector<std::string>& notes;
};

/// One kind of step.
struct step_rules {
    std::string_view name; ///< In the journal.
    /// Describes the step in a plan for people.
    std::string (*describe)(const exclusive_step&);
    /// Has its inverse recorded, acts, and reads back the effect.
    step_error (*apply)(step_context&, const exclusive_step&);
    /// Undoes it, whatever state it was left in; idempotent.
    step_error (*undo)(step_context&, const exclusive_step&);
};

// In group_steps.cpp, file_steps.cpp and mask_steps.cpp.
extern const step_rules make_group_rules;
extern const step_rules enable_cpuset_rules;
extern const step_rules move_tasks_rules;
extern const step_rules move_process_rules;
extern const step_rules set_file_rules;
extern const step_rules take_cpus_rules;
extern const step_rules add_cpus_rules;
extern const step_rules save_masks_rules;
extern const step_rules narrow_masks_rules;

const step_rules& rules_of(step_kind kind) noexcept;
/// The kind of this name in a journal; nothing for any other name.
std::optional<step_kind> kind_named(std::string_view name) noexcept;

/// What a step does, in words.
std::string describe(const exclusive_step& step);
/// Does a step; the failure of an optional one becomes a note.
step_error apply_step(step_context& context, const exclusive_step& step);
/// Undoes a step, unless another lease relies on its effect.
step_error undo_step(step_context& context, const exclusive_step& step);

// For the rules themselves.
step_error act_failed(int number, const std::string& what);
/// Whether another lease relies on the effect of a shared step.
bool others_need(const step_context& context, const exclusive_step& step);
step_error keep_inverse(step_context& context, const exclusive_step& step);

} // namespace regatta::detail
