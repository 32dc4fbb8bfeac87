// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Reading the leases of the machine from the journal.

#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace regatta::detail {

/// The process that holds a lease, distinguished from later ones of the same number.
struct lease_owner {
    int process = 0;
    std::uint64_t start = 0;
    std::string boot{};      ///< Identifies the boot of the machine.
    std::string processes{}; ///< Its PID namespace; a container has its own.

    bool operator==(const lease_owner&) const = default;
};

/// This process as the owner of a lease.
lease_owner this_owner(exclusive_system& system);

/// The content of a lease's file.
struct lease_record {
    std::string name{};  ///< The name of the file, and of the lease.
    std::string title{}; ///< Its purpose.
    lease_owner owner{};
    cpu_set cpus{};
    exclusivity level = exclusivity::soft;
    bool taken = false;    ///< All steps were done; before that, the level has no meaning.
    bool complete = false; ///< The file has its first line; no step precedes it.
    bool foreign = false;  ///< Written by another version, whose lines may differ.
    int damaged_line = 0;  ///< The first line that could not be parsed, from 1; 0: none.
    bool unread = false; ///< The file, or its first line, could not be read: the owner is unknown.
    bool given_up = false;               ///< The owner lives, but has ended the lease.
    std::vector<exclusive_step> steps{}; ///< The steps to undo, last first.
};

/// Whether the owner of a lease lives. In another PID namespace the owner itself is unknown: it
/// counts as alive while that namespace has a living process.
bool is_alive(exclusive_system& system, const lease_record& lease);

/// Whether the machine was started anew since an owner took its lease; `self` is this process. What
/// one of the two could not read tells nothing. Some containers have a boot of their own, so of an
/// owner in another PID namespace its processes tell more, where all are seen.
bool is_of_another_boot(exclusive_system& system, const lease_owner& owner,
                        const lease_owner& self);

/// The error of reading the folder of the leases; 0: none. ENOENT means that no lease exists.
int journal_error(exclusive_system& system);

/// Every lease in the folder.
std::vector<lease_record> read_leases(exclusive_system& system);

/// A sentence for each part of the journal that this process may not read; leases may be missing
/// then.
std::vector<std::string> unread_leases(exclusive_system& system,
                                       const std::vector<lease_record>& leases);

/// Whether one of `leases` created the group.
bool is_made_by(const std::vector<lease_record>& leases, const std::string& group);

/// The steps of every lease in the folder but one.
std::vector<exclusive_step> steps_of_others(exclusive_system& system, const std::string& own);

} // namespace regatta::detail
