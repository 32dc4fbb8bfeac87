// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// On which CPUs the threads of a process may run.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/error.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace regatta {

/// The system's number of a process, as getpid(2) tells it; 0 is this process.
using process_number = std::int32_t;

/// The threads of a process at this moment, by number; none where there is no such process or no
/// procfs. Threads: any. Cost: a system call for about every hundred threads.
/// @param root a directory that stands in for `/`.
inline std::vector<thread_number> threads_of(process_number process, const std::string& root = {}) {
    std::vector<thread_number> threads;
    std::error_code error;
    std::filesystem::directory_iterator entry(
        root + "/proc/" + (process == 0 ? "self" : std::to_string(process)) + "/task", error);
    // An entry that cannot be read makes it the end.
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        if (const auto number = detail::to_number(entry->path().filename().string())) {
            threads.push_back(static_cast<thread_number>(*number));
        }
    }
    std::sort(threads.begin(), threads.end());
    return threads;
}

/// Restricts every thread of a process to `cpus`, without exceptions: those that it has and those
/// that they start while this runs. One thread may be missed: the kernel gives a new thread the
/// CPUs of its starter some microseconds before it lists it, and if the starter loses its CPU just
/// then, its own pin comes too late for the new one and no look sees that. A later call pins it.
///
/// @returns 0, or the first error number, as `try_pin_thread` does; `ESRCH` where there is no such
/// process. Threads before the one that was refused have been pinned.
inline int try_pin_process(process_number process, const cpu_set& cpus) {
    if (!REGATTA_LINUX) {
        return ENOTSUP;
    }
    // A thread that was started by one that was pinned is pinned. So it is done when a look finds
    // no thread that an earlier one has not found.
    std::vector<thread_number> pinned;
    for (;;) {
        const std::vector<thread_number> found = threads_of(process);
        if (found.empty()) {
            return ESRCH;
        }
        bool any_new = false;
        for (const thread_number thread : found) {
            if (std::binary_search(pinned.begin(), pinned.end(), thread)) {
                continue;
            }
            any_new = true;
            const int error = try_pin_thread(thread, cpus);
            if (error != 0 && error != ESRCH) {
                return error;
            }
        }
        if (!any_new) {
            return 0;
        }
        pinned = found;
    }
}

/// Restricts every thread of a process to `cpus`, as `try_pin_process` does. Failure:
/// `std::system_error`, which names the process and the CPUs.
inline void pin_process(process_number process, const cpu_set& cpus) {
    if (const int error = try_pin_process(process, cpus)) {
        fail_system(error, "pin process " + std::to_string(process) + " to CPUs '" +
                               cpus.to_string() + "'");
    }
}

} // namespace regatta
