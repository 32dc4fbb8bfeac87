// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How threads get onto the CPUs of a lease and off again.

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/exclusive_acquire.hpp>
#include <regatta/cpu/exclusive_actions.hpp>
#include <regatta/cpu/exclusive_level.hpp>
#include <regatta/cpu/exclusive_masks.hpp>
#include <regatta/cpu/exclusive_step.hpp>
#include <regatta/cpu/exclusive_tasks.hpp>

#include <cerrno>
#include <iterator>
#include <string>

namespace regatta::detail {

/// Where a thread goes that leaves: its old group, or that of everybody else if all tasks of its
/// old group are there meanwhile.
inline std::string way_out(const exclusive_plan& plan) {
    const bool from_top =
        !plan.others.empty() && plan.others.substr(0, plan.others.rfind('/')) == plan.home;
    return from_top ? plan.others : plan.home;
}

/// The mask that a thread which enters would have without the lease, as far as can be known: the
/// lease may have narrowed it, and which of them it did was noted.
inline cpu_set mask_without_lease(const lease_state& lease, const task_mask& now) {
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

/// Moves a thread out, and gives it the mask that it had.
inline void put_thread_out(lease_state& lease, const task_mask& before) {
    exclusive_system& system = *lease.system;
    const auto now = read_task(system, before.process, before.thread);
    if (!now || now->start != before.start) {
        return; // It has ended, and its number may be another's.
    }
    cpu_set mask = before.allowed;
    if (!lease.plan.group.empty()) {
        system.write(way_out(lease.plan) + "/" + lease.plan.member, std::to_string(before.thread));
    } else if (lease.plan.level == exclusivity::swept && !(mask - lease.cpus).empty()) {
        mask -= lease.cpus; // As everybody else, until the end of the lease.
    }
    const auto moved = read_task_mask(system, before.process, before.thread);
    // Whom the group alone restricts is left alone: a mask of its own would outlast the group.
    if (moved != mask && (!moved || lease.plan.group.empty() || *moved != (mask - lease.cpus))) {
        system.set_affinity(before.thread, mask);
    }
}

/// Moves a thread in; where groups take whole processes, `thread` is the number of one. Under the
/// lease's mutex. @param alone it gets one CPU for itself, in turn.
inline step_error put_thread_in(lease_state& lease, int thread, bool alone) {
    exclusive_system& system = *lease.system;
    if (const auto found = lease.entered.find(thread); found != lease.entered.end()) {
        const auto now = read_task(system, found->second.process, thread);
        if (now && now->start == found->second.start) {
            return {};
        }
        lease.entered.erase(found);
    }
    const int process = process_of_thread(system, thread);
    auto before = read_task(system, process, thread);
    if (!before) {
        return act_failed(ESRCH, "find the thread " + std::to_string(thread));
    }
    before->allowed = mask_without_lease(lease, *before);
    if (lease.journal.is_open()) {
        exclusive_step saved;
        saved.kind = step_kind::save_masks;
        saved.cpus = lease.cpus;
        saved.rest = lease.rest;
        saved.masks = {*before};
        if (const int error = lease.journal.step(saved)) {
            return act_failed(error, "write the journal");
        }
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
    // Whom the group alone puts there needs no mask of its own, which would outlast the group.
    const auto moved = read_task_mask(system, process, thread);
    const int error = whole_process || moved == target ? 0 : system.set_affinity(thread, target);
    if (error != 0) {
        put_thread_out(lease, *before);
        return act_failed(error, what);
    }
    lease.entered.emplace(thread, *before);
    return {};
}

} // namespace regatta::detail
