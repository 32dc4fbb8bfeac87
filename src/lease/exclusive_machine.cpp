// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/exclusive_machine.hpp"

#include "lease/exclusive_cpu_file.hpp"
#include "lease/exclusive_system.hpp"
#include <regatta/base/detail/cgroup_files.hpp>
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::detail {
namespace {

/// The group of a process or thread, as its file of groups names it; nothing if unknown.
std::optional<std::string> named_group(exclusive_system& system, const std::string& file, bool v2) {
    const std::string text = system.read(file).value_or("");
    for (const auto line : split(text, '\n')) {
        const auto group = parse_cgroup_line(line);
        if (group && group->v2() == v2 && (v2 || group->has("cpuset"))) {
            return std::string(group->path);
        }
    }
    return std::nullopt;
}

group_tree find_group_tree(exclusive_system& system, bool v2) {
    const auto mounts = system.read("/proc/self/mountinfo");
    const std::string own = named_group(system, "/proc/self/cgroup", v2).value_or("");
    const auto mount = mounts ? find_cgroup_mount(*mounts, v2, "cpuset", own) : std::nullopt;
    if (!mount) {
        return {};
    }
    if (v2) {
        const auto controllers = system.read(mount->point + "/cgroup.controllers");
        const auto names = split(controllers ? trimmed(*controllers) : std::string_view(), ' ');
        if (std::find(names.begin(), names.end(), "cpuset") == names.end()) {
            return {};
        }
    }
    group_tree tree;
    tree.top = mount->point;
    tree.above = mount->top;
    tree.own = tree.group_of(system, "/proc/self/cgroup", v2);
    if (tree.own.empty()) {
        return {};
    }
    // The first thread of this process may be in a lease, whose group is no place for another's.
    while (is_lease_group(tree.own) &&
           (!v2 || trimmed(system.read(tree.own + "/cgroup.type").value_or("")) == "threaded")) {
        tree.own.resize(tree.own.rfind('/'));
    }
    tree.top_is_root = !v2 || !system.read(tree.top + "/cgroup.type");
    return tree;
}

/// Adds CPUs that a group holds exclusively. Where this process is in that group, they are its own,
/// unless a lease has them.
void add_held(exclusive_machine& machine, const group_tree& tree, std::string group,
              const cpu_set& cpus) {
    const bool around = (tree.own + "/").starts_with(group + "/");
    if (around && !is_lease_group(group)) {
        machine.own_partition = cpus; // The innermost comes last.
    } else {
        machine.held.push_back({std::move(group), cpus});
    }
}

/// Finds the CPUs that groups hold exclusively: partitions, and exclusive cpusets of version 1
/// directly below the top. A nested partition takes its CPUs from its parent: a CPU belongs to the
/// innermost one.
void find_held_cpus(exclusive_system& system, exclusive_machine& machine) {
    if (const group_tree& v2 = machine.v2) {
        for (const std::string& group : groups_below(system, v2.top)) {
            const auto cpus = is_partition(system, group)
                                  ? read_cpus(system, group + "/cpuset.cpus.effective")
                                  : std::nullopt;
            if (cpus) {
                add_held(machine, v2, group, *cpus);
            }
        }
    }
    if (const group_tree& v1 = machine.v1) {
        for (const std::string& name : system.list_folders(v1.top)) {
            const std::string group = v1.top + "/" + name;
            const auto exclusive = system.read(group + "/cpuset.cpu_exclusive");
            const auto cpus = read_cpus(system, group + "/cpuset.cpus");
            const bool is_held = exclusive && trimmed(*exclusive) == "1";
            if (cpus && (is_held || is_lease_group(group))) { // Theirs is not always exclusive.
                add_held(machine, v1, group, *cpus);
            }
        }
    }
}

} // namespace

std::vector<std::string> group_tree::chain() const {
    std::vector<std::string> groups{top};
    for (auto at = own.find('/', top.size() + 1); own.size() > top.size();
         at = own.find('/', at + 1)) {
        groups.push_back(own.substr(0, at));
        if (at == std::string::npos) {
            break;
        }
    }
    return groups;
}

std::string group_tree::group_of(exclusive_system& system, const std::string& file, bool v2) const {
    const auto group = named_group(system, file, v2);
    return group ? top + group_below_mount({above, top}, *group) : std::string();
}

std::string_view last_part(std::string_view path) noexcept {
    return path.substr(path.rfind('/') + 1);
}

std::string group_name(std::string_view lease) {
    return std::string(group_prefix) + std::string(lease.substr(lease.find('.') + 1));
}

bool is_lease_group(std::string_view path) noexcept {
    std::string_view name = last_part(path);
    if (!name.starts_with(group_prefix) || name.ends_with(yielding_suffix)) {
        return false;
    }
    name.remove_prefix(group_prefix.size()); // Not a program's own "regatta.service".
    return !name.empty() && name.front() >= '0' && name.front() <= '9';
}

std::vector<std::string> groups_below(exclusive_system& system, const std::string& top) {
    std::vector<std::string> groups;
    for (const std::string& name : system.list_folders(top)) {
        groups.push_back(top + "/" + name);
        for (std::string& inner : groups_below(system, groups.back())) {
            groups.push_back(std::move(inner));
        }
    }
    return groups;
}

bool is_partition(exclusive_system& system, const std::string& group) {
    const auto state = system.read(group + "/cpuset.cpus.partition");
    const auto text = state ? trimmed(*state) : std::string_view();
    return text == "root" || text == "isolated";
}

exclusive_machine read_machine(exclusive_system& system) {
    exclusive_machine machine;
    machine.online = read_cpus(system, "/sys/devices/system/cpu/online").value_or(cpu_set());
    machine.v2 = find_group_tree(system, true);
    machine.v1 = find_group_tree(system, false);
    find_held_cpus(system, machine);
    if (machine.v1) {
        machine.own_cpuset = read_cpus(system, machine.v1.own + "/cpuset.cpus").value_or(cpu_set());
    }
    if (machine.own_cpuset.empty()) {
        machine.own_cpuset = machine.online;
    }
    machine.isolated_at_boot =
        read_cpus(system, "/sys/devices/system/cpu/isolated").value_or(cpu_set()) & machine.online;
    for (const held_cpus& one : machine.held) {
        machine.isolated_at_boot -= one.cpus; // Should the kernel list those of partitions, too.
    }
    return machine;
}

bool has_group(exclusive_system& system, const exclusive_machine& machine,
               const std::string& name) {
    for (const std::string* parent : {&machine.v1.top, &machine.v2.top, &machine.v2.own}) {
        if (!parent->empty() && system.exists(*parent + "/" + name)) {
            return true;
        }
    }
    return false;
}

cpu_set usable_cpus(exclusive_system& system, const exclusive_machine& machine, bool new_cpuset) {
    cpu_set usable = machine.online;
    // What a group is granted lacks the CPUs that others hold. These are reported as held, by name.
    const auto with_held = [&](cpu_set granted) {
        for (const held_cpus& one : machine.held) {
            granted |= one.cpus;
        }
        return granted;
    };
    if (machine.v1) {
        usable &= read_cpus(system, machine.v1.top + "/cpuset.cpus").value_or(usable);
        if (!new_cpuset) {
            usable &= with_held(machine.own_cpuset);
        }
    }
    if (machine.v2) {
        // A group without a cpuset uses that of its nearest ancestor that has one.
        const auto chain = machine.v2.chain();
        for (auto group = chain.rbegin(); group != chain.rend(); ++group) {
            if (const auto granted = read_cpus(system, *group + "/cpuset.cpus.effective")) {
                usable &= with_held(*granted);
                break;
            }
        }
    }
    return usable;
}

} // namespace regatta::detail
