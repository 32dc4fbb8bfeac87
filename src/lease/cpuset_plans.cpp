// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// The plans for cpusets of control groups of version 1.

#include "lease/plan_steps.hpp"

#include "lease/exclusive_cpu_file.hpp"
#include "lease/exclusive_machine.hpp"
#include "lease/exclusive_plan.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/exclusive_tasks.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace regatta::detail {
namespace {

/// The groups of version 1 that must give up CPUs, the innermost first.
std::vector<std::string> overlapping_groups(const plan_request& request) {
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

/// The common beginning of both plans with cpusets of version 1.
exclusive_plan cpuset_plan(const plan_request& request, std::string way) {
    const group_tree& tree = request.machine.v1;
    exclusive_plan plan;
    plan.level = exclusivity::shielded;
    plan.way = std::move(way);
    if (!tree) {
        plan.impossible = "there are no control groups of version 1 with cpusets";
        return plan;
    }
    plan.group = tree.top + "/" + request.name;
    plan.tree = tree;
    plan.member = "tasks";
    plan.steps.push_back(masks_step(step_kind::save_masks, request));
    return plan;
}

/// The CPUs of the top cpuset of version 1 that no group holds.
cpu_set cpus_of_nobody(const plan_request& request) {
    cpu_set free =
        read_cpus(request.system, request.machine.v1.top + "/cpuset.cpus").value_or(cpu_set());
    for (const held_cpus& one : request.machine.held) {
        free -= one.cpus;
    }
    return free;
}

/// Gives a new cpuset all memory nodes, and these CPUs.
void fill_cpuset(exclusive_plan& plan, const plan_request& request, const std::string& group,
                 const cpu_set& cpus) {
    const auto mems = request.system.read(request.machine.v1.top + "/cpuset.mems");
    plan.steps.push_back(
        file_step(group + "/cpuset.mems", std::string(mems ? trimmed(*mems) : "")));
    plan.steps.push_back(file_step(group + "/cpuset.cpus", cpus.to_string()));
}

/// Moves a process to the group `aside`, with a step for each group that its threads are in now.
/// The first step is that of its first thread: undone last, it also takes the threads started
/// meanwhile.
void move_aside(exclusive_plan& plan, const plan_request& request, const std::string& aside,
                int process) {
    exclusive_step move;
    move.kind = step_kind::move_process;
    move.path = "/proc/" + std::to_string(process);
    move.target = aside;
    move.member = plan.member;
    std::vector<exclusive_step> moves;
    const auto add = [&](int thread) {
        if (const auto task = read_task(request.system, process, thread)) {
            std::string group = plan.group_of(request.system, process, thread);
            auto found = std::find_if(moves.begin(), moves.end(),
                                      [&](const auto& one) { return one.before == group; });
            if (found == moves.end()) {
                found = moves.insert(moves.end(), move);
                found->before = std::move(group);
            }
            found->masks.push_back(*task);
        }
    };
    add(process);
    for (const std::string& name : request.system.list(move.path + "/task")) {
        if (const int thread = static_cast<int>(to_number(name).value_or(0)); thread != process) {
            add(thread);
        }
    }
    if (moves.empty()) {
        moves.push_back(std::move(move)); // Its failure says why, unless the process has ended.
    }
    std::move(moves.begin(), moves.end(), std::back_inserter(plan.steps));
}

/// The cpuset of the lease itself: the common end of both plans.
void make_lease_cpuset(exclusive_plan& plan, const plan_request& request,
                       const std::string& target) {
    plan.steps.push_back(group_step(plan.group, target, plan.member));
    fill_cpuset(plan, request, plan.group, request.cpus);
    // Fails if the top is not an exclusive cpuset itself, as in a container.
    plan.steps.push_back(as_optional(file_step(plan.group + "/cpuset.cpu_exclusive", "1")));
}

} // namespace

exclusive_plan shield_plan(const plan_request& request) {
    exclusive_plan plan =
        cpuset_plan(request, "a cpuset of version 1 for the lease, and one for all other tasks");
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
                          "journal, perhaps those of another container, and ends with them";
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
    make_lease_cpuset(plan, request, plan.tree.own == top ? plan.others : plan.tree.own);
    return plan;
}

exclusive_plan yielding_plan(const plan_request& request) {
    exclusive_plan plan = cpuset_plan(
        request,
        "a cpuset of version 1 for the lease, and one for this program's yielding processes");
    if (!plan.impossible.empty()) {
        return plan;
    }
    const std::string aside = plan.group + std::string(yielding_suffix);
    plan.steps.push_back(group_step(aside, plan.tree.own, plan.member));
    fill_cpuset(plan, request, aside, cpus_of_nobody(request) - request.cpus);
    for (const int process : request.options.yielding) {
        move_aside(plan, request, aside, process);
    }
    make_lease_cpuset(plan, request, plan.tree.own);
    return plan;
}

} // namespace regatta::detail
