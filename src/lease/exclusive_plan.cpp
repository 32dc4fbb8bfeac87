// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/exclusive_plan.hpp"

#include "lease/exclusive_cpu_file.hpp"
#include "lease/exclusive_machine.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/exclusive_tasks.hpp"
#include "lease/plan_steps.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <string>
#include <utility>
#include <vector>

namespace regatta::detail {

std::string exclusive_plan::group_of(exclusive_system& system, int process, int thread) const {
    return tree.group_of(system, task_folder(process, thread) + "/cgroup", member != "tasks");
}

std::vector<exclusive_step> quiet_steps(const plan_request& request, exclusivity level) {
    std::vector<std::string> files;
    std::string interrupts;
    if (request.options.move_interrupts) {
        files.emplace_back(default_interrupts);
        for (const std::string& number : request.system.list_folders("/proc/irq")) {
            files.push_back("/proc/irq/" + number + "/smp_affinity_list");
            interrupts += (interrupts.empty() ? "" : " ") + number;
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
            steps.back().rest = request.rest;
            steps.back().text = file == default_interrupts ? interrupts : std::string();
        }
    }
    return steps;
}

std::vector<exclusive_plan> make_plans(const plan_request& request) {
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
    plans.push_back(soft_plan(request));
    return plans;
}

} // namespace regatta::detail
