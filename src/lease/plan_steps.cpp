// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/plan_steps.hpp"

#include "lease/exclusive_machine.hpp"
#include "lease/exclusive_plan.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <string>
#include <utility>
#include <vector>

namespace regatta::detail {

namespace {

/// Why this process's threads cannot be pinned to the CPUs where they are; empty: they can.
std::string not_from_here(const plan_request& request) {
    const cpu_set outside = request.cpus - request.machine.own_cpuset;
    return outside.empty() ? std::string()
                           : "the cpuset of this process, " + request.machine.v1.own +
                                 ", does not have CPUs " + outside.to_string();
}

} // namespace

exclusive_step file_step(std::string path, std::string text, std::string undo_text) {
    exclusive_step step;
    step.kind = step_kind::set_file;
    step.path = std::move(path);
    step.text = std::move(text);
    step.undo_text = std::move(undo_text);
    return step;
}

exclusive_step group_step(std::string path, std::string target, std::string member) {
    exclusive_step step;
    step.kind = step_kind::make_group;
    step.path = std::move(path);
    step.target = std::move(target);
    step.member = std::move(member);
    return step;
}

exclusive_step cpus_step(step_kind kind, std::string path, const cpu_set& cpus) {
    exclusive_step step;
    step.kind = kind;
    step.path = std::move(path);
    step.cpus = cpus;
    return step;
}

exclusive_step masks_step(step_kind kind, const plan_request& request) {
    exclusive_step step = cpus_step(kind, {}, request.cpus);
    step.rest = request.rest;
    if (kind == step_kind::save_masks) {
        // A task that may use all of these and the lease's is not pinned. CPUs that other groups
        // hold do not count; those isolated at boot do, even if a lease has them.
        const cpu_set& own = request.machine.own_partition;
        step.rest = (own.empty() ? request.machine.online : own) - request.cpus;
        for (const held_cpus& one : request.machine.held) {
            step.rest -= one.cpus;
        }
    }
    return step;
}

exclusive_step as_optional(exclusive_step step) {
    step.optional = true;
    return step;
}

exclusive_plan boot_plan(const plan_request& request) {
    exclusive_plan plan;
    plan.level = exclusivity::isolated_at_boot;
    plan.way = "pin to CPUs that the kernel isolated when it started";
    const cpu_set& isolated = request.machine.isolated_at_boot;
    if (!isolated.contains(request.cpus)) {
        plan.impossible = isolated.empty() ? "no CPUs were isolated at boot (isolcpus)"
                                           : "only CPUs " + isolated.to_string() +
                                                 " were isolated at boot (isolcpus)";
    } else {
        plan.impossible = not_from_here(request);
    }
    return plan;
}

exclusive_plan partition_plan(const plan_request& request, exclusivity level, bool at_top) {
    const group_tree& tree = request.machine.v2;
    const std::string type = level == exclusivity::root_partition ? "root" : "isolated";
    const std::string parent = at_top ? tree.top : tree.own;
    exclusive_plan plan;
    plan.level = level;
    plan.way = "a partition of type '" + type + "' below the group " + parent;
    if (!tree) {
        plan.impossible = request.machine.v1 ? "the cpuset controller belongs to control groups of "
                                               "version 1 here, which have no partitions"
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
    plan.tree = tree;
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
    // Below a group that is not a partition, every group on the path must grant the CPUs.
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
    plan.steps.push_back(group_step(plan.group, plan.tree.own, plan.member));
    if (!at_top) {
        plan.steps.push_back(file_step(plan.group + "/cgroup.type", "threaded"));
    }
    plan.steps.push_back(file_step(plan.group + "/cpuset.cpus", list));
    exclusive_step exclusive = file_step(plan.group + "/cpuset.cpus.exclusive", list);
    exclusive.optional = is_local; // Older kernels lack this file.
    plan.steps.push_back(std::move(exclusive));
    plan.steps.push_back(file_step(plan.group + "/cpuset.cpus.partition", type, "member"));
    return plan;
}

exclusive_plan sweep_plan(const plan_request& request) {
    exclusive_plan plan;
    plan.level = exclusivity::swept;
    plan.way = "move every other task off once, by its affinity";
    if (!request.options.move_others) {
        plan.impossible = "other programs' tasks would be moved, which was not allowed";
        return plan;
    }
    plan.impossible = not_from_here(request);
    plan.steps.push_back(masks_step(step_kind::narrow_masks, request));
    return plan;
}

exclusive_plan soft_plan(const plan_request& request) {
    exclusive_plan plan;
    plan.way = "pin to the CPUs, where all other tasks may run, too";
    plan.impossible = not_from_here(request);
    return plan;
}

} // namespace regatta::detail
