// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The CPU time that control groups grant to this process.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/cgroup_files.hpp>
#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/detail/text_parts.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace regatta {
namespace detail {

/// The CPUs that the group in a directory grants; `unlimited` if it sets no limit.
inline constexpr double unlimited = std::numeric_limits<double>::infinity();
REGATTA_RARE inline double quota_of_group(std::string_view root, std::string_view mount,
                                          std::string_view group, bool v2) {
    // "max 100000" or "150000 100000" in one file of v2; a number in each of two files of v1.
    const auto first = read_small_file(
        text_of({root, mount, group, v2 ? "/cpu.max" : "/cpu.cfs_quota_us"}));
    const auto second =
        v2 ? first : read_small_file(text_of({root, mount, group, "/cpu.cfs_period_us"}));
    if (!first || !second) {
        return unlimited;
    }
    std::string_view text = *first;
    const auto quota = to_number(next_part(text, ' '));
    text = v2 ? text : *second;
    const auto period = to_number(next_part(text, ' '));
    if (!quota || !period || *quota <= 0 || *period <= 0 || !next_part(text, ' ').empty()) {
        return unlimited; // v1 writes -1 for "no limit"
    }
    return static_cast<double>(*quota) / static_cast<double>(*period);
}

/// The smallest quota of `group` and of each of its ancestors that the mount shows.
REGATTA_RARE inline double quota_of_ancestors(std::string_view root, const cgroup_mount& mount,
                                              std::string_view group, bool v2) {
    const std::string below = group_below_mount(mount, group);
    std::string_view path = below;
    for (double smallest = unlimited;;) {
        while (!path.empty() && path.back() == '/') {
            path.remove_suffix(1);
        }
        smallest = std::min(smallest, quota_of_group(root, mount.point, path, v2));
        if (path.empty()) {
            return smallest;
        }
        while (!path.empty() && path.back() != '/') {
            path.remove_suffix(1);
        }
    }
}

} // namespace detail

/// The CPU time that the control groups grant to this process, in CPUs (1.5: one and a half). It is
/// the smallest quota of its own group and all groups above, v1 and v2. Nothing: no known limit.
///
/// Threads: any.
/// Failure: never; an unreadable file limits nothing.
/// @param root a directory that replaces `/`, to inspect other machines.
/// Source: cgroups(7), the kernel's documentation of `cpu.max` and `cpu.cfs_quota_us`.
REGATTA_RARE inline std::optional<double> cpu_quota(const std::string& root = {}) {
    const auto groups = detail::read_small_file(detail::text_of({root, "/proc/self/cgroup"}));
    const auto mounts = detail::read_small_file(detail::text_of({root, "/proc/self/mountinfo"}));
    if (!groups || !mounts) {
        return std::nullopt;
    }
    double smallest = detail::unlimited;
    std::string_view rest = *groups;
    for (auto line = detail::next_part(rest, '\n'); !line.empty();
         line = detail::next_part(rest, '\n')) {
        const auto own = detail::parse_cgroup_line(line);
        if (!own || (!own->v2() && !own->has("cpu"))) {
            continue;
        }
        if (const auto mount = detail::find_cgroup_mount(*mounts, own->v2(), "cpu")) {
            smallest = std::min(smallest,
                                detail::quota_of_ancestors(root, *mount, own->path, own->v2()));
        }
    }
    return smallest < detail::unlimited ? std::optional(smallest) : std::nullopt;
}

} // namespace regatta
