// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Whether CPUs can be leased, and choosing them if only a number was requested.

#include "lease/exclusive_machine.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/lease_record.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/topology.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <string>
#include <utility>
#include <vector>

namespace regatta::detail {

/// The free CPUs, and the holders of the others.
struct free_cpus {
    cpu_set usable{}; ///< Online, and granted by the groups above.
    cpu_set free{};   ///< The usable CPUs without a holder.
    std::vector<std::pair<std::string, cpu_set>> holders{};
};

free_cpus find_free_cpus(exclusive_system& system, const exclusive_machine& machine,
                         const std::vector<lease_record>& leases, const exclusive_options& options);

/// The CPUs for everything that must leave `cpus`: those online that no lease and no partition has.
/// If there are none, others that are online.
cpu_set cpus_for_others(const cpu_set& cpus, const exclusive_machine& machine,
                        const free_cpus& state);

/// Whether the group of all other tasks exists but belongs to leases outside this journal. It would
/// end with those leases, although this lease would still need it.
bool has_foreign_shield(exclusive_system& system, const exclusive_machine& machine,
                        const std::vector<lease_record>& leases);

/// Checks that /proc numbers processes as this process does.
exclusive_error check_proc(exclusive_system& system);

/// Checks that the kernel lists the online CPUs.
exclusive_error check_online(exclusive_system& system, const exclusive_machine& machine);

/// Checks whether exactly these CPUs can be leased.
exclusive_error check_request(const cpu_set& cpus, const exclusive_machine& machine,
                              const free_cpus& state);

/// Chooses CPUs: those isolated at boot if they suffice, otherwise whole cores close to each other.
/// Takes the last CPUs of the machine, because the first ones do most of the system's own work.
exclusive_error choose_cpus(unsigned count, const exclusive_machine& machine,
                            const free_cpus& state, const topology& layout, cpu_set& cpus);

} // namespace regatta::detail
