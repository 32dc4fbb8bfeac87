// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The control groups that count the memory of this process.

#include <regatta/base/detail/cgroup_files.hpp>
#include <regatta/base/detail/system_files.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::detail {

/// A control group of this process, in a hierarchy that may count memory.
struct memory_group {
    std::string mount; ///< The directory where the hierarchy is mounted.
    std::string below; ///< The group below it: "" for the top of the mount, else "/a/b".
    bool v2;
};

/// Those of all hierarchies: the one of version 2, and of version 1 the one of memory.
/// @param root a directory to use instead of `/`; the mounts have it as prefix.
inline std::vector<memory_group> memory_groups(const std::string& root) {
    const std::string groups = text_of_own_file(root, "cgroup");
    const std::string mounts = text_of_own_file(root, "mountinfo");
    std::vector<memory_group> all;
    for (const auto text : split(std::string_view(groups), '\n')) {
        const auto line = parse_cgroup_line(text);
        if (!line || !(line->v2() || line->has("memory"))) {
            continue;
        }
        if (const auto mount = find_cgroup_mount(mounts, line->v2(), "memory", line->path)) {
            all.push_back({root + mount->point, group_below_mount(*mount, line->path), line->v2()});
        }
    }
    return all;
}

} // namespace regatta::detail
