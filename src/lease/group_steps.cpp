// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Steps on control groups.

#include "lease/step_rules.hpp"

#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/exclusive_tasks.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace regatta::detail {
namespace {

/// The tasks of a group, as its file lists them.
std::vector<std::string> tasks_of_group(exclusive_system& system, const std::string& group,
                                        const std::string& member) {
    const auto text = system.read(group + "/" + member);
    std::vector<std::string> tasks;
    for (const auto line : split(text ? std::string_view(*text) : std::string_view(), '\n')) {
        tasks.emplace_back(trimmed(line));
    }
    return tasks;
}

/// Moves all movable tasks and repeats until no new ones appear: tasks may start tasks during a
/// pass.
/// @returns the tasks that stay.
std::vector<std::string> move_all(exclusive_system& system, const std::string& from,
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

// make_group

std::string describe_make_group(const exclusive_step& step) {
    return "create the group " + step.path;
}

step_error apply_make_group(step_context& context, const exclusive_step& step) {
    // Another program's group, perhaps in another container: undoing this step would remove it.
    const bool known = others_need(context, step);
    if (!known && context.system.exists(step.path)) {
        return act_failed(EEXIST, describe(step));
    }
    if (auto error = keep_inverse(context, step)) {
        return error;
    }
    const int error = context.system.make_directory(step.path);
    if (error == EEXIST && !known) { // Another program has just created it.
        step_error failed = act_failed(error, describe(step));
        if (const int still = context.forget()) {
            failed.text +=
                "; and the journal still names it: " + std::generic_category().message(still);
        }
        return failed;
    }
    if (error != 0 && !(error == EEXIST && known)) {
        return act_failed(error, describe(step));
    }
    // Version 2, below a group that has processes and is no real top: nothing can enter.
    const auto type = context.system.read(step.path + "/cgroup.type");
    return type && trimmed(*type) == "domain invalid" && step.member == "cgroup.procs"
               ? act_failed(EOPNOTSUPP, "use the group " + step.path + ", an invalid domain")
               : step_error{};
}

/// Empties a group and removes it. A task that ends stays in its group for a moment.
step_error undo_make_group(step_context& context, const exclusive_step& step) {
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

// enable_cpuset

std::string describe_enable_cpuset(const exclusive_step& step) {
    return "enable the cpuset controller below " + step.path;
}

step_error apply_enable_cpuset(step_context& context, const exclusive_step& step) {
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

/// Whether a group below has its own CPUs or memory nodes.
bool is_cpuset_used(exclusive_system& system, const std::string& path) {
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

step_error undo_enable_cpuset(step_context& context, const exclusive_step& step) {
    // Disabling the controller would, for example, end leases of another journal.
    const int error =
        is_cpuset_used(context.system, step.path)
            ? EBUSY
            : context.system.write(step.path + "/cgroup.subtree_control", "-cpuset\n");
    if (error == EBUSY) {
        context.notes.push_back("the cpuset controller stays on below " + step.path +
                                ": other groups use it now.");
    } else if (error != 0 && error != ENOENT) {
        return act_failed(error, "disable the cpuset controller below " + step.path);
    }
    return {};
}

// move_tasks

std::string describe_move_tasks(const exclusive_step& step) {
    return "move every task of " + step.path + " to " + step.target;
}

/// Whether the task is of the kernel; nullopt if it has ended.
std::optional<bool> is_of_kernel(exclusive_system& system, const std::string& number) {
    const int task = static_cast<int>(to_number(number).value_or(0));
    const auto details = read_task_details(system, process_of_thread(system, task), task);
    return details ? std::optional(details->of_kernel) : std::nullopt;
}

step_error apply_move_tasks(step_context& context, const exclusive_step& step) {
    if (auto error = keep_inverse(context, step)) {
        return error;
    }
    // The kernel moves no task for which it is just starting a program, or which is ending.
    constexpr int attempts = 100;
    for (int attempt = 1;; ++attempt) {
        const auto left = move_all(context.system, step.path, step.target, step.member);
        std::size_t of_kernel = 0;
        const std::string* stays = nullptr;
        for (const std::string& number : left) {
            const auto kernel = is_of_kernel(context.system, number);
            of_kernel += kernel == true ? 1 : 0;
            stays = kernel == false ? &number : stays;
        }
        if (stays == nullptr) {
            if (of_kernel > 0) {
                context.notes.push_back(kernel_threads_stay(of_kernel));
            }
            return {};
        }
        if (attempt == attempts) {
            return {EBUSY,
                    "task " + *stays + " cannot be moved from " + step.path + " to " + step.target};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

step_error undo_move_tasks(step_context& context, const exclusive_step& step) {
    const auto left = move_all(context.system, step.target, step.path, step.member);
    return left.empty() ? step_error{}
                        : step_error{EBUSY, std::to_string(left.size()) +
                                                " tasks cannot be moved back from " + step.target +
                                                " to " + step.path};
}

// move_process

std::string describe_move_process(const exclusive_step& step) {
    return "move the process " + step.path + " to " + step.target;
}

/// Moves every thread of a process and repeats until no new ones appear that a thread started which
/// had not been moved. Skips threads that have ended.
step_error apply_move_process(step_context& context, const exclusive_step& step) {
    if (auto error = keep_inverse(context, step)) {
        return error;
    }
    const std::string folder = step.path + "/task";
    std::set<std::string> moved;
    for (bool found = true; found;) {
        found = false;
        const std::vector<std::string> threads = context.system.list(folder);
        if (threads.empty() && !context.system.is_gone(folder)) {
            return act_failed(EIO, "list the threads in " + folder);
        }
        const auto there = tasks_of_group(context.system, step.target, step.member);
        const std::set<std::string> inherited(there.begin(), there.end());
        for (const std::string& thread : threads) {
            if (!inherited.contains(thread) && moved.insert(thread).second) {
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

/// Moves those threads of a process that are in the group `from`, until none is left there that can
/// be moved: they may start further ones meanwhile.
void move_threads(exclusive_system& system, const std::string& folder, const std::string& from,
                  const std::string& to, const std::string& member) {
    std::set<std::string> tried;
    for (bool found = true; found;) {
        found = false;
        const auto tasks = tasks_of_group(system, from, member);
        const std::set<std::string> there(tasks.begin(), tasks.end());
        for (const std::string& thread : system.list(folder)) {
            if (there.contains(thread) && tried.insert(thread).second) {
                found = true;
                system.write(to + "/" + member, thread);
            }
        }
    }
}

/// Moves the tasks back that are still there. Removing the group moves those that cannot go back.
step_error undo_move_process(step_context& context, const exclusive_step& step) {
    if (step.before.empty()) {
        return {};
    }
    exclusive_system& system = context.system;
    const auto tasks = tasks_of_group(system, step.target, step.member);
    bool whole = false;
    for (const task_mask& task : step.masks) {
        const std::string number = std::to_string(task.thread);
        const auto now = read_task(system, task.process, task.thread);
        if (now && is_same_start(now->start, task.start)) {
            whole = whole || step.path == "/proc/" + number;
            if (std::find(tasks.begin(), tasks.end(), number) != tasks.end()) {
                system.write(step.before + "/" + step.member, number);
            }
        }
    }
    if (whole) { // Also the threads that it has started since.
        move_threads(system, step.path + "/task", step.target, step.before, step.member);
    }
    return {};
}

} // namespace

constinit const step_rules make_group_rules{"make_group", describe_make_group, apply_make_group,
                                            undo_make_group};
constinit const step_rules enable_cpuset_rules{"enable_cpuset", describe_enable_cpuset,
                                               apply_enable_cpuset, undo_enable_cpuset};
constinit const step_rules move_tasks_rules{"move", describe_move_tasks, apply_move_tasks,
                                            undo_move_tasks};
constinit const step_rules move_process_rules{"move_process", describe_move_process,
                                              apply_move_process, undo_move_process};

} // namespace regatta::detail
