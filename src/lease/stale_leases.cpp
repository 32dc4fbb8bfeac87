// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/stale_leases.hpp"

#include "lease/exclusive_journal.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/lease_record.hpp"
#include "lease/step_rules.hpp"
#include <regatta/base/error.hpp>
#include <regatta/lease/exclusive_leases.hpp>

#include <cerrno>
#include <string>
#include <vector>

namespace regatta::detail {
namespace {

exclusive_lease describe_lease(exclusive_system& system, const lease_record& record) {
    exclusive_lease lease;
    lease.name = record.name;
    lease.title = record.title;
    lease.cpus = record.cpus;
    lease.level = record.level;
    lease.taken = record.taken;
    lease.process = record.owner.process;
    lease.numbered_elsewhere =
        record.complete && record.owner.processes != system.process_numbering();
    lease.stale = !is_alive(system, record);
    lease.given_up = record.given_up;
    for (const exclusive_step& step : record.steps) {
        lease.effects.push_back(describe(step));
    }
    return lease;
}

} // namespace

std::vector<std::string> undo_steps(exclusive_system& system, const std::string& own,
                                    const std::vector<exclusive_step>& steps,
                                    std::vector<std::string>& notes) {
    const std::vector<exclusive_step> of_others = steps_of_others(system, own);
    step_context context{system, of_others, {}, {}, notes};
    std::vector<std::string> problems;
    // A second attempt undoes steps that failed only for a moment.
    for (int attempt = 0; attempt == 0 || (attempt == 1 && !problems.empty()); ++attempt) {
        problems.clear();
        for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
            if (const step_error error = undo_step(context, *step)) {
                problems.push_back(error.text);
            }
        }
    }
    return problems;
}

stale_release release_stale_locked(exclusive_system& system) {
    stale_release result;
    const lease_owner self = this_owner(system);
    const std::vector<lease_record> records = read_leases(system);
    result.unread = unread_leases(system, records);
    if (!records.empty() && system.is_proc_foreign()) {
        result.unread.push_back("/proc belongs to another PID namespace: no lease was undone");
        return result;
    }
    for (const lease_record& record : records) {
        if (is_alive(system, record)) {
            continue;
        }
        const std::string path = system.journal() + "/" + record.name;
        if (!system.is_trusted(path)) {
            result.problems.push_back(path + " could have been written by other users");
            continue;
        }
        // A reboot has undone all steps from before it.
        const bool is_past = is_of_another_boot(system, record.owner, self);
        auto problems = is_past ? std::vector<std::string>()
                                : undo_steps(system, record.name, record.steps, result.notes);
        if (problems.empty() && record.damaged_line != 0 && !is_past) {
            problems.push_back("line " + std::to_string(record.damaged_line) + " of " + path +
                               " is damaged: its step is unknown and was not undone; remove the "
                               "file once you have undone it");
        }
        if (problems.empty()) {
            system.remove_file(draft_of(system, record.name));
            const int error = system.remove_file(path);
            if (error != 0 && error != ENOENT) {
                problems.push_back(act_failed(error, "remove " + path).text);
            }
        }
        if (problems.empty() && record.complete) {
            result.released.push_back(describe_lease(system, record));
        }
        for (const std::string& problem : problems) {
            result.problems.push_back(record.name + ": " + problem);
        }
    }
    return result;
}

std::vector<exclusive_lease> leases_on(exclusive_system& system, std::vector<std::string>& unread) {
    std::vector<exclusive_lease> leases;
    const std::vector<lease_record> records = read_leases(system);
    for (const lease_record& record : records) {
        if (record.complete || record.foreign) {
            leases.push_back(describe_lease(system, record));
        }
    }
    unread = unread_leases(system, records);
    return leases;
}

stale_release release_stale_on(exclusive_system& system) {
    if (const int error = journal_error(system);
        error == ENOENT || (error == 0 && system.list(system.journal()).empty())) {
        return {};
    }
    lease_lock lock(system);
    if (const auto error = lock.take()) {
        if (error.number == EACCES && read_leases(system).empty()) {
            return {}; // The lock alone is left, which is root's.
        }
        fail_system(error.number, "release stale CPUs: " + error.text);
    }
    return release_stale_locked(system);
}

} // namespace regatta::detail
