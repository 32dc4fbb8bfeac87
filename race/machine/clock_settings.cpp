// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/clock_settings.hpp"

#include "machine/file_text.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace regatta::race {
namespace {

/// Where it is told in kHz.
std::optional<double> mhz_of(const std::string& path) {
    const auto khz = number_of(path);
    return khz && *khz > 0 ? std::optional(static_cast<double>(*khz) / 1000) : std::nullopt;
}

std::optional<bool> boost_of(const std::string& cpus) {
    if (const auto off = flag_of(cpus + "intel_pstate/no_turbo")) {
        return !*off;
    }
    if (const auto on = flag_of(cpus + "cpufreq/boost")) {
        return on;
    }
    return flag_of(cpus + "cpu0/cpufreq/cpb");
}

/// Whether the mains supplies, of which there is at least one, are all unplugged.
std::optional<bool> battery_of(const std::string& folder) {
    namespace fs = std::filesystem;
    std::optional<bool> unplugged;
    std::error_code error;
    for (const auto& supply : fs::directory_iterator(folder, error)) {
        const std::string path = supply.path().string() + '/';
        if (const auto plugged = flag_of(path + "online");
            plugged && line_of(path + "type") == "Mains") {
            unplugged = unplugged.value_or(true) && !*plugged;
        }
    }
    return unplugged;
}

/// What is told of each CPU.
void read_policies(const cpu_set& online, const std::string& cpus, clock_settings& into) {
    std::vector<std::string> governors;
    std::vector<std::string> preferences;
    std::map<std::string, std::int64_t> throttled; ///< By the siblings of a core: each has a count.
    const auto collect = [](const std::string& path, std::vector<std::string>& all) {
        std::string one = line_of(path);
        if (!one.empty() && std::ranges::find(all, one) == all.end()) {
            all.push_back(std::move(one));
        }
    };
    for (const unsigned cpu : online) {
        const std::string folder = cpus + "cpu" + std::to_string(cpu) + '/';
        collect(folder + "cpufreq/scaling_governor", governors);
        collect(folder + "cpufreq/energy_performance_preference", preferences);
        const auto lowest = mhz_of(folder + "cpufreq/cpuinfo_min_freq");
        if (lowest && (!into.lowest_mhz || *lowest < *into.lowest_mhz)) {
            into.lowest_mhz = lowest;
        }
        const auto highest = mhz_of(folder + "cpufreq/cpuinfo_max_freq");
        if (highest && (!into.highest_mhz || *highest > *into.highest_mhz)) {
            into.highest_mhz = highest;
        }
        const auto limit = mhz_of(folder + "cpufreq/scaling_max_freq");
        if (limit && highest &&
            (!into.limit_mhz || *limit / *highest < *into.limit_mhz / *into.full_mhz)) {
            into.limit_mhz = limit;
            into.full_mhz = highest;
        }
        if (const auto count = number_of(folder + "thermal_throttle/core_throttle_count")) {
            std::string siblings = line_of(folder + "topology/core_cpus_list");
            if (siblings.empty()) { // Linux before 5.3
                siblings = line_of(folder + "topology/thread_siblings_list");
            }
            std::int64_t& of_core = throttled[siblings.empty() ? std::to_string(cpu) : siblings];
            of_core = std::max(of_core, *count);
        }
    }
    for (const auto& [core, count] : throttled) {
        into.throttled = into.throttled.value_or(0) + count;
    }
    into.governor = joined(governors, ", ");
    into.preference = joined(preferences, ", ");
}

} // namespace

bool clock_settings::slow_time() const noexcept {
    constexpr std::string_view slow[] = {"hpet",    "acpi_pm",         "pit",
                                         "jiffies", "refined-jiffies", "xen"};
    return std::ranges::find(slow, time_source) != std::ranges::end(slow);
}

clock_settings read_clock_settings(const cpu_set& online, const std::string& root) {
    clock_settings found;
    const std::string cpus = root + "/sys/devices/system/cpu/";
    read_policies(online.empty() ? cpu_set{0} : online, cpus, found);
    const std::string first = cpus + "cpu" + std::to_string(online.empty() ? 0 : *online.begin());
    found.driver = line_of(first + "/cpufreq/scaling_driver");
    found.base_mhz = mhz_of(first + "/cpufreq/base_frequency");
    found.now_mhz = decimal(value_of(root + "/proc/cpuinfo", "cpu MHz", ':'));
    if (found.now_mhz.value_or(0) <= 0) {
        found.now_mhz = mhz_of(first + "/cpufreq/scaling_cur_freq");
    }
    found.boost = boost_of(cpus);
    found.on_battery = battery_of(root + "/sys/class/power_supply");
    found.time_source =
        line_of(root + "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    return found;
}

} // namespace regatta::race
