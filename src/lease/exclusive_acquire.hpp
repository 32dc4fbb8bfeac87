// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a lease of CPUs comes about.

#include "lease/exclusive_system.hpp"
#include "lease/lease_state.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_error.hpp>
#include <regatta/lease/exclusive_options.hpp>

#include <memory>

namespace regatta::detail {

/// Takes the CPUs: `cpus` themselves, or `count` that are chosen if `cpus` is null.
/// @returns null and fills `error` where they cannot be had; whatever was done is undone then.
std::unique_ptr<lease_state> acquire_lease(std::shared_ptr<exclusive_system> system,
                                           const cpu_set* cpus, unsigned count,
                                           exclusive_options options, exclusive_error& error);

} // namespace regatta::detail
