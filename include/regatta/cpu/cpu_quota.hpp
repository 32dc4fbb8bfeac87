// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How much CPU time the control groups of this process grant it.

#include <regatta/cpu/system_files.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace regatta {
namespace detail {

/// mountinfo writes blanks and backslashes in paths as three octal digits.
inline std::string unescape_mount(std::string_view text) {
    std::string path;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && text.size() - i > 3) {
            int code = 0;
            for (std::size_t k = 1; k <= 3; ++k) {
                code = code * 8 + (text[i + k] - '0');
            }
            path += static_cast<char>(code);
            i += 3;
        } else {
            path += text[i];
        }
    }
    return path;
}

/// Where a hierarchy of control groups is mounted, and which of its groups is the mount's top.
struct cgroup_mount {
    std::string top;   ///< The group at the mount point, as seen from the hierarchy's root.
    std::string point; ///< The directory.
};

/// The mount of the v2 hierarchy, or the v1 mount that has the `cpu` controller.
inline std::optional<cgroup_mount> find_cgroup_mount(std::string_view mountinfo, bool v2) {
    for (const auto line : split(mountinfo, '\n')) {
        // id parent device root point options [optional fields] - type source super-options
        const auto dash = line.find(" - ");
        if (dash == std::string_view::npos) {
            continue;
        }
        const auto front = split(line.substr(0, dash), ' ');
        const auto back = split(line.substr(dash + 3), ' ');
        if (front.size() < 5 || back.size() < 3 || back[0] != (v2 ? "cgroup2" : "cgroup")) {
            continue;
        }
        const auto controllers = split(back[2], ',');
        if (v2 || std::find(controllers.begin(), controllers.end(), "cpu") != controllers.end()) {
            return cgroup_mount{unescape_mount(front[3]), unescape_mount(front[4])};
        }
    }
    return std::nullopt;
}

/// CPUs that the group in `directory` grants; nothing where it grants without limit.
inline std::optional<double> quota_of_group(const std::string& directory, bool v2) {
    std::optional<std::int64_t> quota;
    std::optional<std::int64_t> period;
    if (v2) {
        // "max 100000" or "150000 100000"
        const auto text = read_small_file(directory + "/cpu.max");
        const auto fields = split(text ? std::string_view(*text) : std::string_view(), ' ');
        if (fields.size() == 2) {
            quota = to_number(fields[0]);
            period = to_number(fields[1]);
        }
    } else {
        const auto quota_text = read_small_file(directory + "/cpu.cfs_quota_us");
        const auto period_text = read_small_file(directory + "/cpu.cfs_period_us");
        quota = quota_text ? to_number(*quota_text) : std::nullopt;
        period = period_text ? to_number(*period_text) : std::nullopt;
    }
    if (!quota || !period || *quota <= 0 || *period <= 0) {
        return std::nullopt; // v1 writes -1 for "no limit"
    }
    return static_cast<double>(*quota) / static_cast<double>(*period);
}

/// The smallest quota of `group` and of every group above it that the mount shows.
inline std::optional<double> quota_of_ancestors(const std::string& root, const cgroup_mount& mount,
                                                std::string_view group, bool v2) {
    // Inside a container the mount may show only the container's own group as its top.
    std::string_view below = group;
    if (mount.top != "/") {
        const bool is_below = group.substr(0, mount.top.size()) == mount.top &&
                              (group.size() == mount.top.size() || group[mount.top.size()] == '/');
        below = is_below ? group.substr(mount.top.size()) : std::string_view();
    }
    if (below.find("/..") != std::string_view::npos) {
        below = {}; // The group lies outside of what this namespace can see.
    }
    std::optional<double> smallest;
    for (std::string path(below);;) {
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

/// The CPU time that the control groups grant to this process, in CPUs (1.5: one and a half); the
/// smallest of its own group and all groups above, v1 and v2. Nothing: no limit is known.
///
/// Threads: any. Failure: none; what cannot be read limits nothing.
/// @param root a directory that stands in for `/`, so that other machines can be looked at.
/// Source: cgroups(7), the kernel's documentation of `cpu.max` and `cpu.cfs_quota_us`.
inline std::optional<double> cpu_quota(const std::string& root = {}) {
    const auto groups = detail::read_small_file(root + "/proc/self/cgroup");
    const auto mounts = detail::read_small_file(root + "/proc/self/mountinfo");
    if (!groups || !mounts) {
        return std::nullopt;
    }
    std::optional<double> smallest;
    for (const auto line : detail::split(*groups, '\n')) {
        // hierarchy:controllers:group; v2 is hierarchy 0 and has no controllers
        const auto first = line.find(':');
        const auto second = line.find(':', std::min(first, line.size() - 1) + 1);
        if (first == std::string_view::npos || second == std::string_view::npos) {
            continue;
        }
        const auto controllers = detail::split(line.substr(first + 1, second - first - 1), ',');
        const bool v2 = line.substr(0, first) == "0" && controllers.empty();
        if (!v2 && std::find(controllers.begin(), controllers.end(), "cpu") == controllers.end()) {
            continue;
        }
        const auto mount = detail::find_cgroup_mount(*mounts, v2);
        if (!mount) {
            continue;
        }
        if (const auto quota =
                detail::quota_of_ancestors(root, *mount, line.substr(second + 1), v2)) {
            smallest = std::min(smallest.value_or(*quota), *quota);
        }
    }
    return smallest;
}

} // namespace regatta
