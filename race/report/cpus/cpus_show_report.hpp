// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What `regatta cpus` has found out, and its two views.

#include "machine/cpuset_groups.hpp"
#include "text/text.hpp"

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/topology.hpp>
#include <regatta/lease/exclusive_leases.hpp>

#include <optional>
#include <string>
#include <vector>

namespace regatta::race {

/// The CPUs of a machine, and who may use them.
struct cpus_view {
    topology machine;
    std::string model;              ///< Of its CPUs; empty: unknown.
    bool this_machine = true;       ///< Not the files of another one; else the next two are absent.
    std::optional<cpu_set> allowed; ///< To this command.
    std::optional<double> quota;    ///< CPUs that its control groups grant.
    std::vector<cpuset_group> groups;
    std::vector<exclusive_lease> leases;
    std::vector<std::string> unread; ///< What of the leases' journal cannot be read, in words.
};

/// The document, indented, with a final newline; docs/reference/cpus.schema.json describes it.
std::string cpus_view_json(const cpus_view& view);

/// For people.
std::string cpus_view_text(const cpus_view& view, const text_style& style);

} // namespace regatta::race
