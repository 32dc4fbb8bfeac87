// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/exclusive_entry.hpp"

#include "lease/exclusive_cpu_file.hpp"
#include "lease/exclusive_journal.hpp"
#include "lease/exclusive_masks.hpp"
#include "lease/exclusive_plan.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_tasks.hpp"
#include "lease/lease_record.hpp"
#include "lease/lease_state.hpp"
#include "lease/step_rules.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::detail {
namespace {

/// Whether a thread takes its whole process along.
bool takes_processes(const exclusive_plan& plan) {
    return plan.member == "cgroup.procs";
}

bool only_pins(const lease_state& lease) {
    return lease.plan.level == exclusivity::soft ||
           lease.plan.level == exclusivity::isolated_at_boot;
}

/// The group that a thread leaves to: its old group, or the group of all other tasks if these were
/// moved out of its old group.
const std::string& way_out(const exclusive_plan& plan, const std::string& group) {
    return !plan.others.empty() && group == plan.tree.top ? plan.others : group;
}

std::vector<exclusive_step> steps_of_others(const lease_state& lease) {
    return steps_of_others(*lease.system, lease.journal.name());
}

/// Whether leases have made the mask of a task of its saved one.
bool is_narrowed(const lease_state& lease, const std::vector<exclusive_step>& of_others,
                 const cpu_set& saved, const cpu_set& now) {
    exclusive_step own;
    own.cpus = lease.cpus;
    own.rest = lease.rest;
    return is_made_of(*lease.system, own, {}, saved, now) ||
           is_made_of(*lease.system, own, of_others, saved, now);
}

/// The mask that an entering thread would have without any lease, as far as known. This lease may
/// have narrowed it; the masks that it narrowed are recorded. So may others.
cpu_set mask_without_leases(const lease_state& lease, const std::vector<exclusive_step>& of_others,
                            const task_mask& now) {
    const bool pins = only_pins(lease);
    if (const task_mask* const saved = pins ? nullptr : find_mask(lease.done, now)) {
        return is_narrowed(lease, of_others, saved->allowed, now.allowed) ? saved->allowed
                                                                          : now.allowed;
    }
    const cpu_set taken = cpus_of(of_others) | (pins ? cpu_set() : lease.cpus);
    const cpu_set free = (lease.rest | lease.cpus) - taken;
    if (free.empty() || !now.allowed.contains(free)) {
        return now.allowed; // It is pinned.
    }
    // One that another lease has recorded may have been pinned, too, to CPUs that are all free.
    const task_mask* const saved = find_mask(of_others, now);
    return saved == nullptr                                ? now.allowed | taken
           : saved->allowed - taken == now.allowed - taken ? saved->allowed
                                                           : now.allowed;
}

/// Records the group of an entering thread, to be restored even if this process dies first.
step_error note_group(lease_state& lease, const entered_task& task) {
    if (!lease.journal.is_open() || task.group.empty() || task.group == lease.plan.tree.own) {
        return {}; // The end of the lease's group moves its threads there.
    }
    exclusive_step entry;
    entry.kind = step_kind::move_process;
    entry.path = task_folder(task.before.process, task.before.thread);
    entry.target = lease.plan.group;
    entry.member = lease.plan.member;
    entry.before = way_out(lease.plan, task.group);
    entry.masks = {task.before};
    const auto last = std::find_if(lease.done.rbegin(), lease.done.rend(), [&](const auto& step) {
        return step.path == entry.path &&
               is_same_start(step.masks.front().start, task.before.start);
    });
    if (last != lease.done.rend() && last->before == entry.before) {
        return {}; // It was there before its last entry, too.
    }
    if (const int error = lease.journal.step(entry)) {
        return act_failed(error, "write the journal");
    }
    lease.done.push_back(std::move(entry)); // Undone before the lease's group is removed.
    return {};
}

/// Records the mask of an entering thread likewise.
step_error note_mask(lease_state& lease, const task_mask& before) {
    // That the lease has narrowed it tells nobody that the thread has entered.
    const task_mask* const noted = find_mask(lease.done, before, mask_records::of_entries);
    if (!lease.journal.is_open() || (noted != nullptr && noted->allowed == before.allowed)) {
        return {};
    }
    exclusive_step saved;
    saved.kind = step_kind::save_masks;
    saved.cpus = lease.cpus;
    saved.rest = lease.rest;
    saved.text = only_pins(lease) ? pins_only : std::string_view();
    saved.masks = {before};
    if (const int error = lease.journal.step(saved)) {
        return act_failed(error, "write the journal");
    }
    replace_mask(lease.done, before);
    lease.done.insert(lease.done.begin(), std::move(saved)); // Undone after all other steps.
    return {};
}

/// Whether a thread, once seen, needs nothing restored.
bool has_ended(exclusive_system& system, const task_mask& known) {
    const auto now = read_task_details(system, known.process, known.thread);
    return now ? !is_same_start(now->start, known.start) || now->has_ended
               : is_task_gone(system, known.process, known.thread);
}

void forget_ended_entries(lease_state& lease) {
    std::erase_if(lease.entered,
                  [&](const auto& one) { return has_ended(*lease.system, one.second.before); });
}

/// Drops the records of threads that have ended, from time to time: a lease may see any number of
/// threads. Failure: the records stay until the next time.
void drop_ended(lease_state& lease) {
    const auto size = [&] { return lease.done.size() + lease.entered.size(); };
    if (size() < lease.tidy_at) {
        return;
    }
    forget_ended_entries(lease);
    const auto is_of_threads = [](const exclusive_step& step) {
        return step.kind == step_kind::save_masks || step.kind == step_kind::move_process;
    };
    std::set<std::pair<int, std::uint64_t>> ended;
    for (const exclusive_step& step : lease.done) {
        for (const task_mask& saved : step.masks) {
            if (is_of_threads(step) && has_ended(*lease.system, saved)) {
                ended.insert({saved.thread, saved.start});
            }
        }
    }
    const auto is_over = [&](const exclusive_step& step) {
        return is_of_threads(step) && !step.masks.empty() &&
               std::all_of(step.masks.begin(), step.masks.end(), [&](const task_mask& saved) {
                   return ended.contains({saved.thread, saved.start});
               });
    };
    if (lease.journal.is_open() && lease.journal.drop(is_over) == 0) {
        std::erase_if(lease.done, is_over);
    }
    lease.tidy_at = std::max(lease.tidy_at, 2 * size());
}

/// How many of the threads that have entered got each CPU of the lease, as far as they got one.
std::map<unsigned, std::size_t> threads_by_cpu(const lease_state& lease) {
    std::map<unsigned, std::size_t> threads;
    for (const unsigned cpu : lease.cpus) {
        threads[cpu] = 0;
    }
    for (const auto& [number, task] : lease.entered) {
        if (task.cpu) {
            ++threads[*task.cpu];
        }
    }
    return threads;
}

/// The CPU for a thread that gets one: of those with the fewest threads the next in turn. Looks for
/// threads that have ended only where no CPU is without any.
unsigned cpu_in_turn(lease_state& lease) {
    auto threads = threads_by_cpu(lease);
    const auto is_taken = [](const auto& one) { return one.second > 0; };
    if (std::all_of(threads.begin(), threads.end(), is_taken)) {
        forget_ended_entries(lease);
        threads = threads_by_cpu(lease);
    }
    std::vector<unsigned> turn(lease.cpus.begin(), lease.cpus.end());
    std::rotate(turn.begin(), turn.begin() + lease.next++ % turn.size(), turn.end());
    return *std::min_element(turn.begin(), turn.end(),
                             [&](unsigned a, unsigned b) { return threads[a] < threads[b]; });
}

} // namespace

void put_thread_out(lease_state& lease, const entered_task& task) {
    exclusive_system& system = *lease.system;
    task_mask before = task.before;
    before.allowed = beside_others(before.allowed, steps_of_others(lease));
    const auto now = read_task(system, before.process, before.thread);
    if (!now || !is_same_start(now->start, before.start)) {
        return; // It has ended, and its number may belong to another thread.
    }
    if (lease.plan.group.empty()) {
        // Otherwise somebody has pinned it elsewhere since, perhaps another lease; unless the
        // kernel did, as the CPUs went offline.
        const auto online = online_cpus(system);
        const bool offline = online && (lease.cpus & *online).empty();
        if (!(now->allowed & lease.cpus).empty() ||
            (offline && now->allowed.contains(lease.rest & *online))) {
            // Swept CPUs it may not use before the end, as all other tasks.
            const cpu_set left = only_pins(lease) ? before.allowed : before.allowed - lease.cpus;
            system.set_affinity(before.thread, left.empty() ? lease.rest : left);
        }
        return;
    }
    const exclusive_plan& plan = lease.plan;
    const std::string group = plan.group_of(system, before.process, before.thread);
    // A group of version 1 whose CPUs all went offline has none afterwards, and no tasks.
    const bool emptied =
        group == plan.tree.top && read_cpus(system, plan.group + "/cpuset.cpus") == cpu_set();
    // Another thread of its process has taken it out again.
    const bool along = takes_processes(plan) && group == way_out(plan, task.group);
    if (!group.empty() && group != plan.group && !emptied && !along) {
        return; // Somebody has moved it since.
    }
    const std::string number = std::to_string(before.thread);
    if (system.write(way_out(plan, task.group) + "/" + plan.member, number) != 0) {
        system.write(way_out(plan, plan.tree.own) + "/" + plan.member, number); // It is gone.
    }
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
        if (now && is_same_start(now->start, known.start)) {
            return {};
        }
        lease.entered.erase(found);
    }
    drop_ended(lease);
    const int process = process_of_thread(system, thread);
    const auto found = read_task(system, process, thread);
    if (!found) {
        return act_failed(ESRCH, "find the thread " + std::to_string(thread));
    }
    entered_task task{*found};
    const std::vector<exclusive_step> of_others = steps_of_others(lease);
    task.before.allowed = mask_without_leases(lease, of_others, *found);
    const bool whole_process = takes_processes(lease.plan);
    if (!lease.plan.group.empty()) {
        task.group = lease.plan.group_of(system, process, thread);
    }
    const bool taken_along = whole_process && task.group == lease.plan.group;
    if (taken_along) { // What was pinned was noted before. The first thread may have ended.
        const auto first =
            std::find_if(lease.entered.begin(), lease.entered.end(),
                         [&](const auto& one) { return one.second.before.process == process; });
        task.group = first != lease.entered.end() ? first->second.group : lease.plan.tree.own;
        if (find_mask(lease.done, *found) == nullptr) {
            task.before.allowed = lease.cpus | lease.rest | cpus_of(of_others);
        }
    }
    if (auto error = note_mask(lease, task.before)) {
        return error;
    }
    if (auto error = note_group(lease, task)) {
        return error;
    }
    const auto refused = [&](int number, const cpu_set& cpus) {
        const auto online = online_cpus(system);
        const cpu_set off = online ? cpus - *online : cpu_set();
        step_error error = act_failed(number, "move the thread " + std::to_string(thread) +
                                                  " to CPUs " + cpus.to_string());
        error.text += off.empty() ? "" : "; CPUs " + off.to_string() + " are offline";
        return error;
    };
    lease_lock moves(system);
    if (!lease.plan.group.empty()) {
        moves.take_to_move();
        const int error = system.write(lease.plan.group + "/" + lease.plan.member,
                                       std::to_string(whole_process ? process : thread));
        if (error != 0) {
            return refused(error, lease.cpus);
        }
    }
    cpu_set target = lease.cpus;
    if (alone) {
        task.cpu = cpu_in_turn(lease);
        target = cpu_set{*task.cpu};
    }
    // A thread that its group alone puts on the target needs no mask.
    task.pinned = (alone || !whole_process) && read_task_mask(system, process, thread) != target;
    if (task.pinned) {
        if (const int error = system.set_affinity(thread, target)) {
            if (!taken_along) {
                put_thread_out(lease, task);
            }
            return refused(error, target);
        }
    }
    lease.entered.emplace(thread, std::move(task));
    return {};
}

} // namespace regatta::detail
