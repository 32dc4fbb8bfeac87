// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/cpuset_groups.hpp"

#include <regatta/base/detail/cgroup_files.hpp>
#include <regatta/base/detail/system_files.hpp>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <system_error>
#include <tuple>

namespace regatta::race {
namespace {

using detail::read_small_file;
using detail::trimmed;

/// The list in the first of the files that has one.
cpu_set list_of(const std::string& group, std::initializer_list<const char*> files) {
    for (const char* const file : files) {
        const auto text = detail::read_small_file(group + "/" + file);
        if (text && !trimmed(*text).empty()) {
            cpu_list_error error;
            return cpu_set::try_parse(*text, cpu_set::max_width, error).value_or(cpu_set());
        }
    }
    return {};
}

std::string partition_of(const std::string& group, int version) {
    if (version == 1) {
        const auto exclusive = detail::read_small_file(group + "/cpuset.cpu_exclusive");
        return exclusive && trimmed(*exclusive) == "1" ? "exclusive" : "";
    }
    const auto text = detail::read_small_file(group + "/cpuset.cpus.partition");
    const std::string partition(text ? trimmed(*text) : "member");
    return partition == "member" ? "" : partition;
}

/// Those of `folder` and of the groups below it. @param above the CPUs of the group above.
void collect(const std::string& folder, const std::string& path, int version, const cpu_set& above,
             std::vector<cpuset_group>& groups) {
    const cpu_set cpus =
        list_of(folder, version == 1 ? std::initializer_list<const char*>{"cpuset.effective_cpus",
                                                                          "cpuset.cpus"}
                                     : std::initializer_list<const char*>{"cpuset.cpus.effective"});
    if (!path.empty() && !cpus.empty()) {
        std::string partition = partition_of(folder, version);
        if (cpus != above || !partition.empty()) {
            groups.push_back({path, version, cpus, std::move(partition)});
        }
    }
    std::error_code error;
    std::filesystem::directory_iterator entry(folder, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        std::error_code unknown;
        if (entry->is_directory(unknown) && !entry->is_symlink(unknown)) {
            collect(entry->path().string(), path + "/" + entry->path().filename().string(), version,
                    cpus.empty() ? above : cpus, groups);
        }
    }
}

} // namespace

std::vector<cpuset_group> find_cpuset_groups(const topology& machine, const std::string& root) {
    std::vector<cpuset_group> groups;
    const auto mounts = detail::read_small_file(root + "/proc/self/mountinfo");
    for (const int version : {2, 1}) {
        const auto mount = mounts ? detail::find_cgroup_mount(*mounts, version == 2, "cpuset")
                                  : std::optional<detail::cgroup_mount>();
        if (mount) {
            collect(root + mount->point, "", version, machine.online, groups);
        }
    }
    std::sort(groups.begin(), groups.end(), [](const cpuset_group& a, const cpuset_group& b) {
        return std::tie(a.version, a.path) < std::tie(b.version, b.path);
    });
    return groups;
}

} // namespace regatta::race
