// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Clocks in a time namespace: a container may have one.

#include <regatta/base/detail/system_files.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace regatta::detail {

/// What the time namespace of this process adds to a clock, in nanoseconds: its own clocks and the
/// times in /proc contain it, the records of perf events do not.
/// @param clock "monotonic" or "boottime".
/// @param root a directory to use instead of `/`.
inline std::int64_t time_namespace_offset_ns(std::string_view clock, const std::string& root = {}) {
    // "boottime 1000 0": seconds and nanoseconds. Older kernels lack the file, and the namespaces.
    const auto offsets = read_small_file(root + "/proc/self/timens_offsets");
    for (const auto line : split(offsets ? std::string_view(*offsets) : std::string_view(), '\n')) {
        const auto words = split(line, ' ');
        if (words.size() == 3 && words[0] == clock) {
            return to_number(words[1]).value_or(0) * 1'000'000'000 +
                   to_number(words[2]).value_or(0);
        }
    }
    return 0;
}

} // namespace regatta::detail
