// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Leases as other processes see them, and undoing stale ones.

#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include <regatta/lease/exclusive_leases.hpp>

#include <string>
#include <vector>

namespace regatta::detail {

/// Undoes steps, the last one first. Call it under the lock.
/// @returns what could not be undone.
std::vector<std::string> undo_steps(exclusive_system& system, const std::string& own,
                                    const std::vector<exclusive_step>& steps,
                                    std::vector<std::string>& notes);

/// `release_stale` under a lock that the caller holds.
stale_release release_stale_locked(exclusive_system& system);

/// `exclusive_status` of any machine.
std::vector<exclusive_lease> leases_on(exclusive_system& system, std::vector<std::string>& unread);

/// `release_stale` of any machine.
stale_release release_stale_on(exclusive_system& system);

} // namespace regatta::detail
