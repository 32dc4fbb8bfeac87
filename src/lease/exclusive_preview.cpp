// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/lease/exclusive_cpus.hpp>

#include "lease/exclusive_machine.hpp"
#include "lease/exclusive_plan.hpp"
#include "lease/exclusive_request.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/lease_record.hpp"
#include "lease/step_rules.hpp"
#include <regatta/cpu/cpu_set.hpp>

#include <string>
#include <utility>
#include <vector>

namespace regatta {
namespace {

void add_words(std::vector<std::string>& words, const std::vector<detail::exclusive_step>& steps) {
    for (const detail::exclusive_step& step : steps) {
        words.push_back(describe(step));
    }
}

} // namespace

exclusive_preview preview_exclusive(const cpu_set& cpus, const exclusive_options& options,
                                    const std::string& root) {
    detail::exclusive_system system(root);
    const detail::exclusive_machine machine = detail::read_machine(system);
    const auto leases = detail::read_leases(system);
    const detail::free_cpus state = detail::find_free_cpus(system, machine, leases, options);
    exclusive_preview preview;
    preview.notes = detail::unread_leases(system, leases);
    // The /proc of another machine numbers other processes in any case.
    exclusive_error error = root.empty() ? detail::check_proc(system) : exclusive_error();
    if (!error) {
        error = detail::check_online(system, machine);
    }
    preview.refused = error ? error.text : detail::check_request(cpus, machine, state).text;
    const detail::plan_request request{system,
                                       machine,
                                       cpus,
                                       options,
                                       detail::group_name("lease.NAME"),
                                       detail::has_foreign_shield(system, machine, leases),
                                       detail::cpus_for_others(cpus, machine, state)};
    for (detail::exclusive_plan& plan : detail::make_plans(request)) {
        std::vector<std::string> steps;
        add_words(steps, plan.steps);
        add_words(steps, detail::quiet_steps(request, plan.level));
        preview.ways.push_back(
            {plan.level, std::move(plan.way), std::move(plan.impossible), std::move(steps)});
    }
    return preview;
}

} // namespace regatta
