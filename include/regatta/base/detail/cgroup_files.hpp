// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Reads where control groups are mounted, and in which of them this process is.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/text_parts.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace regatta::detail {

/// Whether a list of words, separated by commas, has the word.
REGATTA_RARE inline bool lists(std::string_view words, std::string_view word) noexcept {
    for (auto part = next_part(words, ','); !part.empty(); part = next_part(words, ',')) {
        if (part == word) {
            return true;
        }
    }
    return false;
}

/// One line of /proc/PID/cgroup: the group of a process in one hierarchy.
struct cgroup_line {
    std::string_view hierarchy;
    std::string_view controllers;
    std::string_view path; ///< As seen from the root of the hierarchy.

    /// The hierarchy of version 2 has the number 0 and names no controllers.
    bool v2() const noexcept { return hierarchy == "0" && controllers.empty(); }
    bool has(std::string_view controller) const noexcept { return lists(controllers, controller); }
};

/// Parses "hierarchy:controllers:group"; nothing for any other text.
inline std::optional<cgroup_line> parse_cgroup_line(std::string_view line) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) {
        return std::nullopt;
    }
    return cgroup_line{{line.data(), first},
                       {line.data() + first + 1, second - first - 1},
                       {line.data() + second + 1, line.size() - second - 1}};
}

/// Decodes a path of mountinfo, which writes blanks and backslashes as three octal digits.
REGATTA_RARE inline std::string unescape_mount(std::string_view text) {
    std::string path = text_of({text});
    std::size_t length = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        int code = text[i];
        if (code == '\\' && text.size() - i > 3) {
            code = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
            i += 3;
        }
        path[length++] = static_cast<char>(code);
    }
    return text_of({{path.data(), length}});
}

/// Where a hierarchy of control groups is mounted, and which group is the top of the mount.
struct cgroup_mount {
    std::string top;   ///< The group at the mount point, as seen from the hierarchy's root.
    std::string point; ///< The directory.
};

/// Whether a mount whose top is the group `top` shows `group`.
REGATTA_RARE inline bool shows(std::string_view top, std::string_view group) noexcept {
    return top == "/" ||
           (group.starts_with(top) && (group.size() == top.size() || group[top.size()] == '/'));
}

/// Finds the mount of the v2 hierarchy, or the v1 mount that has the controller: the first one that
/// shows `group`, or else the first one. A container may have a mount of its host beside its own.
REGATTA_RARE inline std::optional<cgroup_mount> find_cgroup_mount(std::string_view mountinfo,
                                                                  bool v2,
                                                                  std::string_view controller,
                                                                  std::string_view group = {}) {
    std::optional<cgroup_mount> found;
    for (auto line = next_part(mountinfo, '\n'); !line.empty(); line = next_part(mountinfo, '\n')) {
        // id parent device root point options [optional fields] - type source super-options
        std::string_view fields[5];
        for (std::string_view& field : fields) {
            field = next_part(line, ' ');
        }
        for (std::string_view field = fields[4]; !field.empty() && field != "-";) {
            field = next_part(line, ' ');
        }
        const std::string_view type = next_part(line, ' ');
        // The last word: the source before it may be an empty field.
        const std::string_view options = line.substr(line.rfind(' ') + 1);
        if (!options.empty() && type == (v2 ? "cgroup2" : "cgroup") &&
            (v2 || lists(options, controller))) {
            cgroup_mount mount{unescape_mount(fields[3]), unescape_mount(fields[4])};
            const bool is_it = shows(mount.top, group);
            if (is_it || !found) {
                found = std::move(mount);
            }
            if (is_it) {
                break;
            }
        }
    }
    return found;
}

/// The directory of `group` below the mount point: "" for the top of the mount, else "/a/b".
///
/// Inside a container the mount may show only the container's own group as its top. A group outside
/// of what the mount shows counts as the top.
REGATTA_RARE inline std::string group_below_mount(const cgroup_mount& mount,
                                                  std::string_view group) {
    if (mount.top != "/") {
        group.remove_prefix(shows(mount.top, group) ? mount.top.size() : group.size());
    }
    if (group.ends_with("/..") || group.find("/../") != std::string_view::npos) {
        group = {};
    }
    while (!group.empty() && group.back() == '/') {
        group.remove_suffix(1);
    }
    return text_of({group});
}

} // namespace regatta::detail
