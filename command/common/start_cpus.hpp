// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The CPUs that this process was started with.

namespace regatta::command {

/// Where `OMP_PROC_BIND`, `OMP_PLACES` or `GOMP_CPU_AFFINITY` is set, GCC's OpenMP library binds
/// the main thread to one CPU when it is loaded, and every thread and process started from there
/// would share it. Lets the calling thread run again on the CPUs that the process was started with.
///
/// Threads: the main thread, before it starts others.
void return_to_start_cpus() noexcept;

} // namespace regatta::command
