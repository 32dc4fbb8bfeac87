// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Reads where control groups are mounted, and in which of them this process is.

#include <regatta/base/detail/system_files.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::detail {

/// One line of /proc/PID/cgroup: the group of a process in one hierarchy.
struct cgroup_line {
    std::string_view hierarchy;
    std::vector<std::string_view> controllers;
    std::string_view path; ///< As seen from the root of the hierarchy.

    /// The hierarchy of version 2 has the number 0 and names no controllers.
    bool v2() const noexcept { return hierarchy == "0" && controllers.empty(); }
    bool has(std::string_view controller) const noexcept {
        return std::find(controllers.begin(), controllers.end(), controller) != controllers.end();
    }
};

/// Parses "hierarchy:controllers:group"; nothing for any other text.
inline std::optional<cgroup_line> parse_cgroup_line(std::string_view line) {
    const auto first = line.find(':');
    const auto second = line.find(':', std::min(first, line.size() - 1) + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) {
        return std::nullopt;
    }
    return cgroup_line{line.substr(0, first),
                       split(line.substr(first + 1, second - first - 1), ','),
                       line.substr(second + 1)};
}

/// Decodes a path of mountinfo, which writes blanks and backslashes as three octal digits.
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

/// Where a hierarchy of control groups is mounted, and which group is the top of the mount.
struct cgroup_mount {
    std::string top;   ///< The group at the mount point, as seen from the hierarchy's root.
    std::string point; ///< The directory.
};

/// Finds the mount of the v2 hierarchy, or the v1 mount that has the controller.
inline std::optional<cgroup_mount> find_cgroup_mount(std::string_view mountinfo, bool v2,
                                                     std::string_view controller) {
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
        if (v2 ||
            std::find(controllers.begin(), controllers.end(), controller) != controllers.end()) {
            return cgroup_mount{unescape_mount(front[3]), unescape_mount(front[4])};
        }
    }
    return std::nullopt;
}

/// The directory of `group` below the mount point: "" for the top of the mount, else "/a/b".
///
/// Inside a container the mount may show only the container's own group as its top. A group outside
/// of what the mount shows counts as the top.
inline std::string group_below_mount(const cgroup_mount& mount, std::string_view group) {
    std::string_view below = group;
    if (mount.top != "/") {
        const bool is_below = group.substr(0, mount.top.size()) == mount.top &&
                              (group.size() == mount.top.size() || group[mount.top.size()] == '/');
        below = is_below ? group.substr(mount.top.size()) : std::string_view();
    }
    if (below.find("/..") != std::string_view::npos) {
        below = {};
    }
    while (!below.empty() && below.back() == '/') {
        below.remove_suffix(1);
    }
    return std::string(below);
}

} // namespace regatta::detail
