// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/kernel_settings.hpp"

#include "machine/file_text.hpp"

#include <regatta/base/detail/system_files.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace regatta::race {
namespace {

constexpr std::string_view decisive[] = {
    "amd_pstate",
    "audit",
    "clocksource",
    "cpufreq.default_governor",
    "default_hugepagesz",
    "hugepages",
    "hugepagesz",
    "idle",
    "intel_idle.max_cstate",
    "intel_pstate",
    "irqaffinity",
    "isolcpus",
    "kpti",
    "maxcpus",
    "mem",
    "mitigations",
    "nmi_watchdog",
    "nohz",
    "nohz_full",
    "nopti",
    "nosmt",
    "nospectre_v2",
    "nr_cpus",
    "numa_balancing",
    "preempt",
    "processor.max_cstate",
    "pti",
    "rcu_nocbs",
    "skew_tick",
    "spectre_v2",
    "threadirqs",
    "transparent_hugepage",
    "tsc",
};

} // namespace

std::vector<mitigation> read_mitigations(const std::string& root) {
    std::vector<mitigation> found;
    namespace fs = std::filesystem;
    std::error_code error;
    fs::directory_iterator files(root + "/sys/devices/system/cpu/vulnerabilities", error);
    for (; !error && files != fs::directory_iterator(); files.increment(error)) {
        std::string state = line_of(files->path().string());
        if (!state.empty() && !state.starts_with("Not affected")) {
            found.push_back({files->path().filename().string(), std::move(state)});
        }
    }
    std::ranges::sort(found, {}, &mitigation::flaw);
    return found;
}

std::vector<std::string> read_boot_options(const std::string& root) {
    std::vector<std::string> found;
    const std::string line = line_of(root + "/proc/cmdline");
    for (const std::string_view option : detail::split(line, ' ')) {
        std::string name(option.substr(0, option.find('=')));
        std::ranges::replace(name, '-', '_'); // The kernel takes either.
        if (std::ranges::find(decisive, name) != std::ranges::end(decisive)) {
            found.emplace_back(option);
        }
    }
    return found;
}

} // namespace regatta::race
