// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Taking a lease of CPUs.

#include "lease/exclusive_system.hpp"
#include "lease/lease_state.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <memory>

namespace regatta::detail {

/// Takes the CPUs: `cpus` themselves, or `count` chosen ones if `cpus` is null.
/// @returns null and fills `error` on failure; all earlier steps are undone then.
std::unique_ptr<lease_state> acquire_lease(std::shared_ptr<exclusive_system> system,
                                           const cpu_set* cpus, unsigned count,
                                           exclusive_options options, exclusive_error& error);

} // namespace regatta::detail
