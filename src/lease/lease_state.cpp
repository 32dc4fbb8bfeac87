// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/lease_state.hpp"

#include "lease/exclusive_cpu_file.hpp"
#include "lease/exclusive_journal.hpp"
#include "lease/exclusive_masks.hpp"
#include "lease/exclusive_plan.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/lease_record.hpp"
#include "lease/stale_leases.hpp"
#include "lease/step_rules.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::detail {
namespace {

/// Why the group of all other tasks no longer keeps them out; empty if it does.
std::string find_open_shield(exclusive_system& system, const exclusive_plan& plan,
                             const cpu_set& cpus) {
    if (plan.others.empty()) {
        return {};
    }
    const std::string name = "the group " + plan.others + " of all other tasks ";
    const auto others = read_cpus(system, plan.others + "/cpuset.cpus");
    if (!others) {
        return name + "is gone";
    }
    const cpu_set both = *others & cpus;
    return both.empty() ? std::string() : name + "has CPUs '" + both.to_string() + "'";
}

/// Why a partition is invalid, or has other CPUs; empty if it is as requested.
std::string find_invalid_partition(exclusive_system& system, const exclusive_plan& plan,
                                   const cpu_set& cpus) {
    const auto state = system.read(plan.group + "/cpuset.cpus.partition");
    const std::string text(state ? trimmed(*state) : std::string_view("nothing"));
    if (text != (plan.level == exclusivity::root_partition ? "root" : "isolated")) {
        return plan.group + "/cpuset.cpus.partition reads '" + text + "'";
    }
    const auto effective = read_cpus(system, plan.group + "/cpuset.cpus.effective");
    if (effective && *effective != cpus) {
        return "of CPUs '" + cpus.to_string() + "' only '" + effective->to_string() +
               "' are in effect";
    }
    return {};
}

/// Undoes the steps from index `begin` on; adds to `failed` what cannot be undone.
void undo_from(lease_state& lease, std::size_t begin, step_error& failed,
               std::vector<std::string>& notes) {
    const std::vector<exclusive_step> undo(lease.done.begin() + static_cast<std::ptrdiff_t>(begin),
                                           lease.done.end());
    const auto problems = undo_steps(*lease.system, lease.journal.name(), undo, notes);
    if (problems.empty()) {
        lease.done.resize(begin);
        if (begin == 0 && !undo.empty()) {
            lease.journal.undone();
        }
    }
    for (const std::string& problem : problems) {
        failed.text += "; and then " + problem;
    }
}

} // namespace

std::string find_breach(exclusive_system& system, const exclusive_plan& plan, const cpu_set& cpus) {
    const auto online = online_cpus(system);
    if (online && !online->contains(cpus)) {
        return "CPUs " + (cpus - *online).to_string() + " went offline";
    }
    if (plan.group.empty()) {
        return {};
    }
    const auto given = read_cpus(system, plan.group + "/cpuset.cpus");
    if (given != cpus) {
        return "the group " + plan.group + " has CPUs '" + (given ? given->to_string() : "") +
               "' instead of '" + cpus.to_string() + "'";
    }
    return plan.level == exclusivity::shielded ? find_open_shield(system, plan, cpus)
                                               : find_invalid_partition(system, plan, cpus);
}

step_error apply_plan(lease_state& lease, const exclusive_plan& plan,
                      std::vector<std::string>& notes) {
    const std::size_t begin = lease.done.size();
    const auto of_others = steps_of_others(*lease.system, lease.journal.name());
    step_context context{*lease.system, of_others,
                         [&](const exclusive_step& step) {
                             const int error = lease.journal.step(step);
                             if (error == 0) {
                                 lease.done.push_back(step);
                             }
                             return error;
                         },
                         [&] {
                             lease.done.pop_back();
                             return lease.journal.not_done();
                         },
                         notes};
    step_error failed;
    for (const exclusive_step& step : plan.steps) {
        failed = apply_step(context, step);
        if (failed) {
            break;
        }
    }
    if (!failed) {
        if (std::string breach = find_breach(*lease.system, plan, lease.cpus); !breach.empty()) {
            failed = {EBUSY, std::move(breach)};
        }
    }
    if (!failed && !plan.group.empty()) {
        pin_again(*lease.system, lease.done, of_others);
    }
    if (failed) {
        undo_from(lease, begin, failed, notes);
    }
    return failed;
}

std::vector<std::string> end_lease(lease_state& lease) {
    std::vector<std::string> notes;
    auto problems = undo_steps(*lease.system, lease.journal.name(), lease.done, notes);
    if (problems.empty()) {
        lease.done.clear();
        const std::string file = lease.journal.path();
        if (const int error = lease.journal.end()) {
            lease.journal.undone();
            problems.push_back(act_failed(error, "remove " + file).text);
        }
    }
    return problems;
}

bool undo_or_give_up(lease_state& lease, bool has_lock) noexcept {
    try {
        if (has_lock && end_lease(lease).empty()) {
            return true;
        }
    } catch (const std::exception&) { // Again no memory.
    }
    try {
        if (lease.journal.is_open()) {
            lease.journal.give_up();
        }
    } catch (const std::exception&) { // Then the end of this process makes it stale.
    }
    return false;
}

} // namespace regatta::detail
