// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Doing a step and undoing it.

#include "lease/exclusive_cpu_file.hpp"
#include "lease/exclusive_masks.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include <regatta/cpu/cpu_set.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace regatta::detail {

/// What steps are done with.
struct step_context {
    exclusive_system& system;
    /// What other leases have done and not undone.
    const std::vector<exclusive_step>& of_others;
    /// Keeps a step's inverse, before the step acts; returns the error number of the journal.
    std::function<int(const exclusive_step&)> record;
    /// Forgets what was recorded last: it was not done.
    std::function<void()> forget;
    /// What people should know though nothing failed.
    std::vector<std::string>& notes;
};

inline step_error act_failed(int number, const std::string& what) {
    return {number, "could not " + what + ": " + std::generic_category().message(number)};
}

/// Whether another lease relies on the effect of a shared step.
inline bool others_need(const step_context& context, const exclusive_step& step) {
    return step.shared &&
           std::any_of(context.of_others.begin(), context.of_others.end(),
                       [&](const exclusive_step& other) { return other.same_effect(step); });
}

inline step_error keep_inverse(step_context& context, const exclusive_step& step) {
    const int error = context.record(step);
    return error == 0 ? step_error{} : act_failed(error, "write the journal");
}

/// The tasks of a group, as its file lists them.
inline std::vector<std::string> tasks_of_group(exclusive_system& system, const std::string& group,
                                               const std::string& member) {
    const auto text = system.read(group + "/" + member);
    std::vector<std::string> tasks;
    for (const auto line : split(text ? std::string_view(*text) : std::string_view(), '\n')) {
        tasks.emplace_back(trimmed(line));
    }
    return tasks;
}

/// Moves what can be moved, again until nothing new turns up: tasks start tasks meanwhile.
/// @returns the tasks that stay.
inline std::vector<std::string> move_all(exclusive_system& system, const std::string& from,
                                         const std::string& to, const std::string& member) {
    std::set<std::string> refused;
    std::vector<std::string> left;
    for (int pass = 0; pass < 100; ++pass) {
        left = tasks_of_group(system, from, member);
        bool moved = false;
        for (const std::string& task : left) {
            if (!refused.contains(task)) {
                const int error = system.write(to + "/" + member, task);
                moved = moved || error == 0 || error == ESRCH;
                if (error != 0 && error != ESRCH) {
                    refused.insert(task);
                }
            }
        }
        if (!moved) {
            break;
        }
    }
    return left;
}

/// Writes a text and reads it back: some files take what they do not mean.
inline step_error write_and_check(exclusive_system& system, const exclusive_step& step) {
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

inline step_error apply_enable_cpuset(step_context& context, exclusive_step step) {
    const std::string file = step.path + "/cgroup.subtree_control";
    const auto has_it = [&] {
        const auto text = context.system.read(file);
        const auto names = split(text ? trimmed(*text) : std::string_view(), ' ');
        return std::find(names.begin(), names.end(), "cpuset") != names.end();
    };
    if (has_it()) {
        return others_need(context, step) ? keep_inverse(context, step) : step_error{};
    }
    if (auto error = keep_inverse(context, step)) {
        return error;
    }
    if (const int error = context.system.write(file, "+cpuset\n")) {
        return act_failed(error, describe(step));
    }
    return has_it() ? step_error{}
                    : step_error{EINVAL, "the cpuset controller stayed off below " + step.path};
}

inline step_error apply_cpu_file(step_context& context, exclusive_step step) {
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

inline step_error apply_move_tasks(step_context& context, const exclusive_step& step) {
    if (auto error = keep_inverse(context, step)) {
        return error;
    }
    const auto left = move_all(context.system, step.path, step.target, step.member);
    std::size_t of_kernel = 0;
    for (const std::string& number : left) {
        const int task = static_cast<int>(to_number(number).value_or(0));
        const int process = process_of_thread(context.system, task);
        const auto details = read_task_details(context.system, process, task);
        if (details && !details->of_kernel) {
            return {EBUSY,
                    "task " + number + " cannot be moved from " + step.path + " to " + step.target};
        }
        of_kernel += details ? 1 : 0;
    }
    if (of_kernel > 0) {
        context.notes.push_back(std::to_string(of_kernel) +
                                " kernel threads cannot be moved; most belong to one CPU each.");
    }
    return {};
}

/// Moves every thread of a process, again until nothing new turns up; one that has ended is gone.
inline step_error apply_move_process(step_context& context, const exclusive_step& step) {
    std::set<std::string> moved;
    for (bool found = true; found;) {
        found = false;
        for (const std::string& thread : context.system.list(step.path + "/task")) {
            if (moved.insert(thread).second) {
                found = true;
                const int error = context.system.write(step.target + "/" + step.member, thread);
                if (error != 0 && error != ESRCH) {
                    return act_failed(error, describe(step));
                }
            }
        }
    }
    return {};
}

/// Does a step, reads back what it did, and has its inverse recorded before it acts.
inline step_error apply_step_only(step_context& context, const exclusive_step& step) {
    switch (step.kind) {
    case step_kind::make_group: {
        // Somebody else's, in another container perhaps: undoing this step would remove it.
        const bool known = others_need(context, step);
        if (!known && context.system.exists(step.path)) {
            return act_failed(EEXIST, describe(step));
        }
        if (auto error = keep_inverse(context, step)) {
            return error;
        }
        const int error = context.system.make_directory(step.path);
        if (error == EEXIST && !known) {
            context.forget(); // Since a moment ago.
        }
        return error == 0 || (error == EEXIST && known) ? step_error{}
                                                        : act_failed(error, describe(step));
    }
    case step_kind::set_file:
        if (!step.undo_text.empty()) {
            if (auto error = keep_inverse(context, step)) {
                return error;
            }
        }
        return write_and_check(context.system, step);
    case step_kind::enable_cpuset:
        return apply_enable_cpuset(context, step);
    case step_kind::take_cpus:
    case step_kind::add_cpus:
        return apply_cpu_file(context, step);
    case step_kind::move_tasks:
        return apply_move_tasks(context, step);
    case step_kind::save_masks: {
        exclusive_step done = step;
        done.masks = pinned_tasks(context.system, step.cpus | step.rest, context.of_others);
        return done.masks.empty() ? step_error{} : keep_inverse(context, done);
    }
    case step_kind::narrow_masks:
        return narrow_all(context.system, step, context.of_others, context.notes,
                          [&](const exclusive_step& done) { return keep_inverse(context, done); });
    case step_kind::move_process:
        return apply_move_process(context, step);
    }
    return {EINVAL, "unknown step"};
}

/// `apply_step_only`; the failure of an optional step becomes a note.
inline step_error apply_step(step_context& context, const exclusive_step& step) {
    step_error error = apply_step_only(context, step);
    if (error && step.optional) {
        // A file that this kernel does not have was only tried.
        if (error.number != ENOENT) {
            context.notes.push_back(error.text + ".");
        }
        return {};
    }
    return error;
}

/// Gives a file back what a step took from it, and takes from it what the step gave.
inline step_error undo_cpu_file(step_context& context, const exclusive_step& step) {
    const auto now = read_cpus(context.system, step.path);
    const auto before = cpus_from_text(step.path, step.before);
    const auto after = cpus_from_text(step.path, step.after);
    if (!now || !before || !after || *now == *before) {
        return {}; // The file is gone, or it was never changed, or it is as it was.
    }
    std::string text = step.before;
    if (*now != *after) {
        // Another lease or somebody else has changed it since: only this step's part is undone.
        const cpu_set merged = (*now - (*after - *before)) | (*before - *after);
        if (merged == *now || (merged.empty() && step.kind == step_kind::take_cpus)) {
            return {};
        }
        text = cpus_to_text(step.path, merged);
    }
    if (trimmed(text).empty()) {
        text = "\n";
    }
    const int error = context.system.write(step.path, text);
    if (error == 0 || error == ENOENT) {
        return {};
    }
    return act_failed(error, "write '" + std::string(trimmed(text)) + "' to " + step.path);
}

/// Empties a group and removes it. A task that ends stays in it for a moment.
inline step_error undo_make_group(step_context& context, const exclusive_step& step) {
    const std::string parent = step.path.substr(0, step.path.rfind('/'));
    int error = 0;
    for (int attempt = 0; attempt < 2000; ++attempt) {
        error = context.system.remove_directory(step.path);
        if (error == 0 || error == ENOENT) {
            return {};
        }
        if (error != EBUSY) {
            break;
        }
        const bool home = context.system.read(step.target + "/" + step.member).has_value();
        move_all(context.system, step.path, home ? step.target : parent, step.member);
        if (attempt > 2) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    return act_failed(error, "remove the group " + step.path);
}

/// Whether a group below has been given CPUs or memory of its own.
inline bool is_cpuset_used(exclusive_system& system, const std::string& path) {
    for (const std::string& name : system.list_folders(path)) {
        for (const char* file : {"cpuset.cpus", "cpuset.mems", "cpuset.cpus.exclusive"}) {
            const auto text = system.read(path + "/" + name + "/" + file);
            if (text && !trimmed(*text).empty()) {
                return true;
            }
        }
    }
    return false;
}

/// Undoes a step, in whatever state it was left; doing so twice is the same as once.
inline step_error undo_step(step_context& context, const exclusive_step& step) {
    if (others_need(context, step)) {
        return {};
    }
    switch (step.kind) {
    case step_kind::make_group:
        return undo_make_group(context, step);
    case step_kind::set_file: {
        const int error = context.system.write(step.path, step.undo_text + "\n");
        return error == 0 || error == ENOENT
                   ? step_error{}
                   : act_failed(error, "write '" + step.undo_text + "' to " + step.path);
    }
    case step_kind::enable_cpuset: {
        // Leases of another journal, for one, would be gone with it.
        const int error =
            is_cpuset_used(context.system, step.path)
                ? EBUSY
                : context.system.write(step.path + "/cgroup.subtree_control", "-cpuset\n");
        if (error == EBUSY) {
            context.notes.push_back("the cpuset controller stays on below " + step.path +
                                    ": somebody else uses it by now.");
        } else if (error != 0 && error != ENOENT) {
            return act_failed(error, "disable the cpuset controller below " + step.path);
        }
        return {};
    }
    case step_kind::take_cpus:
    case step_kind::add_cpus: {
        step_error error = undo_cpu_file(context, step);
        if (error && step.optional) {
            context.notes.push_back(error.text + ".");
            return {};
        }
        return error;
    }
    case step_kind::move_tasks: {
        const auto left = move_all(context.system, step.target, step.path, step.member);
        return left.empty() ? step_error{}
                            : step_error{EBUSY, std::to_string(left.size()) +
                                                    " tasks cannot be moved back from " +
                                                    step.target + " to " + step.path};
    }
    case step_kind::save_masks:
    case step_kind::narrow_masks:
        return restore_masks(context.system, step, context.of_others);
    case step_kind::move_process:
        return {}; // Its group sees to that when it is removed.
    }
    return {};
}

} // namespace regatta::detail
