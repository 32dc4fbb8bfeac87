// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How long the hypervisor kept a CPU from this machine.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/system_files.hpp>

#include <cstdint>
#include <optional>
#include <string>

#if REGATTA_LINUX
#include <unistd.h>
#endif

namespace regatta::detail {

/// Time that the hypervisor gave to others while `cpu` wanted to run, since boot, in nanoseconds;
/// counted in steps of as a rule 10 ms. Nothing: nobody counts it, or the CPU is off.
///
/// Threads: any. Failure: none. Source: proc_stat(5), the field `steal` of a line `cpuN`.
/// @param root a directory that stands in for `/`.
inline std::optional<std::int64_t> steal_time_ns(unsigned cpu, const std::string& root = {}) {
    const auto text = detail::read_small_file(root + "/proc/stat");
    const std::string start = "cpu" + std::to_string(cpu) + " ";
    for (const auto line : detail::split(text ? std::string_view(*text) : "", '\n')) {
        if (!line.starts_with("cpu")) {
            break;
        }
        if (!line.starts_with(start)) {
            continue;
        }
        // cpuN user nice system idle iowait irq softirq steal …
        const auto fields = detail::split(line, ' ');
        const auto ticks = fields.size() > 8 ? detail::to_number(fields[8]) : std::nullopt;
        if (!ticks || *ticks < 0) {
            return std::nullopt;
        }
#if REGATTA_LINUX
        const std::int64_t ticks_a_second = ::sysconf(_SC_CLK_TCK);
#else
        const std::int64_t ticks_a_second = 100;
#endif
        return *ticks * (1'000'000'000 / ticks_a_second);
    }
    return std::nullopt;
}

} // namespace regatta::detail
