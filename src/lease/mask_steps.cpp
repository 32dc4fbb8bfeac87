// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Steps on the affinity of tasks.

#include "lease/step_rules.hpp"

#include "lease/exclusive_masks.hpp"
#include "lease/exclusive_step.hpp"
#include <regatta/cpu/cpu_set.hpp>

#include <string>
#include <utility>

namespace regatta::detail {
namespace {

std::string describe_save_masks(const exclusive_step&) {
    return "note the affinity of every task that is pinned";
}

step_error apply_save_masks(step_context& context, const exclusive_step& step) {
    auto pinned = pinned_tasks(context.system, step.cpus | step.rest, context.of_others);
    if (!pinned) {
        return tasks_not_listed();
    }
    exclusive_step done = step;
    done.masks = std::move(*pinned);
    return done.masks.empty() ? step_error{} : keep_inverse(context, done);
}

std::string describe_narrow_masks(const exclusive_step& step) {
    return "take CPUs " + step.cpus.to_string() + " from the affinity of every task";
}

step_error apply_narrow_masks(step_context& context, const exclusive_step& step) {
    return narrow_all(context.system, step, context.of_others, context.notes,
                      [&](const exclusive_step& done) { return keep_inverse(context, done); });
}

step_error undo_masks(step_context& context, const exclusive_step& step) {
    return restore_masks(context.system, step, context.of_others);
}

} // namespace

constinit const step_rules save_masks_rules{"save_masks", describe_save_masks, apply_save_masks,
                                            undo_masks};
constinit const step_rules narrow_masks_rules{"narrow_masks", describe_narrow_masks,
                                              apply_narrow_masks, undo_masks};

} // namespace regatta::detail
