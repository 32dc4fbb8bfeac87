// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/inspect/exclusivity_check.hpp>

#include "inspect/cpu_watch.hpp"
#include "inspect/exclusivity_checker.hpp"
#include "inspect/gap_probe.hpp"
#include "inspect/task_directory.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/error.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/inspect/interrupt_counts.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace regatta {
namespace {

/// The process of a thread; nothing if it has ended. Each thread has a folder in /proc like that of
/// a process, though it is not listed there.
std::optional<std::int64_t> process_of(int thread) {
    const std::string status =
        detail::read_small_file("/proc/" + std::to_string(thread) + "/status").value_or("");
    return detail::to_number(detail::status_field(status, "Tgid"));
}

} // namespace

exclusivity_report detail::check_exclusivity_below(const std::string& root, const cpu_set& cpus,
                                                   const exclusivity_check_options& options) {
    if (cpus.empty()) {
        fail_argument("no CPU to check: the list is empty");
    }
    const auto online = detail::online_cpus(root);
    if (online && !online->contains(cpus)) {
        fail_argument("CPUs '" + (cpus - *online).to_string() +
                      "' are off or do not exist; online are '" + online->to_string() + "'");
    }
    if (options.duration <= std::chrono::nanoseconds::zero()) {
        fail_argument("the duration of a check must be above 0");
    }
    if (options.threshold < std::chrono::nanoseconds(gap_histogram::edges.front())) {
        fail_argument("the threshold of gaps must be at least 100 ns");
    }
    for (const int owner : options.owners) {
        const auto process = owner > 0 ? process_of(owner) : std::nullopt;
        if (!process) {
            fail_argument("no process " + std::to_string(owner) + " to own the CPUs");
        }
        if (*process != owner) {
            fail_argument("no process " + std::to_string(owner) +
                          " to own the CPUs: it is a thread of process " +
                          std::to_string(*process));
        }
    }
    return detail::exclusivity_checker(cpus, options, root).run();
}

exclusivity_report check_exclusivity(const cpu_set& cpus,
                                     const exclusivity_check_options& options) {
    return detail::check_exclusivity_below({}, cpus, options);
}

} // namespace regatta
