// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The threads of a process, and the CPUs that they may run on.

#include <regatta/base/config.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace regatta {

/// A process ID, as getpid(2) returns it; 0 is this process.
using process_number = std::int32_t;

/// The numbers of the threads of a process at this moment, in ascending order. Empty if there is no
/// such process or no procfs, or if they cannot be listed, as without a free descriptor.
///
/// Threads: any.
/// Cost: a system call for about every hundred threads.
/// @param root a directory to read instead of `/`.
REGATTA_SYSTEM_API std::vector<thread_number> threads_of(process_number process,
                                                         const std::string& root = {});

/// Restricts every thread of a process to `cpus`, without exceptions. This includes threads that
/// start during the call, but one may escape. The kernel gives a new thread the CPUs of its creator
/// some microseconds before it lists the thread. If the creator is preempted in between, its own
/// pin comes too late for the new thread, and no scan sees that. A later call pins it.
///
/// @returns 0, or the first error number, as `try_pin_thread` does; `ESRCH` if there is no such
/// process, `EMFILE` or the like if its threads cannot be listed, `ENOMEM`. Threads before the one
/// that was refused stay pinned.
REGATTA_SYSTEM_API int try_pin_process(process_number process, const cpu_set& cpus);

/// Restricts every thread of a process to `cpus`, as `try_pin_process` does.
/// Failure: `std::system_error`, which names the process and the CPUs.
REGATTA_SYSTEM_API void pin_process(process_number process, const cpu_set& cpus);

} // namespace regatta
