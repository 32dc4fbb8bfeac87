// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "inspect/sight_limits.hpp"

#include "inspect/cpu_watch.hpp"
#include "inspect/gap_attribution.hpp"
#include "inspect/gap_probe.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/inspect/jitter.hpp>

#include <linux/perf_event.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace regatta::detail {

sight limits_of_sight() {
    sight found;
    std::vector<std::string>& notes = found.notes;
    char space[64] = {};
    // The kernel fixes the number of the initial namespace.
    if (::readlink("/proc/self/ns/pid", space, sizeof space - 1) > 0 &&
        std::string_view(space) != "pid:[4026531836]") {
        found.sees_all_tasks = false;
        found.lists_all_tasks = false;
        notes.push_back("This process is in its own PID namespace (a container): tasks outside it "
                        "cannot be named; without a gap loop they look like an idle CPU.");
    }
    if (::access("/proc/self/stat", R_OK) != 0) {
        found.sees_all_tasks = false;
        found.lists_all_tasks = false;
        notes.push_back("/proc cannot be read: no task can be named.");
    } else if (::access("/proc/1/stat", R_OK) != 0) {
        found.lists_all_tasks = false;
        notes.push_back("/proc hides the tasks of other users (hidepid): they cannot be named, and "
                        "threads of the kernel that a trace shows count as intruders.");
    }
    if (const auto quota = cpu_quota()) {
        char text[32];
        std::snprintf(text, sizeof text, "%.3g", *quota);
        notes.push_back("This process may use the time of " + std::string(text) +
                        " CPUs (quota of its control group). A gap loop that uses it up is " +
                        (found.sees_all_tasks
                             ? "held back; that is not an intrusion."
                             : "held back, which cannot be told from an unseen task: check from "
                               "outside, or without the quota."));
    }
    return found;
}

std::string why_no_trace(int error, bool gap_loop) {
    if (error == EACCES || error == EPERM) {
        const auto level = read_small_file("/proc/sys/kernel/perf_event_paranoid");
        return "Without root, CAP_PERFMON or kernel.perf_event_paranoid of 0 (it is " +
               std::string(level ? trimmed(*level) : "unknown") +
               ") the kernel does not report task switches. " +
               (gap_loop ? "The gap loop notices that a task ran, but only /proc names it: times "
                           "are estimates, and short-lived tasks may stay unnamed."
                         : "Only /proc shows the tasks that ran: times are estimates, and "
                           "short-lived tasks may stay unseen.");
    }
    return "The kernel does not report task switches (perf_event_open: " +
           std::generic_category().message(error) +
           "): only /proc names the tasks that ran, and times are estimates.";
}

} // namespace regatta::detail
