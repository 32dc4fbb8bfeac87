// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Whether CPUs can be had at all, and which to take where only their number was said.

#include "lease/exclusive_machine.hpp"
#include "lease/lease_record.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/topology.hpp>
#include <regatta/lease/exclusive_error.hpp>

#include <string>
#include <utility>
#include <vector>

namespace regatta::detail {

/// Which CPUs are free to be taken, and who has the others.
struct free_cpus {
    cpu_set usable{}; ///< Online, and granted by the groups above.
    cpu_set free{};   ///< Of them, those that nobody holds.
    std::vector<std::pair<std::string, cpu_set>> holders{};
};

free_cpus find_free_cpus(exclusive_system& system, const exclusive_machine& machine,
                         const std::vector<lease_record>& leases);

/// Whether the group of everybody else is there, but of leases that this journal does not show. It
/// would end with them, whoever else relies on it.
bool has_foreign_shield(exclusive_system& system, const exclusive_machine& machine,
                        const std::vector<lease_record>& leases);

/// Whether a lease of exactly these CPUs makes sense.
exclusive_error check_request(const cpu_set& cpus, const exclusive_machine& machine,
                              const free_cpus& state);

/// Chooses CPUs: those isolated at boot if they suffice; else whole cores near to each other, from
/// the end of the machine, since its first CPUs do the most work of the system itself.
exclusive_error choose_cpus(unsigned count, const exclusive_machine& machine,
                            const free_cpus& state, const topology& layout, cpu_set& cpus);

} // namespace regatta::detail
