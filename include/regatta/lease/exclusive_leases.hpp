// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The leases of CPUs on this machine: who holds which, and undoing what dead owners left behind.

#include "lease/exclusive_actions.hpp"
#include "lease/exclusive_journal.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include <regatta/base/error.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_level.hpp>
#include <regatta/lease/exclusive_options.hpp>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace regatta {

/// A lease of CPUs, as others see it.
struct exclusive_lease {
    std::string name{};  ///< Of its file in the journal.
    std::string title{}; ///< What it is for.
    cpu_set cpus{};
    exclusivity level = exclusivity::soft; ///< Of no meaning before `taken`.
    bool taken = false;                    ///< False while its owner is still at it.
    int process = 0;                       ///< Its owner.
    bool stale = false;                    ///< Whoever comes next undoes what is left of it.
    bool given_up = false;                 ///< It is stale though the owner lives.
    std::vector<std::string> effects{};    ///< What it has done, in words.
};

/// What `release_stale` did.
struct stale_release {
    std::vector<exclusive_lease> released{}; ///< Undone and read back.
    std::vector<std::string> problems{};     ///< What could not be undone; it can be tried again.
    std::vector<std::string> notes{};        ///< What people should know.
};

namespace detail {

inline std::shared_ptr<detail::exclusive_system> system_of(const exclusive_options& options) {
    return options.system ? options.system
                          : std::make_shared<detail::exclusive_system>(options.root);
}

inline exclusive_lease describe_lease(detail::exclusive_system& system,
                                      const detail::lease_record& record) {
    exclusive_lease lease;
    lease.name = record.name;
    lease.title = record.title;
    lease.cpus = record.cpus;
    lease.level = record.level;
    lease.taken = record.taken;
    lease.process = record.owner.process;
    lease.stale = !is_alive(system, record);
    lease.given_up = record.given_up;
    for (const detail::exclusive_step& step : record.steps) {
        lease.effects.push_back(describe(step));
    }
    return lease;
}

/// Undoes steps, the last one first. Under the lock.
/// @returns what could not be undone.
inline std::vector<std::string> undo_steps(detail::exclusive_system& system,
                                           const std::string& folder, const std::string& own,
                                           const std::vector<detail::exclusive_step>& steps,
                                           std::vector<std::string>& notes) {
    const std::vector<detail::exclusive_step> of_others = steps_of_others(system, folder, own);
    detail::step_context context{system, of_others, {}, {}, notes};
    std::vector<std::string> problems;
    // What cannot be undone for a moment only is so at the second try.
    for (int attempt = 0; attempt == 0 || (attempt == 1 && !problems.empty()); ++attempt) {
        problems.clear();
        for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
            if (const detail::step_error error = undo_step(context, *step)) {
                problems.push_back(error.text);
            }
        }
    }
    return problems;
}

/// `release_stale` under a lock that the caller has.
inline stale_release release_stale_locked(detail::exclusive_system& system,
                                          const std::string& folder) {
    stale_release result;
    const detail::lease_owner self = detail::this_owner(system);
    const std::vector<detail::lease_record> records = detail::read_leases(system, folder);
    result.notes = detail::unread_leases(system, folder, records);
    for (const detail::lease_record& record : records) {
        if (is_alive(system, record)) {
            continue;
        }
        const std::string path = folder + "/" + record.name;
        if (!system.is_trusted(path)) {
            result.problems.push_back(path + " could have been written by other users");
            continue;
        }
        // Whatever was done before the machine was started anew is gone.
        const bool same_boot = record.owner.boot == self.boot;
        const auto problems =
            same_boot ? undo_steps(system, folder, record.name, record.steps, result.notes)
                      : std::vector<std::string>();
        if (problems.empty()) {
            system.remove_file(path);
            result.released.push_back(describe_lease(system, record));
        }
        for (const std::string& problem : problems) {
            result.problems.push_back(record.name + ": " + problem);
        }
    }
    return result;
}

} // namespace detail

/// Every lease of CPUs on this machine.
/// @param unread gets a sentence for each part of the journal that this process may not read; if
/// there is one, leases may be missing.
///
/// Threads: any. Failure: none.
inline std::vector<exclusive_lease> exclusive_status(const exclusive_options& options,
                                                     std::vector<std::string>& unread) {
    const auto system = detail::system_of(options);
    std::vector<exclusive_lease> leases;
    const auto records = detail::read_leases(*system, options.journal);
    for (const auto& record : records) {
        if (record.complete || record.foreign) {
            leases.push_back(detail::describe_lease(*system, record));
        }
    }
    unread = detail::unread_leases(*system, options.journal, records);
    return leases;
}

/// The same for those whom the leases will do that this process may read.
inline std::vector<exclusive_lease> exclusive_status(const exclusive_options& options = {}) {
    std::vector<std::string> unread;
    return exclusive_status(options, unread);
}

/// Undoes everything that leases have done whose owners died or gave them up: groups, affinities of
/// tasks and of interrupts become what they were. Done twice, or again after it was killed halfway,
/// it is the same as once.
///
/// Threads: any. Blocks: up to ten seconds for another program that takes or gives back CPUs.
/// Failure: `std::system_error` where the journal cannot be locked; what cannot be undone is told
/// in the result and stays in the journal.
inline stale_release release_stale(const exclusive_options& options = {}) {
    const auto system = detail::system_of(options);
    if (const int error = system->read_error(options.journal);
        error == ENOENT || (error == 0 && system->list(options.journal).empty())) {
        return {};
    }
    detail::lease_lock lock(*system);
    if (const auto error = lock.take(options.journal)) {
        fail_system(error.number, "release stale CPUs: " + error.text);
    }
    return detail::release_stale_locked(*system, options.journal);
}

} // namespace regatta
