// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the journal says of the leases of the machine.

#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_level.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace regatta::detail {

/// The process that holds a lease, told from later ones with the same number.
struct lease_owner {
    int process = 0;
    std::uint64_t start = 0;
    std::string boot{};      ///< Which start of the machine.
    std::string processes{}; ///< Which numbering of processes: a container has its own.

    bool operator==(const lease_owner&) const = default;
};

/// This process as the owner of a lease.
lease_owner this_owner(exclusive_system& system);

/// What a lease's file says.
struct lease_record {
    std::string name{};  ///< Of the file: what the lease is called.
    std::string title{}; ///< What it is for.
    lease_owner owner{};
    cpu_set cpus{};
    exclusivity level = exclusivity::soft;
    bool taken = false;                  ///< Everything was done; before, the level says nothing.
    bool complete = false;               ///< The file has its head; nothing was done before.
    bool foreign = false;                ///< Written by another version, whose lines may differ.
    bool unread = false;                 ///< It could not be read: nothing else is known.
    bool given_up = false;               ///< The owner lives, but is through with it.
    std::vector<exclusive_step> steps{}; ///< What is to be undone, last first.
};

/// Whether the owner of a lease still lives. Of processes that are numbered elsewhere nothing is
/// known: they count as alive as long as there is anybody with such a number.
bool is_alive(exclusive_system& system, const lease_record& lease);

/// Every lease in the folder.
std::vector<lease_record> read_leases(exclusive_system& system);

/// What of the journal this process may not read, in words; leases may be missing then.
std::vector<std::string> unread_leases(exclusive_system& system,
                                       const std::vector<lease_record>& leases);

/// Whether a group was made by one of some leases.
bool is_made_by(const std::vector<lease_record>& leases, const std::string& group);

/// The steps of every lease in the folder but one.
std::vector<exclusive_step> steps_of_others(exclusive_system& system, const std::string& own);

} // namespace regatta::detail
