// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The CPU time that control groups grant to this process.

#include <regatta/base/detail/cgroup_files.hpp>
#include <regatta/base/detail/system_files.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace regatta {
namespace detail {

/// The CPUs that the group in `directory` grants; nothing if it sets no limit.
inline std::optional<double> quota_of_group(const std::string& directory, bool v2) {
    std::optional<std::int64_t> quota;
    std::optional<std::int64_t> period;
    if (v2) {
        // "max 100000" or "150000 100000"
        const auto text = detail::read_small_file(directory + "/cpu.max");
        const auto fields = split(text ? std::string_view(*text) : std::string_view(), ' ');
        if (fields.size() == 2) {
            quota = to_number(fields[0]);
            period = to_number(fields[1]);
        }
    } else {
        const auto quota_text = detail::read_small_file(directory + "/cpu.cfs_quota_us");
        const auto period_text = detail::read_small_file(directory + "/cpu.cfs_period_us");
        quota = quota_text ? to_number(*quota_text) : std::nullopt;
        period = period_text ? to_number(*period_text) : std::nullopt;
    }
    if (!quota || !period || *quota <= 0 || *period <= 0) {
        return std::nullopt; // v1 writes -1 for "no limit"
    }
    return static_cast<double>(*quota) / static_cast<double>(*period);
}

/// The smallest quota of `group` and of each of its ancestors that the mount shows.
inline std::optional<double> quota_of_ancestors(const std::string& root,
                                                const detail::cgroup_mount& mount,
                                                std::string_view group, bool v2) {
    std::optional<double> smallest;
    for (std::string path = detail::group_below_mount(mount, group);;) {
        while (!path.empty() && path.back() == '/') {
            path.pop_back();
        }
        if (const auto quota = quota_of_group(root + mount.point + path, v2)) {
            smallest = std::min(smallest.value_or(*quota), *quota);
        }
        if (path.empty()) {
            return smallest;
        }
        path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
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
inline std::optional<double> cpu_quota(const std::string& root = {}) {
    const auto groups = detail::read_small_file(root + "/proc/self/cgroup");
    const auto mounts = detail::read_small_file(root + "/proc/self/mountinfo");
    if (!groups || !mounts) {
        return std::nullopt;
    }
    std::optional<double> smallest;
    for (const auto line : detail::split(*groups, '\n')) {
        const auto own = detail::parse_cgroup_line(line);
        if (!own || (!own->v2() && !own->has("cpu"))) {
            continue;
        }
        const auto mount = detail::find_cgroup_mount(*mounts, own->v2(), "cpu");
        if (!mount) {
            continue;
        }
        if (const auto quota = detail::quota_of_ancestors(root, *mount, own->path, own->v2())) {
            smallest = std::min(smallest.value_or(*quota), *quota);
        }
    }
    return smallest;
}

} // namespace regatta
