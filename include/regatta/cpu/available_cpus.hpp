// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How many threads can run at once, the default size of a pool, and the CPU time that control
/// groups grant.

#include <regatta/base/config.hpp>

#include <algorithm>
#include <optional>
#include <string>

namespace regatta {
/// The CPU time that the control groups grant to this process, in CPUs (1.5: one and a half). It is
/// the smallest quota of its own group and all groups above, v1 and v2. Nothing: no known limit.
///
/// Threads: any.
/// Failure: never; an unreadable file limits nothing.
/// @param root a directory that replaces `/`, to inspect other machines.
/// Source: cgroups(7), the kernel's documentation of `cpu.max` and `cpu.cfs_quota_us`.
REGATTA_POOLS_EXPORT std::optional<double> cpu_quota(const std::string& root = {});

/// `cpus` capped by `quota`, which is rounded up; never below 1.
inline unsigned cap_cpus(unsigned cpus, std::optional<double> quota) noexcept {
    if (quota && *quota <= static_cast<double>(cpus) - 1) {
        const auto whole = static_cast<unsigned>(*quota);
        cpus = whole + (static_cast<double>(whole) < *quota ? 1 : 0);
    }
    return std::max(1u, cpus);
}

/// The number of CPUs that the calling thread may keep busy, at least 1: the CPUs of its affinity
/// mask, capped by the CPU quota of its control groups. The kernel has already removed CPUs that
/// the cpuset forbids from the mask.
///
/// `std::thread::hardware_concurrency()` ignores quotas: a container with a quota of two CPUs on a
/// large machine gets far too many threads.
///
/// Threads: any; a pinned thread gets its own, smaller result.
/// Failure: never; an unreadable file limits nothing.
/// Cost: reads about ten small files; call it once.
/// @param root a directory that replaces `/` when the quota is read.
REGATTA_POOLS_EXPORT unsigned available_cpus(const std::string& root = {});

} // namespace regatta

#if REGATTA_POOLS_DEFINITIONS

#include <regatta/base/detail/cgroup_files.hpp>
#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/detail/text_parts.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <initializer_list>
#include <limits>
#include <string_view>
#include <thread>

namespace regatta {
namespace detail {

/// A number above 0; 0 for any other text. v1 writes -1 for "no limit", v2 writes "max".
REGATTA_RARE inline double positive(std::string_view text) noexcept {
    const auto number = to_number(text);
    return number && *number > 0 ? static_cast<double>(*number) : 0;
}
/// The text of the file with that path; "" if it cannot be read.
REGATTA_RARE inline std::string text_of_file(std::initializer_list<std::string_view> path) {
    return read_small_file(text_of(path)).value_or(std::string());
}

/// The CPUs that the group in a directory grants; `unlimited` if it sets no limit.
inline constexpr double unlimited = std::numeric_limits<double>::infinity();
REGATTA_RARE inline double quota_of_group(std::string_view root, std::string_view mount,
                                          std::string_view group, bool v2) {
    // "max 100000" or "150000 100000" in one file of v2; a number in each of two files of v1.
    const std::string first =
        text_of_file({root, mount, group, v2 ? "/cpu.max" : "/cpu.cfs_quota_us"});
    const std::string second =
        v2 ? first : text_of_file({root, mount, group, "/cpu.cfs_period_us"});
    std::string_view text = first;
    const double quota = positive(next_part(text, ' '));
    text = second;
    if (v2) {
        next_part(text, ' ');
    }
    const double period = positive(next_part(text, ' '));
    return quota == 0 || period == 0 || !next_part(text, ' ').empty() ? unlimited : quota / period;
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

REGATTA_RARE REGATTA_POOLS_API std::optional<double> cpu_quota(const std::string& root) {
    const std::string groups = detail::text_of_own_file(root, "cgroup");
    const std::string mounts = detail::text_of_own_file(root, "mountinfo");
    double smallest = detail::unlimited;
    std::string_view rest = groups;
    for (auto line = detail::next_part(rest, '\n'); !line.empty();
         line = detail::next_part(rest, '\n')) {
        const auto own = detail::parse_cgroup_line(line);
        if (!own || (!own->v2() && !own->has("cpu"))) {
            continue;
        }
        if (const auto mount = detail::find_cgroup_mount(mounts, own->v2(), "cpu", own->path)) {
            smallest =
                std::min(smallest, detail::quota_of_ancestors(root, *mount, own->path, own->v2()));
        }
    }
    return smallest < detail::unlimited ? std::optional(smallest) : std::nullopt;
}
REGATTA_RARE REGATTA_POOLS_API unsigned available_cpus(const std::string& root) {
    cpu_set allowed;
    const bool known = try_affinity_of_this_thread(allowed) == 0;
    return cap_cpus(known ? allowed.count() : std::thread::hardware_concurrency(), cpu_quota(root));
}

} // namespace regatta

#endif
