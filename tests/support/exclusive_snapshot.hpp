// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Everything that a lease of CPUs can change, as text, so that before and after can be compared.

#include "lease/exclusive_system.hpp"
#include "lease/exclusive_tasks.hpp"

#include <regatta/base/detail/system_files.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace exclusive_test {

/// By file or task: what it says.
using snapshot = std::map<std::string, std::string>;

/// Files of groups that a lease writes, or in which its doings show.
inline constexpr std::string_view group_files[] = {
    "cgroup.subtree_control",   "cgroup.type",           "cpuset.cpus",
    "cpuset.cpus.effective",    "cpuset.cpus.exclusive", "cpuset.cpus.isolated",
    "cpuset.cpus.partition",    "cpuset.mems",           "cpuset.cpu_exclusive",
    "cpuset.sched_load_balance"};

/// The groups at and below `top`.
inline void add_groups(snapshot& all, regatta::detail::exclusive_system& system,
                       const std::string& top) {
    all[top] = "a group";
    for (const std::string_view file : group_files) {
        const std::string path = top + "/" + std::string(file);
        if (const auto text = system.read(path)) {
            all[path] = *text;
        }
    }
    for (const std::string& name : system.list_folders(top)) {
        add_groups(all, system, top + "/" + name);
    }
}

/// Where interrupts and the kernel's own work go.
inline void add_interrupts(snapshot& all, regatta::detail::exclusive_system& system) {
    std::vector<std::string> files{"/proc/irq/default_smp_affinity",
                                   "/sys/devices/virtual/workqueue/cpumask"};
    for (const std::string& number : system.list_folders("/proc/irq")) {
        files.push_back("/proc/irq/" + number + "/smp_affinity");
    }
    for (const std::string& file : files) {
        if (const auto text = system.read(file)) {
            all[file] = *text;
        }
    }
}

/// The mask and the groups of the tasks of some processes; of every one without, but for those of
/// the kernel, which come and go.
inline void add_tasks(snapshot& all, regatta::detail::exclusive_system& system,
                      std::vector<std::string> processes = {}) {
    if (processes.empty()) {
        processes = system.list_folders("/proc");
        std::erase_if(processes,
                      [](const std::string& name) { return !regatta::detail::to_number(name); });
    }
    for (const std::string& process : processes) {
        for (const std::string& task : system.list_folders("/proc/" + process + "/task")) {
            const std::string folder = "/proc/" + process + "/task/" + task;
            const auto status = system.read(folder + "/status");
            const auto groups = system.read(folder + "/cgroup");
            const auto details =
                regatta::detail::read_task_details(system, std::stoi(process), std::stoi(task));
            if (status && details && !details->of_kernel) {
                all[folder] = std::string(regatta::detail::status_field(*status, "Cpus_allowed")) +
                              "\n" + groups.value_or("");
            }
        }
    }
}

/// What differs, for a message; empty if nothing does.
inline std::string difference(const snapshot& before, const snapshot& after) {
    std::string text;
    for (const auto& [name, value] : before) {
        const auto found = after.find(name);
        if (found == after.end()) {
            text += name + " is gone, it was " + value + "\n";
        } else if (found->second != value) {
            text += name + " was " + value + "  is " + found->second + "\n";
        }
    }
    for (const auto& [name, value] : after) {
        if (!before.contains(name)) {
            text += name + " is new: " + value + "\n";
        }
    }
    return text;
}

} // namespace exclusive_test
