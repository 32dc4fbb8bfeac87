// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/control_group.hpp"

#include "machine/file_text.hpp"

#include <regatta/base/detail/cgroup_files.hpp>
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/available_cpus.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace regatta::race {
namespace {

/// A group of this process and those above it, as directories.
struct group_chain {
    std::string path;
    bool v2 = false;
    std::vector<std::string> directories; ///< Its own first.
};

/// The groups that hold this process with a controller; on a machine that mixes both versions there
/// may be two chains.
std::vector<group_chain> chains_of(const std::string& root, std::string_view controller) {
    const auto groups = detail::read_small_file(root + "/proc/self/cgroup");
    const auto mounts = detail::read_small_file(root + "/proc/self/mountinfo");
    std::vector<group_chain> chains;
    if (!groups || !mounts) {
        return chains;
    }
    for (const auto line : detail::split(*groups, '\n')) {
        const auto own = detail::parse_cgroup_line(line);
        if (!own || (!own->v2() && !own->has(controller))) {
            continue;
        }
        const auto mount = detail::find_cgroup_mount(*mounts, own->v2(), controller, own->path);
        if (!mount) {
            continue;
        }
        group_chain chain{std::string(own->path), own->v2(), {}};
        std::string below = detail::group_below_mount(*mount, own->path);
        while (!below.empty()) {
            chain.directories.push_back(root + mount->point + below);
            below.resize(below.rfind('/'));
        }
        chain.directories.push_back(root + mount->point);
        chains.push_back(std::move(chain));
    }
    return chains;
}

std::uint64_t count_in(const std::string& path, std::string_view key) {
    const auto value = decimal(value_of(path, key, ' '));
    return value && *value > 0 ? static_cast<std::uint64_t>(*value) : 0;
}

void read_throttling(const group_chain& chain, control_group& into) {
    for (const std::string& directory : chain.directories) {
        const std::string path = directory + "/cpu.stat";
        const std::uint64_t throttled = count_in(path, "nr_throttled");
        if (throttled >= into.throttled_periods && count_in(path, "nr_periods") > 0) {
            into.periods = count_in(path, "nr_periods");
            into.throttled_periods = throttled;
            into.throttled_ns =
                static_cast<std::int64_t>(chain.v2 ? count_in(path, "throttled_usec") * 1000
                                                   : count_in(path, "throttled_time"));
        }
    }
}

std::optional<double> weight_of(const group_chain& chain) {
    const std::string& own = chain.directories.front();
    const auto weight = number_of(own + (chain.v2 ? "/cpu.weight" : "/cpu.shares"));
    const double usual = chain.v2 ? 100 : 1024;
    return weight ? std::optional(static_cast<double>(*weight) / usual) : std::nullopt;
}

/// Without what the kernel takes back before it refuses memory: caches, of files above all.
std::optional<std::uint64_t> used_memory(const std::string& directory, bool v2) {
    const auto all = number_of(directory + (v2 ? "/memory.current" : "/memory.usage_in_bytes"));
    if (!all) {
        return std::nullopt;
    }
    const auto bytes = static_cast<std::uint64_t>(*all);
    const std::string stat = directory + "/memory.stat";
    // Of version 1 only the totals count the groups below.
    const std::uint64_t caches =
        v2 ? count_in(stat, "inactive_file") + count_in(stat, "active_file") +
                 count_in(stat, "slab_reclaimable")
           : count_in(stat, "total_inactive_file") + count_in(stat, "total_active_file");
    return bytes - std::min(bytes, caches);
}

void read_memory(const group_chain& chain, control_group& into) {
    constexpr std::uint64_t no_limit = std::uint64_t(1) << 60; // v1 writes a number near 2^63
    const auto room = [](std::uint64_t limit, const std::optional<std::uint64_t>& used) {
        return limit - std::min(limit, used.value_or(0));
    };
    for (const std::string& directory : chain.directories) {
        const auto limit =
            number_of(directory + (chain.v2 ? "/memory.max" : "/memory.limit_in_bytes"));
        const auto bytes = static_cast<std::uint64_t>(limit.value_or(-1));
        if (bytes >= no_limit) {
            continue;
        }
        const auto used = used_memory(directory, chain.v2);
        if (!into.memory_limit_bytes ||
            room(bytes, used) < room(*into.memory_limit_bytes, into.memory_used_bytes)) {
            into.memory_limit_bytes = bytes;
            into.memory_used_bytes = used;
            into.memory_file = chain.v2 ? "memory.max" : "memory.limit_in_bytes";
        }
    }
}

} // namespace

control_group read_control_group(const std::string& root) {
    control_group found;
    found.quota = cpu_quota(root);
    for (const group_chain& chain : chains_of(root, "cpu")) {
        if (found.path.empty() || !chain.v2) { // Where both are there, v1 has the controller.
            found.path = chain.path;
            found.weight = weight_of(chain);
            found.quota_file = chain.v2 ? "cpu.max" : "cpu.cfs_quota_us";
        }
        read_throttling(chain, found);
    }
    for (const group_chain& chain : chains_of(root, "memory")) {
        read_memory(chain, found);
    }
    return found;
}

} // namespace regatta::race
