// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Steps on kernel files.

#include "lease/step_rules.hpp"

#include "lease/exclusive_cpu_file.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>

namespace regatta::detail {
namespace {

// set_file

std::string describe_set_file(const exclusive_step& step) {
    return "write '" + step.text + "' to " + step.path;
}

/// Writes a text and reads it back: some files accept a text that then has no effect.
step_error write_and_check(exclusive_system& system, const exclusive_step& step) {
    if (const int error = system.write(step.path, step.text + "\n")) {
        return act_failed(error, describe(step));
    }
    const auto now = system.read(step.path);
    if (!now || trimmed(*now) != step.text) {
        return {EINVAL, "wrote '" + step.text + "' to " + step.path + ", which then read '" +
                            std::string(now ? trimmed(*now) : "nothing") + "'"};
    }
    return {};
}

step_error apply_set_file(step_context& context, const exclusive_step& step) {
    if (!step.undo_text.empty()) {
        if (auto error = keep_inverse(context, step)) {
            return error;
        }
    }
    return write_and_check(context.system, step);
}

step_error undo_set_file(step_context& context, const exclusive_step& step) {
    const int error = context.system.write(step.path, step.undo_text + "\n");
    return error == 0 || error == ENOENT
               ? step_error{}
               : act_failed(error, "write '" + step.undo_text + "' to " + step.path);
}

// take_cpus, add_cpus

std::string describe_take_cpus(const exclusive_step& step) {
    return "take CPUs " + step.cpus.to_string() + " from " + step.path;
}

std::string describe_add_cpus(const exclusive_step& step) {
    return "add CPUs " + step.cpus.to_string() + " to " + step.path;
}

step_error apply_cpu_file(step_context& context, const exclusive_step& planned) {
    exclusive_step step = planned;
    const auto text = context.system.read(step.path);
    const auto now = text ? cpus_from_text(step.path, *text) : std::nullopt;
    if (!now) {
        return {ENOENT, "could not read " + step.path};
    }
    const bool take = step.kind == step_kind::take_cpus;
    cpu_set after = take ? *now - step.cpus : *now | step.cpus;
    if (after.empty()) {
        after = step.rest;
    }
    if (after == *now) {
        return {};
    }
    if (after.empty()) {
        return {EBUSY, step.path + " has no other CPUs than " + now->to_string()};
    }
    step.before = *text;
    step.after = cpus_to_text(step.path, after);
    if (auto error = keep_inverse(context, step)) {
        return error;
    }
    if (const int error = context.system.write(step.path, step.after)) {
        return act_failed(error, describe(step));
    }
    const auto result = read_cpus(context.system, step.path);
    if (result != after) {
        return {EINVAL, "wrote CPUs '" + after.to_string() + "' to " + step.path +
                            ", which then read '" + (result ? result->to_string() : "") + "'"};
    }
    return {};
}

/// Whether the CPUs of a file were chosen since, so that the step's CPUs are none of them. A file
/// that had only the lease's CPUs got `step.rest`, from which other leases only take their own.
/// Another file has none of the CPUs that the step left, less those of other leases: somebody chose
/// others, or a lease that had given it its `rest` has ended. Nobody chooses none: a group of
/// version 1 whose CPUs all went offline has none afterwards.
bool is_chosen_since(const step_context& context, const exclusive_step& step, const cpu_set& before,
                     const cpu_set& after, const cpu_set& now) {
    if (step.kind != step_kind::take_cpus || now.empty()) {
        return false;
    }
    cpu_set left = after & online_cpus(context.system).value_or(after);
    for (const exclusive_step& other : context.of_others) {
        if (other.same_effect(step)) {
            left -= other.cpus;
        }
    }
    return step.cpus.contains(before) ? !now.contains(left) : !left.empty() && (now & left).empty();
}

/// Gives the interrupts that have come since the step, and have its CPUs, those that the next will
/// have.
void restore_new_interrupts(exclusive_system& system, const exclusive_step& step,
                            const cpu_set& now, const cpu_set& wanted) {
    const auto known = split(step.text, ' ');
    for (const std::string& number : system.list_folders("/proc/irq")) {
        const std::string file = "/proc/irq/" + number + "/smp_affinity_list";
        if (std::find(known.begin(), known.end(), number) == known.end() &&
            read_cpus(system, file) == now) {
            system.write(file, wanted.to_string() + "\n"); // It may be one that stays where it is.
        }
    }
}

/// Adds what a step removed from a file, and removes what it added.
step_error restore_cpu_file(step_context& context, const exclusive_step& step) {
    const auto now = read_cpus(context.system, step.path);
    if (!now && !context.system.is_gone(step.path)) {
        const int error = context.system.read_error(step.path);
        return act_failed(error == 0 ? EINVAL : error, "read " + step.path);
    }
    const auto before = cpus_from_text(step.path, step.before);
    const auto after = cpus_from_text(step.path, step.after);
    if (!now || !before || !after || *now == *before) {
        return {}; // The file is gone, was never changed, or is already restored.
    }
    if (is_chosen_since(context, step, *before, *after, *now)) {
        return {};
    }
    cpu_set wanted = *before;
    std::string text = step.before;
    if (*now != *after) {
        // The file was changed since, by another lease or program: only this step's part is undone.
        wanted = (*now - (*after - *before)) | (*before - *after);
        if (wanted == *now || (wanted.empty() && step.kind == step_kind::take_cpus)) {
            return {};
        }
        text = cpus_to_text(step.path, wanted);
    }
    if (trimmed(text).empty()) {
        text = "\n";
    }
    if (step.path == default_interrupts) {
        restore_new_interrupts(context.system, step, *now, wanted);
    }
    int error = context.system.write(step.path, text);
    if (error == EINVAL) {
        // Control groups of version 1 have no CPUs that are offline.
        const cpu_set online = wanted & online_cpus(context.system).value_or(wanted);
        if (online != wanted && !online.empty()) {
            text = cpus_to_text(step.path, online);
            error = online == *now ? 0 : context.system.write(step.path, text);
        }
    }
    if (error == 0 || error == ENOENT) {
        return {};
    }
    return act_failed(error, "write '" + std::string(trimmed(text)) + "' to " + step.path);
}

/// Undoes a step; the failure of an optional one becomes a note.
step_error undo_cpu_file(step_context& context, const exclusive_step& step) {
    step_error error = restore_cpu_file(context, step);
    if (error && step.optional) {
        context.notes.push_back(error.text + ".");
        return {};
    }
    return error;
}

} // namespace

constinit const step_rules set_file_rules{"set_file", describe_set_file, apply_set_file,
                                          undo_set_file};
constinit const step_rules take_cpus_rules{"take_cpus", describe_take_cpus, apply_cpu_file,
                                           undo_cpu_file};
constinit const step_rules add_cpus_rules{"add_cpus", describe_add_cpus, apply_cpu_file,
                                          undo_cpu_file};

} // namespace regatta::detail
