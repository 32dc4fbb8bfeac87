// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Who owns CPUs, for people and as JSON.

#include <regatta/lease/exclusive_leases.hpp>

#include <string>
#include <vector>

namespace regatta::race {

/// The leases of a machine.
struct cpus_status {
    std::vector<exclusive_lease> leases;
    std::vector<std::string> unread; ///< What of their journal cannot be read, in words.
};

/// A line a lease. @param effects also what each has done to the machine.
std::string cpus_status_text(const cpus_status& found, bool effects);

/// The document, indented, with a final newline; docs/reference/cpu.md describes it.
std::string cpus_status_json(const cpus_status& found);

} // namespace regatta::race
