// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "inspect/steal_time.hpp"

#include <regatta/base/detail/system_files.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace regatta::detail {

std::optional<std::int64_t> steal_time_ns(unsigned cpu, const std::string& root) {
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
        const std::int64_t ticks_a_second = ::sysconf(_SC_CLK_TCK);
        return *ticks * (1'000'000'000 / ticks_a_second);
    }
    return std::nullopt;
}

std::int64_t steal_since(std::optional<std::int64_t>& last,
                         std::optional<std::int64_t> now) noexcept {
    if (!now) {
        return 0; // The next reading counts from the old one.
    }
    const std::int64_t before = last.value_or(*now);
    last = now;
    return std::max<std::int64_t>(*now - before, 0);
}

} // namespace regatta::detail
