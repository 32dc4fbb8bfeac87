// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "isolation/worker_cpus.hpp"

#include <regatta/base/error.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/placement.hpp>

#include <algorithm>
#include <string>

namespace regatta::race {
namespace {

/// Among which CPUs to choose where the user has no wish. Where this process keeps to some
/// (`taskset`), these: workers that nobody pins stay there, too.
cpu_set candidates(unsigned workers, const cpu_set& usable, const cpu_set& own,
                   const topology& machine) {
    const unsigned first = *usable.begin();
    const cpu_set kept = (usable - machine.isolated - own).empty() ? cpu_set() : usable & own;
    for (const cpu_set& some : {usable & machine.isolated, kept,
                                usable - machine.siblings_of(first), usable - cpu_set{first}}) {
        if (some.count() >= workers) {
            return some;
        }
    }
    return usable;
}

} // namespace

worker_cpus choose_worker_cpus(unsigned workers, const cpu_set& wish, const cpu_set& usable,
                               const cpu_set& own, const topology& machine) {
    if (!usable.contains(wish)) {
        fail_argument("CPUs " + (wish - usable).to_string() +
                      " are offline or may not be used by this process; those that may are " +
                      usable.to_string());
    }
    const unsigned count = workers != 0 ? workers : std::max(1U, wish.count());
    const cpu_set& limit = wish.empty() ? usable : wish;
    if (count > limit.count()) {
        fail_argument(std::to_string(count) + " workers need as many CPUs, and there are " +
                      std::to_string(limit.count()) + " (" + limit.to_string() + ")");
    }
    const cpu_set among = wish.empty() ? candidates(count, usable, own, machine) : wish;
    worker_cpus chosen;
    for (const cpu_set& place : place(count, placement_policy::avoid_siblings, machine, among)) {
        chosen.workers.push_back(*place.begin());
        chosen.owned |= place;
    }
    if (!wish.empty()) {
        chosen.owned = wish;
    } else if (const cpu_set cores = machine.with_siblings(chosen.owned) & usable;
               cores.count() < usable.count()) {
        chosen.owned = cores;
    }
    return chosen;
}

cpu_set usable_cpus(const topology& machine) {
    const cpu_set own = affinity_of_this_thread();
    // The kernel leaves out what the thread may not use.
    const scoped_pin all(machine.online.empty() ? own : machine.online);
    return affinity_of_this_thread();
}

} // namespace regatta::race
