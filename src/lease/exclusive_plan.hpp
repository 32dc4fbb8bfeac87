// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The ways to CPUs of one's own on a machine, each as a list of steps.

#include "lease/exclusive_machine.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_level.hpp>
#include <regatta/lease/exclusive_options.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::detail {

/// One way to a level of exclusivity.
struct exclusive_plan {
    exclusivity level = exclusivity::soft;
    std::string way{};                   ///< In words.
    std::string impossible{};            ///< Why it cannot be had here; empty: it can be tried.
    std::vector<exclusive_step> steps{}; ///< In order.
    std::string group{};                 ///< The group that tasks enter; empty: none.
    std::string home{};                  ///< The group that they come from.
    std::string member{};                ///< The file of a group that takes tasks.
    std::string others{};                ///< The group that those of the top were moved to, if any.
};

/// What plans are made for.
struct plan_request {
    exclusive_system& system;
    const exclusive_machine& machine;
    const cpu_set& cpus;
    const exclusive_options& options;
    std::string name{};          ///< What the lease's group is called.
    bool foreign_shield = false; ///< See `has_foreign_shield`.

    cpu_set rest() const { return machine.online - cpus; }
};

inline exclusive_step file_step(std::string path, std::string text, std::string undo_text = {}) {
    exclusive_step step;
    step.kind = step_kind::set_file;
    step.path = std::move(path);
    step.text = std::move(text);
    step.undo_text = std::move(undo_text);
    return step;
}

inline exclusive_step group_step(std::string path, std::string target, std::string member) {
    exclusive_step step;
    step.kind = step_kind::make_group;
    step.path = std::move(path);
    step.target = std::move(target);
    step.member = std::move(member);
    return step;
}

inline exclusive_step cpus_step(step_kind kind, std::string path, const cpu_set& cpus) {
    exclusive_step step;
    step.kind = kind;
    step.path = std::move(path);
    step.cpus = cpus;
    return step;
}

inline exclusive_step masks_step(step_kind kind, const plan_request& request) {
    exclusive_step step = cpus_step(kind, {}, request.cpus);
    // What others hold, nobody else may use now; a task that may use all the rest is not pinned.
    step.rest = request.rest();
    for (const held_cpus& one : request.machine.held) {
        step.rest -= one.cpus;
    }
    return step;
}

inline exclusive_step as_optional(exclusive_step step) {
    step.optional = true;
    return step;
}

inline exclusive_plan boot_plan(const plan_request& request) {
    exclusive_plan plan;
    plan.level = exclusivity::isolated_at_boot;
    plan.way = "pin to CPUs that the kernel isolated when it started";
    const cpu_set& isolated = request.machine.isolated_at_boot;
    if (!isolated.contains(request.cpus)) {
        plan.impossible = isolated.empty() ? "no CPUs were isolated at boot (isolcpus)"
                                           : "only CPUs " + isolated.to_string() +
                                                 " were isolated at boot (isolcpus)";
    }
    return plan;
}

/// A partition of control groups of version 2.
/// @param at_top the group is made below the top and takes whole processes; else below this
/// process's own, and takes threads, which stay in their group for everything but CPUs.
inline exclusive_plan partition_plan(const plan_request& request, exclusivity level, bool at_top) {
    const group_tree& tree = request.machine.v2;
    const std::string type = level == exclusivity::root_partition ? "root" : "isolated";
    const std::string parent = at_top ? tree.top : tree.own;
    exclusive_plan plan;
    plan.level = level;
    plan.way = "a partition of type '" + type + "' below the group " + parent;
    if (!tree) {
        plan.impossible = request.machine.v1 ? "the cpuset controller belongs to control groups of "
                                               "version 1 here, which know no partitions"
                                             : "there are no control groups with cpusets";
        return plan;
    }
    const cpu_set boot = request.cpus & request.machine.isolated_at_boot;
    if (!boot.empty()) {
        plan.impossible = "CPUs " + boot.to_string() +
                          " were isolated at boot, which the kernel refuses in partitions";
        return plan;
    }
    plan.group = parent + "/" + request.name;
    plan.home = tree.own;
    plan.member = at_top ? "cgroup.procs" : "cgroup.threads";
    std::vector<std::string> chain = tree.chain();
    if (at_top) {
        chain.resize(1);
    }
    plan.steps.push_back(masks_step(step_kind::save_masks, request));
    for (const std::string& group : chain) {
        exclusive_step enable;
        enable.kind = step_kind::enable_cpuset;
        enable.path = group;
        enable.shared = true;
        plan.steps.push_back(std::move(enable));
    }
    // Below a group that is no partition the CPUs must be granted all the way down.
    const bool is_local =
        (parent == tree.top && tree.top_is_root) || is_partition(request.system, parent);
    const std::string list = request.cpus.to_string();
    if (!is_local) {
        for (const std::string& group : chain) {
            if (group != tree.top || !tree.top_is_root) {
                plan.steps.push_back(
                    cpus_step(step_kind::add_cpus, group + "/cpuset.cpus.exclusive", request.cpus));
            }
        }
    }
    plan.steps.push_back(group_step(plan.group, plan.home, plan.member));
    if (!at_top) {
        plan.steps.push_back(file_step(plan.group + "/cgroup.type", "threaded"));
    }
    plan.steps.push_back(file_step(plan.group + "/cpuset.cpus", list));
    exclusive_step exclusive = file_step(plan.group + "/cpuset.cpus.exclusive", list);
    exclusive.optional = is_local; // Older kernels have no such file.
    plan.steps.push_back(std::move(exclusive));
    plan.steps.push_back(file_step(plan.group + "/cpuset.cpus.partition", type, "member"));
    return plan;
}

/// Which groups of version 1 must give up CPUs, the innermost first.
inline std::vector<std::string> overlapping_groups(const plan_request& request) {
    std::vector<std::string> overlapping;
    for (const std::string& group : groups_below(request.system, request.machine.v1.top)) {
        const auto cpus = read_cpus(request.system, group + "/cpuset.cpus");
        if (cpus && !(*cpus & request.cpus).empty()) {
            overlapping.push_back(group);
        }
    }
    std::reverse(overlapping.begin(), overlapping.end());
    return overlapping;
}

/// What both plans with cpusets of version 1 begin with.
inline exclusive_plan cpuset_plan(const plan_request& request, std::string way) {
    const group_tree& tree = request.machine.v1;
    exclusive_plan plan;
    plan.level = exclusivity::shielded;
    plan.way = std::move(way);
    if (!tree) {
        plan.impossible = "there are no control groups of version 1 with cpusets";
        return plan;
    }
    plan.group = tree.top + "/" + request.name;
    plan.home = tree.own;
    plan.member = "tasks";
    plan.steps.push_back(masks_step(step_kind::save_masks, request));
    return plan;
}

/// The CPUs of the top cpuset of version 1 that nobody holds.
inline cpu_set cpus_of_nobody(const plan_request& request) {
    cpu_set free =
        read_cpus(request.system, request.machine.v1.top + "/cpuset.cpus").value_or(cpu_set());
    for (const held_cpus& one : request.machine.held) {
        free -= one.cpus;
    }
    return free;
}

/// Gives a new cpuset all memory, and CPUs.
inline void fill_cpuset(exclusive_plan& plan, const plan_request& request, const std::string& group,
                        const cpu_set& cpus) {
    const auto mems = request.system.read(request.machine.v1.top + "/cpuset.mems");
    plan.steps.push_back(
        file_step(group + "/cpuset.mems", std::string(mems ? trimmed(*mems) : "")));
    plan.steps.push_back(file_step(group + "/cpuset.cpus", cpus.to_string()));
}

/// The cpuset of the lease itself, which both end with.
inline void make_lease_cpuset(exclusive_plan& plan, const plan_request& request,
                              const std::string& target) {
    plan.steps.push_back(group_step(plan.group, target, plan.member));
    fill_cpuset(plan, request, plan.group, request.cpus);
    // Where the top is no exclusive cpuset itself, inside of a container, this cannot be had.
    plan.steps.push_back(as_optional(file_step(plan.group + "/cpuset.cpu_exclusive", "1")));
}

/// A cpuset of version 1 for the lease, and one without its CPUs for everybody else.
inline exclusive_plan shield_plan(const plan_request& request) {
    exclusive_plan plan =
        cpuset_plan(request, "a cpuset of version 1 for the lease, and one for everybody else");
    if (!plan.impossible.empty()) {
        return plan;
    }
    const std::string& top = request.machine.v1.top;
    plan.others = top + "/" + std::string(others_group);
    if (!request.options.move_others) {
        plan.impossible = "other programs' tasks would be moved, which was not allowed";
        return plan;
    }
    if (request.foreign_shield) {
        plan.impossible = "the group " + plan.others + " belongs to leases that are not in this " +
                          "journal, those of another container perhaps, and ends with them";
        return plan;
    }
    for (const std::string& group : overlapping_groups(request)) {
        plan.steps.push_back(cpus_step(step_kind::take_cpus, group + "/cpuset.cpus", request.cpus));
    }
    plan.steps.push_back(group_step(plan.others, top, plan.member));
    plan.steps.back().shared = true;
    if (!request.system.read(plan.others + "/cpuset.cpus")) {
        fill_cpuset(plan, request, plan.others, cpus_of_nobody(request));
        plan.steps.push_back(
            cpus_step(step_kind::take_cpus, plan.others + "/cpuset.cpus", request.cpus));
    }
    exclusive_step move;
    move.kind = step_kind::move_tasks;
    move.path = top;
    move.target = plan.others;
    move.member = plan.member;
    move.shared = true;
    plan.steps.push_back(std::move(move));
    make_lease_cpuset(plan, request, plan.home == top ? plan.others : plan.home);
    return plan;
}

/// The same for processes that yield: nobody else is moved.
inline exclusive_plan yielding_plan(const plan_request& request) {
    exclusive_plan plan = cpuset_plan(
        request,
        "a cpuset of version 1 for the lease, and one for processes of this program alone");
    if (!plan.impossible.empty()) {
        return plan;
    }
    const std::string aside = plan.group + std::string(yielding_suffix);
    plan.steps.push_back(group_step(aside, plan.home, plan.member));
    fill_cpuset(plan, request, aside, cpus_of_nobody(request) - request.cpus);
    for (const int process : request.options.yielding) {
        exclusive_step move;
        move.kind = step_kind::move_process;
        move.path = "/proc/" + std::to_string(process);
        move.target = aside;
        move.member = plan.member;
        plan.steps.push_back(std::move(move));
    }
    make_lease_cpuset(plan, request, plan.home);
    return plan;
}

inline exclusive_plan sweep_plan(const plan_request& request) {
    exclusive_plan plan;
    plan.level = exclusivity::swept;
    plan.way = "take every other task off by its affinity, once";
    if (!request.options.move_others) {
        plan.impossible = "other programs' tasks would be moved, which was not allowed";
        return plan;
    }
    plan.steps.push_back(masks_step(step_kind::narrow_masks, request));
    return plan;
}

/// What goes with any level: interrupts and the kernel's own work elsewhere, as far as asked for.
inline std::vector<exclusive_step> quiet_steps(const plan_request& request, exclusivity level) {
    std::vector<std::string> files;
    if (request.options.move_interrupts) {
        files.push_back("/proc/irq/default_smp_affinity");
        for (const std::string& number : request.system.list_folders("/proc/irq")) {
            files.push_back("/proc/irq/" + number + "/smp_affinity_list");
        }
    }
    if (request.options.move_others && level <= exclusivity::shielded) {
        files.push_back("/sys/devices/virtual/workqueue/cpumask");
    }
    std::vector<exclusive_step> steps;
    for (const std::string& file : files) {
        const auto cpus = read_cpus(request.system, file);
        if (cpus && !(*cpus & request.cpus).empty()) {
            steps.push_back(as_optional(cpus_step(step_kind::take_cpus, file, request.cpus)));
            steps.back().rest = request.rest();
        }
    }
    return steps;
}

/// Every way to CPUs of one's own, the best first; the last one needs nothing.
inline std::vector<exclusive_plan> make_plans(const plan_request& request) {
    const bool balanced = request.options.balanced && request.cpus.count() > 1;
    const bool at_top =
        request.options.whole_processes && request.machine.v2.own != request.machine.v2.top;
    std::vector<exclusivity> types{exclusivity::isolated_partition, exclusivity::root_partition};
    if (balanced) {
        std::swap(types[0], types[1]);
    }
    std::vector<exclusive_plan> plans{boot_plan(request)};
    for (const exclusivity type : types) {
        plans.push_back(partition_plan(request, type, false));
        if (at_top) {
            plans.push_back(partition_plan(request, type, true));
        }
    }
    const bool aside = !request.options.move_others && !request.options.yielding.empty();
    plans.push_back(aside ? yielding_plan(request) : shield_plan(request));
    plans.push_back(sweep_plan(request));
    exclusive_plan soft;
    soft.way = "pin to the CPUs, where everybody else may run, too";
    plans.push_back(std::move(soft));
    return plans;
}

} // namespace regatta::detail
