// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "inspect/sight_limits.hpp"

#include "inspect/cpu_watch.hpp"
#include "inspect/gap_attribution.hpp"
#include "inspect/gap_probe.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_quota.hpp>
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

std::vector<std::string> limits_of_sight(bool& sees_all_tasks) {
    std::vector<std::string> notes;
    char space[64] = {};
    // The number of the first namespace is fixed by the kernel.
    if (::readlink("/proc/self/ns/pid", space, sizeof space - 1) > 0 &&
        std::string_view(space) != "pid:[4026531836]") {
        sees_all_tasks = false;
        notes.push_back("This is a PID namespace of its own (a container): tasks outside of it "
                        "cannot be named, and where no gap loop runs they look like an idle CPU.");
    }
    if (::access("/proc/1/stat", R_OK) != 0) {
        notes.push_back("/proc hides the tasks of other users (hidepid): they cannot be named.");
    }
    if (const auto quota = cpu_quota()) {
        char text[32];
        std::snprintf(text, sizeof text, "%.3g", *quota);
        notes.push_back("This process may use the time of " + std::string(text) +
                        " CPUs (quota of its control group); where a gap loop uses that up it is "
                        "held back, which is nobody's intrusion.");
    }
    return notes;
}

std::string why_no_trace(int error) {
    if (error == EACCES || error == EPERM) {
        const auto level = read_small_file("/proc/sys/kernel/perf_event_paranoid");
        return "Without root, CAP_PERFMON or kernel.perf_event_paranoid of 0 (it is " +
               std::string(level ? trimmed(*level) : "unknown") +
               ") the kernel does not tell of each switch of tasks. So that somebody ran is known "
               "from the gap loop, but who it was only from /proc: their times are estimates, and "
               "a task that lives for less than a moment may go unnamed.";
    }
    return "The kernel does not tell of switches of tasks (perf_event_open: " +
           std::generic_category().message(error) +
           "), so that who ran is known only from /proc: times are estimates.";
}

} // namespace regatta::detail
