// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How the CPUs of a machine lie together: what they share, and how far memory is.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/error.hpp>
#include <regatta/cpu/configured_cpus.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/detail/topology_reader.hpp>
#include <regatta/cpu/topology_parts.hpp>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace regatta {

/// The machine, as its kernel describes it.
///
/// Every online CPU lies in one core, one die, one package, one kind and one node; where the kernel
/// tells nothing of a part, there is one of it with all CPUs in it (cores: one a CPU; caches:
/// none). Of CPUs that are offline only their numbers are known.
///
/// Threads: a value, like a vector. It does not follow the machine: read again after a change.
struct topology {
    cpu_set possible; ///< Numbers that a CPU can ever have here.
    cpu_set present;  ///< CPUs that are plugged in.
    cpu_set online;   ///< CPUs that run threads.
    /// Taken from the scheduler's balancing at boot (`isolcpus=`): only who is pinned there runs
    /// there. Newer kernels also count those of `partitioned`.
    cpu_set isolated;
    cpu_set partitioned; ///< Isolated since then, by control groups (`cpuset.cpus.isolated`).
    cpu_set nohz_full;   ///< Without a timer tick while one thread runs (`nohz_full=`).
    /// Online and in none of the three above: where the system's own work, and everything that is
    /// not pinned, can run undisturbed by these settings.
    cpu_set housekeeping;

    std::vector<cpu_info> cpus;  ///< Those online, by number.
    std::vector<cpu_core> cores; ///< By their first CPU, as everything below unless said otherwise.
    std::vector<cpu_die> dies;
    std::vector<cpu_package> packages;
    std::vector<cpu_cache> caches; ///< By level, then type, then first CPU.
    std::vector<numa_node> nodes;  ///< By number.
    std::vector<core_kind> kinds;  ///< The fastest first.

    /// Reads it from sysfs; elsewhere than on Linux, or without sysfs, it is a plain row of as many
    /// CPUs as the standard library counts.
    ///
    /// Failure: `std::system_error` where `root` is given and holds no list of CPUs; whatever else
    /// is missing or senseless is taken for unknown. Cost: about ten small files, and ten for each
    /// core; below half a millisecond on two CPUs.
    /// Source: the kernel's documentation of sysfs-devices-system-cpu and of cputopology.
    /// @param root a directory that stands in for `/`, so that other machines can be looked at.
    static topology read(const std::string& root = {});

    /// What is known of an online CPU; null for any other. Valid as long as the topology is.
    const cpu_info* find(unsigned cpu) const noexcept {
        const auto at = std::lower_bound(
            cpus.begin(), cpus.end(), cpu,
            [](const cpu_info& info, unsigned number) { return info.cpu < number; });
        return at != cpus.end() && at->cpu == cpu ? &*at : nullptr;
    }
    /// The core, die, package, node or kind of an online CPU; null for any other.
    const cpu_core* core_of(unsigned cpu) const noexcept {
        return part_of(cpu, cores, &cpu_info::core);
    }
    const cpu_die* die_of(unsigned cpu) const noexcept {
        return part_of(cpu, dies, &cpu_info::die);
    }
    const cpu_package* package_of(unsigned cpu) const noexcept {
        return part_of(cpu, packages, &cpu_info::package);
    }
    const numa_node* node_of(unsigned cpu) const noexcept {
        return part_of(cpu, nodes, &cpu_info::node);
    }
    const core_kind* kind_of(unsigned cpu) const noexcept {
        return part_of(cpu, kinds, &cpu_info::kind);
    }
    /// The largest cache that data of `cpu` goes through and whose level is at most `level`; null
    /// where none is known.
    const cpu_cache* cache_of(unsigned cpu, unsigned level = ~0u) const noexcept {
        const cpu_cache* best = nullptr;
        for (const cpu_cache& cache : caches) {
            if (cache.level <= level && cache.type != cache_type::instruction &&
                cache.cpus.contains(cpu)) {
                best = &cache; // They rise by level.
            }
        }
        return best;
    }

    /// The CPUs that share a core with `cpu`, itself included; of a CPU that is not online just
    /// itself.
    cpu_set siblings_of(unsigned cpu) const {
        const cpu_core* core = core_of(cpu);
        return core != nullptr ? core->cpus : cpu_set{cpu};
    }
    /// All CPUs that share a core with one of `set`, which is included.
    cpu_set with_siblings(const cpu_set& set) const {
        cpu_set all = set;
        for (const unsigned cpu : set) {
            all |= siblings_of(cpu);
        }
        return all;
    }
    /// The cores of which only a part is in `set`: whoever owns the rest slows that part down.
    std::vector<cpu_core> split_cores(const cpu_set& set) const {
        std::vector<cpu_core> split;
        for (const cpu_core& core : cores) {
            const unsigned in = (core.cpus & set).count();
            if (in > 0 && in < core.cpus.count()) {
                split.push_back(core);
            }
        }
        return split;
    }
    /// The nodes whose CPUs are all in `set`, so that nobody else is next to their memory.
    std::vector<numa_node> whole_nodes(const cpu_set& set) const {
        std::vector<numa_node> whole;
        for (const numa_node& node : nodes) {
            if (!node.cpus.empty() && set.contains(node.cpus)) {
                whole.push_back(node);
            }
        }
        return whole;
    }
    /// Whether some core runs several threads at once.
    bool has_smt() const noexcept { return cores.size() < cpus.size(); }
    /// Whether there are cores of several designs.
    bool is_hybrid() const noexcept { return kinds.size() > 1; }

private:
    template<class Part>
    const Part* part_of(unsigned cpu, const std::vector<Part>& parts,
                        unsigned cpu_info::*index) const noexcept {
        const cpu_info* info = find(cpu);
        return info != nullptr ? &parts[info->*index] : nullptr;
    }
};

inline topology topology::read(const std::string& root) {
    const auto read_file = [&root](const std::string& path) {
        return detail::read_small_file(root + path);
    };
    if (REGATTA_LINUX || !root.empty()) {
        if (auto machine = detail::read_topology<topology>(read_file)) {
            return std::move(*machine);
        }
    }
    if (!root.empty()) {
        fail_system(ENOENT, "read the CPUs from " + root + "/sys/devices/system/cpu/online");
    }
    const auto plain = [](const std::string& path) -> std::optional<std::string> {
        if (path == "/sys/devices/system/cpu/online") {
            return "0-" + std::to_string(configured_cpus() - 1);
        }
        return std::nullopt;
    };
    return std::move(*detail::read_topology<topology>(plain));
}

} // namespace regatta
