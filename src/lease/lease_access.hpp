// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Leases on any machine; `exclusive_cpus` uses them for this one.

#include "lease/exclusive_system.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <memory>
#include <optional>

namespace regatta::detail {

using shared_system = std::shared_ptr<exclusive_system>;

/// `exclusive_cpus::try_acquire` on the machine `system`, which the lease keeps.
std::optional<exclusive_cpus> try_acquire_on(shared_system system, const cpu_set& cpus,
                                             exclusive_options options, exclusive_error& error);
std::optional<exclusive_cpus> try_acquire_on(shared_system system, unsigned count,
                                             exclusive_options options, exclusive_error& error);
/// `exclusive_cpus::acquire` on the machine `system`.
exclusive_cpus acquire_on(shared_system system, const cpu_set& cpus, exclusive_options options);
exclusive_cpus acquire_on(shared_system system, unsigned count, exclusive_options options);

} // namespace regatta::detail
