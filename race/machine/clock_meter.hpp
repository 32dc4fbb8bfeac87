// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// At which clock the processor runs.

#include <optional>
#include <string_view>

namespace regatta::race {

/// The clock of the CPUs at this moment while so many of them are busy, in Hz: what they do, not
/// what they are set to. Each of as many threads runs a chain of additions that depend on one
/// another, a cycle each, and the steady clock says how long it took.
///
/// It is for right after what was measured. Counting the cycles of the measured threads themselves
/// (perf_event_open) would see more, as the clock of vector instructions, but it is no observer: on
/// a virtual machine each change of threads then took 20 µs instead of 1.
///
/// Threads: any. Cost: some 0.6 ms of each CPU.
/// Failure: absent on a processor whose additions it cannot chain (other than x86-64 and AArch64).
std::optional<double> clock_now(unsigned busy);

/// How that is found, for people.
std::string_view clock_source() noexcept;

} // namespace regatta::race
