// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/cpu_activity.hpp"

#include "machine/file_text.hpp"

#include <regatta/base/detail/system_files.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <string_view>
#include <system_error>

namespace regatta::race {
namespace {

/// A row of /proc/stat: name user nice system idle iowait irq softirq steal …; what an old kernel
/// does not have is 0. The time of guests is part of user and nice.
cpu_counters counters_of(std::string_view row) {
    const auto fields = detail::split(row, ' ');
    const auto field = [&](std::size_t at) -> std::int64_t {
        return at < fields.size() ? detail::to_number(fields[at]).value_or(0) : 0;
    };
    cpu_counters counters;
    counters.user = field(1) + field(2);
    counters.system = field(3);
    counters.idle = field(4);
    counters.iowait = field(5);
    counters.interrupt = field(6) + field(7);
    counters.steal = field(8);
    return counters;
}

/// From the lines "processor : N" and "cpu MHz : F" of /proc/cpuinfo.
std::map<unsigned, double> clocks_of_cpuinfo(const std::string& text) {
    std::map<unsigned, double> clocks;
    unsigned cpu = 0;
    for (const std::string_view line : detail::split(text, '\n')) {
        const auto colon = line.find(':');
        if (colon == line.npos) {
            continue;
        }
        const std::string_view key = detail::trimmed(line.substr(0, colon));
        const std::string_view value = detail::trimmed(line.substr(colon + 1));
        if (key == "processor") {
            cpu = static_cast<unsigned>(detail::to_number(value).value_or(0));
        } else if (key == "cpu MHz") {
            double mhz = 0;
            const auto read = std::from_chars(value.data(), value.data() + value.size(), mhz);
            if (read.ec == std::errc{} && mhz > 0) {
                clocks[cpu] = mhz;
            }
        }
    }
    return clocks;
}

} // namespace

cpu_activity read_cpu_activity(const std::string& root) {
    cpu_activity now;
    const std::string stat = text_of_file(root + "/proc/stat");
    for (const std::string_view line : detail::split(stat, '\n')) {
        if (!line.starts_with("cpu")) {
            break;
        }
        if (line.starts_with("cpu ")) {
            now.all = counters_of(line);
        } else if (const auto cpu = detail::to_number(line.substr(3, line.find(' ') - 3));
                   cpu && *cpu >= 0) {
            now.cpus.push_back(counters_of(line));
            now.cpus.back().cpu = static_cast<unsigned>(*cpu);
        }
    }
    const auto told = clocks_of_cpuinfo(text_of_file(root + "/proc/cpuinfo"));
    for (const cpu_counters& one : now.cpus) {
        if (const auto found = told.find(one.cpu); found != told.end()) {
            now.clocks.push_back(found->second);
            continue;
        }
        // In kHz. Last, since some kernels take 10 ms a CPU for it.
        const auto khz = number_of(root + "/sys/devices/system/cpu/cpu" + std::to_string(one.cpu) +
                                   "/cpufreq/scaling_cur_freq");
        now.clocks.push_back(khz && *khz > 0 ? std::optional(static_cast<double>(*khz) / 1e3)
                                             : std::nullopt);
    }
    return now;
}

std::optional<cpu_shares> shares_between(const cpu_counters& before,
                                         const cpu_counters& after) noexcept {
    const auto passed = [](std::int64_t earlier, std::int64_t later) {
        return static_cast<double>(std::max<std::int64_t>(0, later - earlier));
    };
    cpu_shares shares;
    shares.user = passed(before.user, after.user);
    shares.system = passed(before.system, after.system);
    shares.interrupt = passed(before.interrupt, after.interrupt);
    shares.steal = passed(before.steal, after.steal);
    shares.iowait = passed(before.iowait, after.iowait);
    shares.idle = passed(before.idle, after.idle);
    const double all = shares.busy() + shares.steal + shares.iowait + shares.idle;
    if (!(all > 0)) {
        return std::nullopt;
    }
    for (double* const share : {&shares.user, &shares.system, &shares.interrupt, &shares.steal,
                                &shares.iowait, &shares.idle}) {
        *share /= all;
    }
    return shares;
}

std::vector<cpu_use> use_between(const cpu_activity& before, const cpu_activity& after) {
    std::vector<cpu_use> uses;
    for (std::size_t i = 0; i < after.cpus.size(); ++i) {
        const cpu_counters& now = after.cpus[i];
        const auto then = std::ranges::find(before.cpus, now.cpu, &cpu_counters::cpu);
        uses.push_back({now.cpu,
                        then != before.cpus.end() ? shares_between(*then, now) : std::nullopt,
                        after.clocks[i]});
    }
    return uses;
}

} // namespace regatta::race
