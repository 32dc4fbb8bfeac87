// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/exclusive_entry.hpp"

#include "lease/exclusive_masks.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_tasks.hpp"
#include "lease/lease_state.hpp"
#include "lease/step_rules.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <cerrno>
#include <iterator>
#include <string>
#include <utility>

namespace regatta::detail {
namespace {

/// The group that a leaving thread goes to: its old group, or the group of all other tasks if these
/// were moved out of its old group.
std::string way_out(const exclusive_plan& plan) {
    const bool from_top =
        !plan.others.empty() && plan.others.substr(0, plan.others.rfind('/')) == plan.home;
    return from_top ? plan.others : plan.home;
}

/// The mask that an entering thread would have without the lease, as far as known. The lease may
/// have narrowed it; the masks that it narrowed are recorded.
cpu_set mask_without_lease(const lease_state& lease, const task_mask& now) {
    for (const exclusive_step& step : lease.done) {
        for (const task_mask& saved : step.masks) {
            if (saved.thread == now.thread && saved.start == now.start) {
                return saved.allowed;
            }
        }
    }
    const bool narrowed =
        lease.plan.level != exclusivity::soft && lease.plan.level != exclusivity::isolated_at_boot;
    return narrowed && now.allowed.contains(lease.rest) ? now.allowed | lease.cpus : now.allowed;
}

/// Records the state of an entering thread, to be restored even if this process dies first.
step_error note_entry(lease_state& lease, const task_mask& before) {
    if (!lease.journal.is_open() || is_noted(lease.done, before)) {
        return {};
    }
    exclusive_step saved;
    saved.kind = step_kind::save_masks;
    saved.cpus = lease.cpus;
    saved.rest = lease.rest;
    saved.masks = {before};
    if (const int error = lease.journal.step(saved)) {
        return act_failed(error, "write the journal");
    }
    lease.done.insert(lease.done.begin(), std::move(saved)); // Undone after all other steps.
    return {};
}

} // namespace

void put_thread_out(lease_state& lease, const entered_task& task) {
    exclusive_system& system = *lease.system;
    const task_mask& before = task.before;
    const auto now = read_task(system, before.process, before.thread);
    if (!now || now->start != before.start) {
        return; // It has ended, and its number may belong to another thread.
    }
    const exclusivity level = lease.plan.level;
    if (level == exclusivity::soft || level == exclusivity::isolated_at_boot) {
        system.set_affinity(before.thread, before.allowed);
        return;
    }
    if (lease.plan.group.empty()) {
        const cpu_set left = before.allowed - lease.cpus; // As for all other tasks, until the end.
        system.set_affinity(before.thread, left.empty() ? lease.rest : left);
        return;
    }
    system.write(way_out(lease.plan) + "/" + lease.plan.member, std::to_string(before.thread));
    const auto moved = read_task_mask(system, before.process, before.thread);
    // A thread that only its group restricts gets no mask: a mask would outlast the group.
    if (task.pinned || (moved && !(*moved & lease.cpus).empty())) {
        system.set_affinity(before.thread, before.allowed);
    }
}

step_error put_thread_in(lease_state& lease, int thread, bool alone) {
    exclusive_system& system = *lease.system;
    if (const auto found = lease.entered.find(thread); found != lease.entered.end()) {
        const task_mask& known = found->second.before;
        const auto now = read_task(system, known.process, thread);
        if (now && now->start == known.start) {
            return {};
        }
        lease.entered.erase(found);
    }
    const int process = process_of_thread(system, thread);
    const auto found = read_task(system, process, thread);
    if (!found) {
        return act_failed(ESRCH, "find the thread " + std::to_string(thread));
    }
    entered_task task{*found};
    task.before.allowed = mask_without_lease(lease, *found);
    if (auto error = note_entry(lease, task.before)) {
        return error;
    }
    const std::string what =
        "move the thread " + std::to_string(thread) + " to CPUs " + lease.cpus.to_string();
    const bool whole_process = lease.plan.member == "cgroup.procs";
    if (!lease.plan.group.empty()) {
        const int error = system.write(lease.plan.group + "/" + lease.plan.member,
                                       std::to_string(whole_process ? process : thread));
        if (error != 0) {
            return act_failed(error, what);
        }
    }
    cpu_set target = lease.cpus;
    if (alone && !whole_process) {
        auto cpu = lease.cpus.begin();
        std::advance(cpu, lease.next++ % lease.cpus.count());
        target = cpu_set{*cpu};
    }
    // A thread that its group alone puts on the target needs no mask.
    task.pinned = !whole_process && read_task_mask(system, process, thread) != target;
    if (task.pinned) {
        if (const int error = system.set_affinity(thread, target)) {
            put_thread_out(lease, task);
            return act_failed(error, what);
        }
    }
    lease.entered.emplace(thread, std::move(task));
    return {};
}

} // namespace regatta::detail
