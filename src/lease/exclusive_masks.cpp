// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/exclusive_masks.hpp"

#include "lease/exclusive_cpu_file.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/exclusive_tasks.hpp"
#include <regatta/cpu/cpu_set.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace regatta::detail {
namespace {

/// Whether its masks are those that tasks get back. Those of moved tasks say who they are.
bool saves_masks(const exclusive_step& step) {
    return step.kind == step_kind::save_masks || step.kind == step_kind::narrow_masks;
}

/// Replaces each mask by the one that the task had before any lease, if another lease recorded it.
void recall_masks(std::vector<task_mask>& masks, const std::vector<exclusive_step>& of_others) {
    for (const exclusive_step& step : of_others) {
        if (!saves_masks(step)) {
            continue;
        }
        for (const task_mask& saved : step.masks) {
            for (task_mask& task : masks) {
                if (task.thread == saved.thread && is_same_start(task.start, saved.start)) {
                    task.allowed = saved.allowed;
                }
            }
        }
    }
}

/// Whether a task with the mask `now` has entered another lease.
bool is_in_another(const std::vector<exclusive_step>& of_others, const task_mask& now) {
    return std::any_of(of_others.begin(), of_others.end(), [&](const exclusive_step& other) {
        return other.kind == step_kind::save_masks && other.cpus.contains(now.allowed) &&
               find_mask({other}, now) != nullptr;
    });
}

/// What decides about the masks of tasks on a machine.
struct mask_rules {
    cpu_set online;
    /// Whether the kernel forgets a task's own mask when its group changes: before Linux 6.2, or
    /// if that is unknown.
    bool forgets = true;
};

mask_rules rules_of_machine(exclusive_system& system, const exclusive_step& step) {
    mask_rules rules{online_cpus(system).value_or(step.cpus | step.rest)};
    if (const auto release = system.read("/proc/sys/kernel/osrelease")) {
        const auto parts = split(*release, '.');
        const auto major = to_number(parts.front());
        const auto rest = parts.size() > 1 ? parts[1] : std::string_view();
        const auto minor = to_number(rest.substr(0, rest.find_first_not_of("0123456789")));
        rules.forgets = !major || !minor || *major < 6 || (*major == 6 && *minor < 2);
    }
    return rules;
}

/// Whether a task's mask is still the lease's doing, or what an older kernel leaves when the CPUs
/// of a group return. A mask that was set since is not. The kernel takes CPUs that go offline from
/// some masks. Masks that the lease itself narrowed, no kernel resets, and whoever entered the
/// lease has a record of that.
bool is_ours_to_restore(const exclusive_step& step, const cpu_set& of_others,
                        const mask_rules& rules, const cpu_set& saved, const cpu_set& now) {
    const cpu_set& online = rules.online;
    const cpu_set known = (step.cpus | step.rest | of_others) & online;
    const cpu_set left = (saved - step.cpus - of_others) & known;
    const cpu_set rest = (step.rest - of_others) & online;
    const bool by_group = step.kind != step_kind::narrow_masks;
    if (!by_group && (saved & step.cpus).empty()) {
        return false; // The lease had nothing to narrow.
    }
    return (!left.empty() && (now & known) == left) // without the lease's CPUs
           || ((left.empty() || (by_group && rules.forgets)) &&
               now.contains(rest))                   // it had no other, or was reset
           || (by_group && step.cpus.contains(now)); // it had entered
}

/// CPUs that other leases keep clear only by the masks of tasks.
cpu_set swept_by_others(const std::vector<exclusive_step>& of_others) {
    cpu_set cpus;
    for (const exclusive_step& other : of_others) {
        if (other.kind == step_kind::narrow_masks) {
            cpus |= other.cpus;
        }
    }
    return cpus;
}

/// Restores a task's mask unless it already has it.
/// @returns false if the kernel refuses.
bool restore_mask(exclusive_system& system, const exclusive_step& step,
                  const std::vector<exclusive_step>& of_others, const mask_rules& rules,
                  const task_mask& saved) {
    const cpu_set& online = rules.online;
    const auto now = read_task(system, saved.process, saved.thread);
    if (!now) {
        return is_task_gone(system, saved.process, saved.thread);
    }
    const cpu_set wanted = beside_others(saved.allowed, of_others);
    if (!is_same_start(now->start, saved.start) || now->allowed == wanted ||
        !is_ours_to_restore(step, cpus_of(of_others), rules, saved.allowed, now->allowed)) {
        return true;
    }
    if ((wanted & online).empty()) {
        return true; // The kernel, too, lets a task run elsewhere whose CPUs are all offline.
    }
    if (system.set_affinity(saved.thread, wanted) == 0) {
        return true;
    }
    if (cpus_of(of_others).contains(wanted & online) && find_mask(of_others, saved) != nullptr) {
        return true; // Another lease has taken these CPUs since; its end restores the mask.
    }
    // No failure: the task has ended, also where nobody waited for it, or the kernel has bound one
    // of its own threads since.
    const auto details = read_task_details(system, saved.process, saved.thread);
    return details ? !is_same_start(details->start, saved.start) || details->of_kernel ||
                         details->has_ended
                   : is_task_gone(system, saved.process, saved.thread);
}

/// Restores the masks of tasks that inherited narrowed ones. Each gets the mask that it would have
/// inherited without the lease. Repeats that until it finds no such task, because a task that is
/// still narrowed may start another one meanwhile.
step_error widen_heirs(exclusive_system& system, const exclusive_step& step,
                       const cpu_set& kept_off) {
    std::map<int, const task_mask*> saved;
    std::set<std::pair<int, std::uint64_t>> done; // Also those that the kernel has refused.
    for (const task_mask& task : step.masks) {
        saved.emplace(task.process, &task); // The first thread of a process represents it.
        done.insert({task.thread, task.start});
    }
    bool any = true;
    for (int pass = 0; any && pass < 100; ++pass) {
        any = false;
        const auto tasks = tasks_allowed_on(system, step.rest);
        if (!tasks) {
            return tasks_not_listed();
        }
        for (const task_mask& task : *tasks) {
            if (!(task.allowed & step.cpus).empty() || done.contains({task.thread, task.start})) {
                continue;
            }
            int ancestor = task.process;
            for (int generation = 0; generation < 100 && ancestor > 0; ++generation) {
                if (const auto found = saved.find(ancestor); found != saved.end()) {
                    const cpu_set whole = found->second->allowed - kept_off;
                    const cpu_set left = whole - step.cpus;
                    if (whole != left && task.allowed == (left.empty() ? step.rest : left)) {
                        system.set_affinity(task.thread, whole);
                        done.insert({task.thread, task.start});
                        any = true;
                    }
                    break;
                }
                const auto details = read_task_details(system, ancestor, ancestor);
                ancestor = details ? details->parent : 0;
            }
        }
    }
    return {};
}

} // namespace

cpu_set cpus_of(const std::vector<exclusive_step>& steps) {
    cpu_set cpus;
    for (const exclusive_step& step : steps) {
        if (saves_masks(step) && step.text != pins_only) {
            cpus |= step.cpus;
        }
    }
    return cpus;
}

cpu_set beside_others(const cpu_set& mask, const std::vector<exclusive_step>& of_others) {
    const cpu_set left = mask - swept_by_others(of_others);
    return left.empty() ? mask : left;
}

step_error tasks_not_listed() {
    return {EIO, "the tasks in /proc cannot be listed"};
}

const task_mask* find_mask(const std::vector<exclusive_step>& steps, const task_mask& task,
                           mask_records which) {
    for (const exclusive_step& step : steps) {
        if (!saves_masks(step) ||
            (which == mask_records::of_entries && step.kind == step_kind::narrow_masks)) {
            continue;
        }
        for (const task_mask& saved : step.masks) {
            if (saved.thread == task.thread && is_same_start(saved.start, task.start)) {
                return &saved;
            }
        }
    }
    return nullptr;
}

void replace_mask(std::vector<exclusive_step>& steps, const task_mask& task) {
    for (exclusive_step& step : steps) {
        for (task_mask& saved : step.masks) {
            if (saved.thread == task.thread && is_same_start(saved.start, task.start)) {
                saved.allowed = task.allowed;
            }
        }
    }
}

void use_last_masks(std::vector<exclusive_step>& steps) {
    std::map<std::pair<int, std::uint64_t>, cpu_set> last;
    for (const exclusive_step& step : steps) {
        if (step.kind == step_kind::save_masks) {
            for (const task_mask& saved : step.masks) {
                last[{saved.thread, saved.start}] = saved.allowed;
            }
        }
    }
    for (exclusive_step& step : steps) {
        for (task_mask& saved : step.masks) {
            if (const auto found = last.find({saved.thread, saved.start}); found != last.end()) {
                saved.allowed = found->second;
            }
        }
    }
}

bool is_made_of(exclusive_system& system, const exclusive_step& step,
                const std::vector<exclusive_step>& of_others, const cpu_set& saved,
                const cpu_set& now) {
    const cpu_set others = cpus_of(of_others);
    return now == saved || others.contains(now) || // It has entered another lease.
           is_ours_to_restore(step, others, rules_of_machine(system, step), saved, now);
}

std::optional<std::vector<task_mask>> pinned_tasks(exclusive_system& system,
                                                   const cpu_set& everything,
                                                   const std::vector<exclusive_step>& of_others) {
    auto pinned = find_tasks(system, [&](const cpu_set& allowed) {
        return !of_others.empty() || !allowed.contains(everything);
    });
    if (pinned) {
        std::erase_if(*pinned, [&](const task_mask& task) {
            return task.allowed.contains(everything) && find_mask(of_others, task) == nullptr;
        });
        recall_masks(*pinned, of_others);
    }
    return pinned;
}

step_error narrow_all(exclusive_system& system, const exclusive_step& step,
                      const std::vector<exclusive_step>& of_others, std::vector<std::string>& notes,
                      const std::function<step_error(const exclusive_step&)>& record) {
    std::set<std::pair<int, std::uint64_t>> refused;
    for (int pass = 0; pass < 100; ++pass) {
        exclusive_step done = step;
        // The first pass also records tasks that keep their masks, to distinguish them from later
        // ones.
        auto tasks = find_tasks(system, [&](const cpu_set& allowed) {
            return pass == 0 || !(allowed & step.cpus).empty();
        });
        if (!tasks) {
            return tasks_not_listed();
        }
        done.masks = std::move(*tasks);
        std::erase_if(done.masks, [&](const task_mask& task) {
            return refused.contains({task.thread, task.start});
        });
        if (done.masks.empty()) {
            break;
        }
        const std::vector<task_mask> found = done.masks;
        for (task_mask& task : done.masks) {
            // It is not pinned: without the other leases it could use their CPUs, too.
            if (task.allowed.contains(step.rest | step.cpus) &&
                find_mask(of_others, task) == nullptr) {
                task.allowed |= cpus_of(of_others);
            }
        }
        recall_masks(done.masks, of_others);
        if (step_error error = record(done)) {
            return error;
        }
        for (const task_mask& task : found) {
            if ((task.allowed & step.cpus).empty()) {
                continue;
            }
            cpu_set left = task.allowed - step.cpus;
            const int error = system.set_affinity(task.thread, left.empty() ? step.rest : left);
            if (error == 0 || error == ESRCH) {
                continue;
            }
            refused.insert({task.thread, task.start});
            const auto details = read_task_details(system, task.process, task.thread);
            if (details && is_same_start(details->start, task.start) && !details->of_kernel) {
                return {error, "task " + std::to_string(task.thread) +
                                   " cannot be moved off CPUs " + step.cpus.to_string() + ": " +
                                   std::generic_category().message(error)};
            }
        }
    }
    if (!refused.empty()) {
        notes.push_back(kernel_threads_stay(refused.size()));
    }
    return {};
}

void pin_again(exclusive_system& system, const std::vector<exclusive_step>& done,
               const std::vector<exclusive_step>& of_others) {
    for (const exclusive_step& step : done) {
        if (!saves_masks(step)) {
            continue;
        }
        for (const task_mask& saved : step.masks) {
            const cpu_set wanted = saved.allowed - step.cpus - cpus_of(of_others);
            const auto now = read_task(system, saved.process, saved.thread);
            if (now && is_same_start(now->start, saved.start) && !wanted.empty() &&
                now->allowed != wanted && !is_in_another(of_others, *now)) {
                system.set_affinity(saved.thread, wanted);
            }
        }
    }
}

step_error restore_masks(exclusive_system& system, const exclusive_step& step,
                         const std::vector<exclusive_step>& of_others) {
    const mask_rules rules = rules_of_machine(system, step);
    std::size_t refused = 0;
    for (const task_mask& saved : step.masks) {
        refused += restore_mask(system, step, of_others, rules, saved) ? 0 : 1;
    }
    if (step.kind == step_kind::narrow_masks) {
        if (step_error error = widen_heirs(system, step, swept_by_others(of_others))) {
            return error;
        }
    }
    return refused == 0 ? step_error{}
                        : step_error{EINVAL, "the affinity of " + std::to_string(refused) +
                                                 " tasks cannot be restored"};
}

} // namespace regatta::detail
