// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a lease of CPUs comes about and ends: plan, apply, verify, undo.

#include "lease/exclusive_actions.hpp"
#include "lease/exclusive_journal.hpp"
#include "lease/exclusive_machine.hpp"
#include "lease/exclusive_plan.hpp"
#include "lease/exclusive_request.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/topology.hpp>
#include <regatta/lease/exclusive_leases.hpp>
#include <regatta/lease/exclusive_level.hpp>
#include <regatta/lease/exclusive_options.hpp>

#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace regatta::detail {

/// A thread that is on the CPUs of a lease.
struct entered_task {
    task_mask before{};  ///< With the mask that it would have without the lease.
    bool pinned = false; ///< It was given a mask of its own there.
};

/// Everything that belongs to a lease.
struct lease_state {
    std::shared_ptr<exclusive_system> system;
    exclusive_options options;
    cpu_set cpus;
    cpu_set rest;
    exclusive_plan plan;
    lease_journal journal;
    int owner = 0;                       ///< The process; a fork of it owns nothing.
    std::vector<exclusive_step> done;    ///< What is to be undone, last first.
    std::vector<std::string> sentences;  ///< What was obtained, and what could not be had.
    std::mutex mutex;                    ///< For the members below.
    std::map<int, entered_task> entered; ///< By thread.
    unsigned next = 0;                   ///< Whose turn it is among the CPUs.
};

/// Why a lease is no longer what it was; empty if it is.
inline std::string find_breach(exclusive_system& system, const exclusive_plan& plan,
                               const cpu_set& cpus) {
    const auto online = read_cpus(system, "/sys/devices/system/cpu/online");
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
    if (plan.level == exclusivity::shielded) {
        if (plan.others.empty()) {
            return {};
        }
        const std::string name = "the group " + plan.others + " of everybody else ";
        const auto others = read_cpus(system, plan.others + "/cpuset.cpus");
        if (!others) {
            return name + "is gone";
        }
        const cpu_set both = *others & cpus;
        return both.empty() ? std::string() : name + "has CPUs '" + both.to_string() + "'";
    }
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

/// Does the steps of a plan; where one fails, all before it are undone.
inline step_error apply_plan(lease_state& lease, const exclusive_plan& plan,
                             std::vector<std::string>& notes) {
    const std::size_t begin = lease.done.size();
    const auto of_others =
        steps_of_others(*lease.system, lease.options.journal, lease.journal.name());
    step_context context{*lease.system, of_others,
                         [&](const exclusive_step& step) {
                             const int error = lease.journal.step(step);
                             if (error == 0) {
                                 lease.done.push_back(step);
                             }
                             return error;
                         },
                         [&] {
                             lease.journal.not_done();
                             lease.done.pop_back();
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
        const std::vector<exclusive_step> undo(
            lease.done.begin() + static_cast<std::ptrdiff_t>(begin), lease.done.end());
        const auto problems =
            undo_steps(*lease.system, lease.options.journal, lease.journal.name(), undo, notes);
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
    return failed;
}

/// What a level means for who holds it.
inline std::string meaning_of(exclusivity level) {
    switch (level) {
    case exclusivity::soft:
        return "Nobody is kept out: every other task may run there, too.";
    case exclusivity::swept:
        return "Other tasks were taken off once; one that sets its own affinity comes back.";
    case exclusivity::shielded:
        return "Every task that can be moved is kept out; kernel threads may run there.";
    case exclusivity::root_partition:
        return "No other group gets them; the scheduler spreads the load over them.";
    case exclusivity::isolated_partition:
    case exclusivity::isolated_at_boot:
        return "The scheduler leaves each thread there on the CPU where it is.";
    }
    return {};
}

/// Fills in what people should know of a lease that was obtained.
inline void explain_lease(lease_state& lease, const topology& layout) {
    std::vector<std::string>& sentences = lease.sentences;
    std::string first = "CPUs " + lease.cpus.to_string() + ": " +
                        std::string(to_string(lease.plan.level)) + " (" + lease.plan.way + ").";
    // Only who was to yield was moved then.
    const bool aside = lease.plan.level == exclusivity::shielded && !lease.options.move_others;
    sentences.insert(sentences.begin(),
                     {std::move(first),
                      aside ? "Processes of this program that yield are kept out; everybody else "
                              "stays, since moving other programs' tasks was not allowed."
                            : meaning_of(lease.plan.level)});
    const bool moves = lease.plan.level == exclusivity::shielded && !aside;
    if ((moves || lease.plan.level == exclusivity::swept) && !lease.system->sees_all_processes()) {
        sentences.push_back("Processes outside of this container cannot be seen, and stay where "
                            "they are.");
    }
    for (const cpu_core& core : layout.split_cores(lease.cpus)) {
        sentences.push_back("CPUs " + (core.cpus & lease.cpus).to_string() +
                            " share a core with CPUs " + (core.cpus - lease.cpus).to_string() +
                            ", which others use and which slow them down.");
    }
}

/// Undoes everything, under the lock. @returns what could not be undone.
inline std::vector<std::string> end_lease(lease_state& lease) {
    std::vector<std::string> notes;
    auto problems =
        undo_steps(*lease.system, lease.options.journal, lease.journal.name(), lease.done, notes);
    if (problems.empty()) {
        lease.done.clear();
        lease.journal.end();
    }
    return problems;
}

/// Takes the CPUs: `cpus` themselves, or `count` that are chosen if `cpus` is null.
inline std::unique_ptr<lease_state> acquire_lease(const cpu_set* cpus, unsigned count,
                                                  exclusive_options options,
                                                  exclusive_error& error) {
    auto lease = std::make_unique<lease_state>();
    lease->system = system_of(options);
    lease->options = std::move(options);
    exclusive_system& system = *lease->system;
    const exclusive_options& wanted = lease->options;
    lease->owner = system.this_process();

    // Without a journal nothing may be done that outlives this process.
    lease_lock lock(system);
    step_error no_journal = lock.take(wanted.journal);
    std::vector<std::string> sentences;
    std::vector<lease_record> leases;
    if (!no_journal) {
        const stale_release stale = release_stale_locked(system, wanted.journal);
        for (const exclusive_lease& one : stale.released) {
            sentences.push_back("What process " + std::to_string(one.process) +
                                " had left of its lease of CPUs " + one.cpus.to_string() +
                                " was undone first.");
        }
        for (const std::string& problem : stale.problems) {
            sentences.push_back("Of a lease whose owner died could not be undone: " + problem +
                                ".");
        }
    }
    if (system.is_trusted(wanted.journal)) { // Others' leases count also for who can have none.
        leases = read_leases(system, wanted.journal);
        for (std::string& unread : unread_leases(system, wanted.journal, leases)) {
            sentences.push_back(std::move(unread));
        }
    }
    const exclusive_machine machine = read_machine(system);
    if (machine.online.empty()) {
        error = {ENOTSUP, false, "this system does not tell which CPUs are online"};
        return nullptr;
    }
    const free_cpus state = find_free_cpus(system, machine, leases);
    const topology layout = topology::read(system.root());
    if (cpus != nullptr) {
        lease->cpus = *cpus;
    } else {
        error = choose_cpus(count, machine, state, layout, lease->cpus);
    }
    if (!error) {
        error = check_request(lease->cpus, machine, state);
    }
    if (error) {
        return nullptr;
    }
    lease->rest = machine.online - lease->cpus;
    if (!no_journal) {
        lease->journal = lease_journal(system, wanted.journal);
        const auto is_used = [&](const std::string& name) {
            return has_group(system, machine, group_name(name));
        };
        if (const int number = lease->journal.begin(lease->cpus, wanted.title, is_used)) {
            no_journal = act_failed(number, "write the journal " + wanted.journal);
        }
    }

    const plan_request request{
        system,
        machine,
        lease->cpus,
        wanted,
        group_name(lease->journal.is_open() ? lease->journal.name() : "lease.none"),
        has_foreign_shield(system, machine, leases)};
    error = {ENOTSUP, false, {}};
    std::string reasons;
    for (exclusive_plan& plan : make_plans(request)) {
        if (plan.level < wanted.at_least) {
            continue;
        }
        step_error failed;
        if (!plan.impossible.empty()) {
            failed = {ENOTSUP, plan.impossible};
        } else if (no_journal && !plan.steps.empty()) {
            failed = no_journal;
        } else {
            std::vector<std::string> notes;
            failed = apply_plan(*lease, plan, notes);
            if (!failed) {
                for (std::string& note : notes) {
                    sentences.push_back(std::move(note));
                }
            }
        }
        if (!failed) {
            lease->plan = std::move(plan);
            error = {};
            break;
        }
        if (failed.number != ENOTSUP) {
            error.number = failed.number;
        }
        const std::string reason =
            std::string(to_string(plan.level)) + " could not be had: " + failed.text;
        sentences.push_back(reason + ".");
        reasons += (reasons.empty() ? "" : "; ") + reason;
        if (!lease->done.empty()) {
            break; // Something could not be undone: trying more would only make it worse.
        }
    }
    if (error) {
        if (lease->done.empty()) {
            lease->journal.end();
        } else {
            lease->journal.give_up();
        }
        error.text = "CPUs '" + lease->cpus.to_string() + "' cannot be had as '" +
                     std::string(to_string(wanted.at_least)) + "' or better: " + reasons +
                     (wanted.at_least > exclusivity::swept && !wanted.move_others
                          ? "; allowed are weaker levels, and moving other programs' tasks"
                          : "; allowed are weaker levels");
        return nullptr;
    }
    // Interrupts and the like: each is optional, so that nothing can fail but the journal.
    exclusive_plan quiet = lease->plan;
    quiet.steps = quiet_steps(request, quiet.level);
    if (no_journal && !quiet.steps.empty()) {
        sentences.push_back("Interrupts stay where they are: " + no_journal.text + ".");
    } else if (const step_error failed = apply_plan(*lease, quiet, sentences)) {
        sentences.push_back("Interrupts stay where they are: " + failed.text + ".");
    }
    if (lease->journal.is_open()) {
        lease->journal.taken(lease->plan.level);
    } else {
        sentences.push_back("Other programs cannot see this lease: " + no_journal.text + ".");
    }
    lease->sentences = std::move(sentences);
    explain_lease(*lease, layout);
    return lease;
}

} // namespace regatta::detail
