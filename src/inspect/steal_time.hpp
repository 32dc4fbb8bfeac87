// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The time that the hypervisor kept a CPU from this machine.

#include <cstdint>
#include <optional>
#include <string>

namespace regatta::detail {

/// Time since boot, in nanoseconds, in which the hypervisor ran something else while `cpu` was
/// ready to run. Counted in steps of usually 10 ms. Nothing if it is not counted or the CPU is
/// offline.
///
/// Threads: any.
/// Failure: none.
/// Source: proc_stat(5), the field `steal` of a line `cpuN`.
/// @param root a directory to use instead of `/`.
std::optional<std::int64_t> steal_time_ns(unsigned cpu, const std::string& root = {});

/// The steal time since the reading `last`, which `now` replaces. 0 if the counter fell, as that of
/// some hypervisors does, and if one of the two could not be read.
std::int64_t steal_since(std::optional<std::int64_t>& last,
                         std::optional<std::int64_t> now) noexcept;

} // namespace regatta::detail
