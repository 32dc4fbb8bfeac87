// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The kernel files behind `interrupt_counts`.

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/inspect/interrupt_counts.hpp>

#include <string>

namespace regatta::detail {

/// Reads /proc/interrupts, or /proc/softirqs if `soft`.
/// @param root a directory to use instead of `/`.
interrupt_counts read_interrupt_counts(const cpu_set& cpus, bool soft,
                                       const std::string& root = {});

} // namespace regatta::detail
