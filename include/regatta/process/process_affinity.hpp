// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// On which CPUs the threads of a process may run.

#include <regatta/base/config.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace regatta {

/// The system's number of a process, as getpid(2) tells it; 0 is this process.
using process_number = std::int32_t;

/// The threads of a process at this moment, by number; none where there is no such process or no
/// procfs. Threads: any. Cost: a system call for about every hundred threads.
/// @param root a directory that stands in for `/`.
REGATTA_SYSTEM_API std::vector<thread_number> threads_of(process_number process,
                                                         const std::string& root = {});

/// Restricts every thread of a process to `cpus`, without exceptions: those that it has and those
/// that they start while this runs. One thread may be missed: the kernel gives a new thread the
/// CPUs of its starter some microseconds before it lists it, and if the starter loses its CPU just
/// then, its own pin comes too late for the new one and no look sees that. A later call pins it.
///
/// @returns 0, or the first error number, as `try_pin_thread` does; `ESRCH` where there is no such
/// process. Threads before the one that was refused have been pinned.
REGATTA_SYSTEM_API int try_pin_process(process_number process, const cpu_set& cpus);

/// Restricts every thread of a process to `cpus`, as `try_pin_process` does. Failure:
/// `std::system_error`, which names the process and the CPUs.
REGATTA_SYSTEM_API void pin_process(process_number process, const cpu_set& cpus);

} // namespace regatta
