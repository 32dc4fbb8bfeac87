// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/step_rules.hpp"

#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include <regatta/cpu/cpu_set.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace regatta::detail {
namespace {

/// In the order of `step_kind`.
constexpr std::array<const step_rules*, 9> all_rules{
    &make_group_rules, &set_file_rules,   &enable_cpuset_rules, &take_cpus_rules,   &add_cpus_rules,
    &move_tasks_rules, &save_masks_rules, &narrow_masks_rules,  &move_process_rules};

} // namespace

const step_rules& rules_of(step_kind kind) noexcept {
    return *all_rules[static_cast<std::size_t>(kind)];
}

std::optional<step_kind> kind_named(std::string_view name) noexcept {
    for (std::size_t kind = 0; kind < all_rules.size(); ++kind) {
        if (all_rules[kind]->name == name) {
            return static_cast<step_kind>(kind);
        }
    }
    return std::nullopt;
}

std::string describe(const exclusive_step& step) {
    return rules_of(step.kind).describe(step);
}

step_error apply_step(step_context& context, const exclusive_step& step) {
    step_error error = rules_of(step.kind).apply(context, step);
    if (error && step.optional) {
        // A file that this kernel lacks is not worth a note.
        if (error.number != ENOENT) {
            context.notes.push_back(error.text + ".");
        }
        return {};
    }
    return error;
}

step_error undo_step(step_context& context, const exclusive_step& step) {
    return others_need(context, step) ? step_error{} : rules_of(step.kind).undo(context, step);
}

step_error act_failed(int number, const std::string& what) {
    return {number, "could not " + what + ": " + std::generic_category().message(number)};
}

bool others_need(const step_context& context, const exclusive_step& step) {
    return step.shared &&
           std::any_of(context.of_others.begin(), context.of_others.end(),
                       [&](const exclusive_step& other) { return other.same_effect(step); });
}

step_error keep_inverse(step_context& context, const exclusive_step& step) {
    const int error = context.record(step);
    return error == 0 ? step_error{} : act_failed(error, "write the journal");
}

} // namespace regatta::detail
