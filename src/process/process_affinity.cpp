// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/process/process_affinity.hpp>

#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/error.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace regatta {
namespace {

/// Lists the threads of a process. @returns 0, or the error number.
int list_threads(process_number process, const std::string& root,
                 std::vector<thread_number>& threads) {
    const std::string folder =
        root + "/proc/" + (process == 0 ? "self" : std::to_string(process)) + "/task";
    // The directory_iterator of GCC 12 ends the program where it gets no memory.
    const std::unique_ptr<DIR, int (*)(DIR*)> list(::opendir(folder.c_str()), ::closedir);
    if (!list) {
        return errno;
    }
    errno = 0;
    while (const dirent* const entry = ::readdir(list.get())) {
        if (const auto number = detail::to_number(entry->d_name)) {
            threads.push_back(static_cast<thread_number>(*number));
        }
        errno = 0;
    }
    const int error = errno;
    std::sort(threads.begin(), threads.end());
    return error;
}

} // namespace

std::vector<thread_number> threads_of(process_number process, const std::string& root) {
    std::vector<thread_number> threads;
    list_threads(process, root, threads);
    return threads;
}

int try_pin_process(process_number process, const cpu_set& cpus) try {
    // A thread inherits the CPUs of its creator, so threads that a pinned one starts are pinned.
    // The loop ends when a scan finds no thread that was not pinned.
    std::vector<thread_number> pinned;
    for (;;) {
        std::vector<thread_number> found;
        const int unlisted = list_threads(process, {}, found);
        if (unlisted != 0 || found.empty()) {
            return unlisted == 0 || unlisted == ENOENT ? ESRCH : unlisted;
        }
        bool any_new = false;
        for (const thread_number thread : found) {
            if (std::binary_search(pinned.begin(), pinned.end(), thread)) {
                continue;
            }
            cpu_set inherited;
            if (!pinned.empty() && try_affinity_of_thread(thread, inherited) == 0 &&
                cpus.contains(inherited)) {
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
} catch (const std::bad_alloc&) {
    return ENOMEM;
}

void pin_process(process_number process, const cpu_set& cpus) {
    if (const int error = try_pin_process(process, cpus)) {
        fail_system(error, "pin process " + std::to_string(process) + " to CPUs '" +
                               cpus.to_string() + "'");
    }
}

} // namespace regatta
