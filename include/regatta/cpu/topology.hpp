// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The topology of a machine: what its CPUs share, and the distances to memory.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/error.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/detail/configured_cpus.hpp>
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
/// Every online CPU is in one core, one die, one package, one kind and one node. If the kernel does
/// not report a part, one such part contains all CPUs; exceptions: one core per CPU, and no caches.
/// For offline CPUs only the numbers are known.
///
/// Threads: as a plain value. It does not follow changes of the machine: read it again.
struct topology {
    cpu_set possible; ///< Numbers that a CPU can ever have on this machine.
    cpu_set present;  ///< CPUs that are plugged in.
    cpu_set online;   ///< CPUs that run threads.
    /// Excluded from the scheduler's load balancing at boot (`isolcpus=`): only threads pinned
    /// there run there.
    cpu_set isolated;
    /// Isolated since boot by control groups (`cpuset.cpus.isolated`). From Linux 6.12 on the file
    /// also has those isolated at boot.
    cpu_set partitioned;
    cpu_set nohz_full; ///< Without a timer tick while one thread runs (`nohz_full=`).
    /// Online and in none of the three sets above. These settings do not restrict system work and
    /// unpinned threads there.
    cpu_set housekeeping;

    std::vector<cpu_info> cpus;  ///< The online CPUs, by number.
    std::vector<cpu_core> cores; ///< By first CPU, as all parts below unless said otherwise.
    std::vector<cpu_die> dies;
    std::vector<cpu_package> packages;
    std::vector<cpu_cache> caches; ///< By level, then type, then first CPU.
    std::vector<numa_node> nodes;  ///< By number.
    std::vector<core_kind> kinds;  ///< The fastest first.

    /// Reads it from sysfs. On other systems than Linux, or without sysfs, it is a flat machine
    /// with as many CPUs as the standard library counts.
    ///
    /// Failure: `std::system_error` if `root` is given and has no list of CPUs. Other missing or
    /// invalid files count as unknown.
    /// Cost: about ten small files, and ten per core; below half a millisecond on two CPUs.
    /// Source: the kernel's documentation of sysfs-devices-system-cpu and of cputopology.
    /// @param root a directory that replaces `/`, to inspect other machines.
    static topology read(const std::string& root = {});

    /// The entry of an online CPU; null for any other. Valid as long as the topology is.
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
    /// The largest cache of level `level` or less on the data path of `cpu`; null if none is known.
    const cpu_cache* cache_of(unsigned cpu, unsigned level = ~0u) const noexcept {
        const cpu_cache* best = nullptr;
        for (const cpu_cache& cache : caches) {
            if (cache.level <= level && cache.type != cache_type::instruction &&
                cache.cpus.contains(cpu)) {
                best = &cache; // The caches are sorted by level.
            }
        }
        return best;
    }

    /// The CPUs that share a core with `cpu`, itself included; for a CPU that is not online only
    /// itself.
    cpu_set siblings_of(unsigned cpu) const {
        const cpu_core* core = core_of(cpu);
        return core != nullptr ? core->cpus : cpu_set{cpu};
    }
    /// `set` and all CPUs that share a core with one of its CPUs.
    cpu_set with_siblings(const cpu_set& set) const {
        cpu_set all = set;
        for (const unsigned cpu : set) {
            all |= siblings_of(cpu);
        }
        return all;
    }
    /// The cores that are only partly in `set`: work on the other siblings slows that part down.
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
    /// The nodes whose CPUs are all in `set`, so that no other CPU is next to their memory.
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
    /// Whether the machine has cores of several designs.
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
            return "0-" + std::to_string(detail::configured_cpus() - 1);
        }
        return std::nullopt;
    };
    return std::move(*detail::read_topology<topology>(plain));
}

} // namespace regatta
