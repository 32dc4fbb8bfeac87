// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How long the hypervisor kept a CPU from this machine.

#include <cstdint>
#include <optional>
#include <string>

namespace regatta::detail {

/// Time that the hypervisor gave to others while `cpu` wanted to run, since boot, in nanoseconds;
/// counted in steps of as a rule 10 ms. Nothing: nobody counts it, or the CPU is off.
///
/// Threads: any. Failure: none. Source: proc_stat(5), the field `steal` of a line `cpuN`.
/// @param root a directory that stands in for `/`.
std::optional<std::int64_t> steal_time_ns(unsigned cpu, const std::string& root = {});

} // namespace regatta::detail
