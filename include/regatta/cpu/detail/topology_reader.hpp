// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Reads a `topology` from the kernel's files.

#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/topology_parts.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::detail {

/// Parses a list of CPUs from a kernel file; nothing if it is not one. Some kernels write "(null)"
/// for a list that they do not keep.
inline std::optional<cpu_set> to_cpu_list(std::string_view text) {
    cpu_list_error error;
    return cpu_set::try_parse(text, cpu_set::max_width, error);
}

/// "48K", "32M" or a plain number of bytes; nothing for anything else.
inline std::optional<std::uint64_t> to_bytes(std::string_view text) noexcept {
    text = trimmed(text);
    unsigned shift = 0;
    if (!text.empty()) {
        const auto unit = std::string_view("KMG").find(text.back());
        if (unit != std::string_view::npos) {
            shift = 10 * (static_cast<unsigned>(unit) + 1);
            text.remove_suffix(1);
        }
    }
    const auto number = to_number(text);
    if (!number || *number < 0 || *number > std::int64_t{1} << (62 - shift)) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(*number) << shift;
}

/// The total from a meminfo file of the machine or of a node, in bytes; 0 if the file has none.
inline std::uint64_t memory_total(std::string_view meminfo) {
    for (const auto line : split(meminfo, '\n')) {
        // "MemTotal:  13199576 kB"; in a node's file "Node 0 MemTotal:  13199576 kB"
        const auto name = line.find("MemTotal:");
        if (name != std::string_view::npos) {
            const auto words = split(line.substr(name), ' ');
            const auto kilobytes = words.size() == 3 ? to_number(words[1]) : std::nullopt;
            const bool fits = kilobytes && *kilobytes >= 0 && *kilobytes < std::int64_t{1} << 50;
            return fits ? static_cast<std::uint64_t>(*kilobytes) << 10 : 0;
        }
    }
    return 0;
}

/// Builds a `topology` from `read_file(path)`, which returns the file's text or nothing. The type
/// is a parameter, so that `topology` can include its reader.
///
/// The files of a running machine may contradict each other while CPUs come and go; those of
/// virtual machines may do so at any time. So every set is cut down to the online CPUs, and the
/// first part that claims a CPU gets it.
template<class Topology, class ReadFile>
class topology_reader {
public:
    explicit topology_reader(ReadFile read_file) : read_file_(std::move(read_file)) {}

    /// @returns the machine, or nothing if the files do not list its CPUs.
    std::optional<Topology> read() {
        if (!read_sets()) {
            return std::nullopt;
        }
        for (const unsigned cpu : t_.online) {
            t_.cpus.push_back({.cpu = cpu});
        }
        read_cores();
        read_caches();
        read_nodes();
        read_kinds();
        return std::move(t_);
    }

private:
    std::string cpu_path(unsigned cpu) const {
        return "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
    }
    std::optional<cpu_set> read_list(const std::string& path) {
        const std::optional<std::string> text = read_file_(path);
        return text ? to_cpu_list(*text) : std::nullopt;
    }
    std::optional<std::int64_t> read_number(const std::string& path) {
        const std::optional<std::string> text = read_file_(path);
        return text ? to_number(*text) : std::nullopt;
    }
    /// A non-negative number; -1 if there is none. Kernels write -1 and, formerly, 65535 for
    /// "unknown".
    std::int64_t read_id(const std::string& path) {
        const auto number = read_number(path);
        return number && *number >= 0 && *number != 65535 ? *number : -1;
    }

    bool read_sets() {
        const std::string folder = "/sys/devices/system/cpu/";
        const auto online = read_list(folder + "online");
        const auto present = read_list(folder + "present");
        const auto possible = read_list(folder + "possible");
        for (const auto& set : {online, present, possible}) {
            if (t_.online.empty() && set) {
                t_.online = *set; // The first file with a list.
            }
        }
        t_.present = present.value_or(cpu_set()) | t_.online;
        t_.possible = possible.value_or(cpu_set()) | t_.present;
        t_.isolated = read_list(folder + "isolated").value_or(cpu_set());
        t_.nohz_full = read_list(folder + "nohz_full").value_or(cpu_set());
        // The root of the v2 hierarchy of control groups, alone or beside v1.
        for (const char* const root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
            t_.partitioned |=
                read_list(std::string(root) + "/cpuset.cpus.isolated").value_or(cpu_set());
        }
        t_.housekeeping = t_.online - t_.isolated - t_.partitioned - t_.nohz_full;
        return !t_.online.empty();
    }

    /// The index of the member of `parts` that `is_it` accepts; appends `fresh` if there is none.
    template<class Part, class IsIt>
    static unsigned find_or_add(std::vector<Part>& parts, const Part& fresh, IsIt is_it) {
        const auto found = std::find_if(parts.begin(), parts.end(), is_it);
        const auto index = static_cast<unsigned>(found - parts.begin());
        if (found == parts.end()) {
            parts.push_back(fresh);
        }
        return index;
    }

    /// Reads cores, and with them dies and packages. Siblings agree in both, so one CPU of each
    /// core is enough.
    void read_cores() {
        cpu_set left = t_.online;
        for (const cpu_info& info : t_.cpus) {
            if (!left.contains(info.cpu)) {
                continue;
            }
            const std::string folder = cpu_path(info.cpu) + "/topology/";
            cpu_core core;
            // The second name is from before Linux 5.3.
            auto siblings = read_list(folder + "core_cpus_list");
            if (!siblings) {
                siblings = read_list(folder + "thread_siblings_list");
            }
            core.cpus = siblings.value_or(cpu_set()) & left;
            core.cpus.insert(info.cpu);
            core.id = read_id(folder + "core_id");
            core.cluster = read_id(folder + "cluster_id");
            const auto package = read_id(folder + "physical_package_id");
            const auto die = read_id(folder + "die_id");
            core.package = find_or_add(t_.packages, cpu_package{.id = package, .cpus = {}},
                                       [&](const cpu_package& p) { return p.id == package; });
            core.die = find_or_add(
                t_.dies, cpu_die{.id = die, .package = core.package, .cpus = {}},
                [&](const cpu_die& d) { return d.id == die && d.package == core.package; });
            t_.packages[core.package].cpus |= core.cpus;
            t_.dies[core.die].cpus |= core.cpus;
            left -= core.cpus;
            t_.cores.push_back(std::move(core));
        }
        for (unsigned index = 0; index < t_.cores.size(); ++index) {
            const cpu_core& core = t_.cores[index];
            for_each_info(core.cpus, [&](cpu_info& info) {
                info.core = index;
                info.die = core.die;
                info.package = core.package;
            });
        }
    }

    template<class Visit>
    void for_each_info(const cpu_set& set, Visit visit) {
        auto info = t_.cpus.begin();
        for (const unsigned cpu : set) { // Both rise, and the set is a subset of the online CPUs.
            while (info->cpu != cpu) {
                ++info;
            }
            visit(*info);
        }
    }

    /// CPUs that share a cache may list it under different indices: a core without a level 2 has
    /// its level 3 there.
    void read_caches() {
        constexpr unsigned most = 16; // Indices of one CPU; real machines have 3 to 5.
        // The caches of each level and type that were read cover these CPUs.
        std::vector<std::pair<std::pair<unsigned, cache_type>, cpu_set>> covered;
        for (unsigned index = 0; index < most; ++index) {
            bool found = false;
            for (const cpu_info& info : t_.cpus) {
                const std::string folder =
                    cpu_path(info.cpu) + "/cache/index" + std::to_string(index) + "/";
                const auto level = read_number(folder + "level");
                if (!level || *level < 1 || *level > most) {
                    continue;
                }
                found = true;
                cpu_cache cache;
                cache.level = static_cast<unsigned>(*level);
                cache.type = to_cache_type(read_file_(folder + "type").value_or(std::string()));
                const std::pair kind(cache.level, cache.type);
                auto same = std::find_if(covered.begin(), covered.end(),
                                         [&](const auto& one) { return one.first == kind; });
                if (same == covered.end()) {
                    same = covered.insert(same, {kind, cpu_set()});
                }
                if (same->second.contains(info.cpu)) {
                    continue;
                }
                cache.bytes =
                    to_bytes(read_file_(folder + "size").value_or(std::string())).value_or(0);
                cache.line_bytes =
                    to_bytes(read_file_(folder + "coherency_line_size").value_or(std::string()))
                        .value_or(0);
                cache.cpus =
                    (read_list(folder + "shared_cpu_list").value_or(cpu_set()) & t_.online) -
                    same->second;
                cache.cpus.insert(info.cpu);
                same->second |= cache.cpus;
                t_.caches.push_back(std::move(cache));
            }
            if (!found) {
                break;
            }
        }
        std::stable_sort(t_.caches.begin(), t_.caches.end(),
                         [](const cpu_cache& a, const cpu_cache& b) {
                             return std::pair(a.level, a.type) < std::pair(b.level, b.type);
                         });
    }
    static cache_type to_cache_type(std::string_view text) noexcept {
        text = trimmed(text);
        return text == "Data"          ? cache_type::data
               : text == "Instruction" ? cache_type::instruction
                                       : cache_type::unified;
    }

    void read_nodes() {
        const auto ids = read_list("/sys/devices/system/node/online").value_or(cpu_set());
        cpu_set left = t_.online;
        for (const unsigned id : ids) {
            const std::string folder = "/sys/devices/system/node/node" + std::to_string(id) + "/";
            numa_node node;
            node.id = id;
            node.cpus = read_list(folder + "cpulist").value_or(cpu_set()) & left;
            node.memory_bytes =
                memory_total(read_file_(folder + "meminfo").value_or(std::string()));
            node.distances = read_distances(folder + "distance", ids.count());
            left -= node.cpus;
            t_.nodes.push_back(std::move(node));
        }
        if (t_.nodes.empty()) { // A kernel without NUMA.
            numa_node only;
            only.memory_bytes = memory_total(read_file_("/proc/meminfo").value_or(std::string()));
            t_.nodes.push_back(std::move(only));
        }
        t_.nodes.front().cpus |= left;
        for (unsigned index = 0; index < t_.nodes.size(); ++index) {
            for_each_info(t_.nodes[index].cpus, [&](cpu_info& info) { info.node = index; });
        }
    }
    std::vector<unsigned> read_distances(const std::string& path, unsigned count) {
        std::vector<unsigned> distances;
        const std::string text = read_file_(path).value_or(std::string());
        for (const auto word : split(trimmed(text), ' ')) {
            const auto number = to_number(word);
            if (!number || *number < 0 || *number > 255) {
                return {};
            }
            distances.push_back(static_cast<unsigned>(*number));
        }
        return distances.size() == count ? distances : std::vector<unsigned>();
    }

    void read_kinds() {
        read_kinds_of_counters();
        cpu_set left = t_.online;
        for (const core_kind& kind : t_.kinds) {
            left -= kind.cpus;
        }
        const bool designs_named = !t_.kinds.empty();
        for (const cpu_core& core : t_.cores) {
            const auto capacity =
                read_number(cpu_path(*core.cpus.begin()) + "/cpu_capacity").value_or(0);
            add_capacity(core, capacity > 0 ? static_cast<std::uint64_t>(capacity) : 0,
                         designs_named, left);
        }
        if (!designs_named) {
            std::stable_sort(
                t_.kinds.begin(), t_.kinds.end(),
                [](const core_kind& a, const core_kind& b) { return a.capacity > b.capacity; });
            for (core_kind& kind : t_.kinds) {
                if (t_.kinds.size() > 1) {
                    kind.name = "capacity " + std::to_string(kind.capacity);
                }
            }
        } else if (t_.kinds.size() == 1) {
            t_.kinds.front().name.clear(); // All online cores are of this kind.
        }
        for (unsigned index = 0; index < t_.kinds.size(); ++index) {
            for_each_info(t_.kinds[index].cpus, [&](cpu_info& info) { info.kind = index; });
        }
    }
    /// x86 has a set of event counters for each core design, with a list of its CPUs.
    void read_kinds_of_counters() {
        struct counters {
            const char* folder;
            const char* name;
        };
        cpu_set left = t_.online;
        for (const auto& [folder, name] :
             {counters{"cpu_core", "performance"}, counters{"cpu_atom", "efficiency"},
              counters{"cpu_lowpower", "low power"}}) {
            const auto list = read_list("/sys/devices/" + std::string(folder) + "/cpus");
            const cpu_set cpus = list.value_or(cpu_set()) & left;
            if (!cpus.empty()) {
                left -= cpus;
                t_.kinds.push_back({.name = name, .capacity = 0, .cpus = cpus});
            }
        }
    }
    /// Puts CPUs of `core` without a kind, `left`, into one. Sets the capacity of each kind to that
    /// of its fastest core.
    void add_capacity(const cpu_core& core, std::uint64_t capacity, bool designs_named,
                      const cpu_set& left) {
        const cpu_set unnamed = core.cpus & left;
        if (!unnamed.empty()) {
            const core_kind fresh{
                .name = designs_named ? "other" : "", .capacity = capacity, .cpus = {}};
            const auto index = find_or_add(t_.kinds, fresh, [&](const core_kind& kind) {
                return designs_named ? kind.name == "other" : kind.capacity == capacity;
            });
            t_.kinds[index].cpus |= unnamed;
        }
        for (core_kind& kind : t_.kinds) {
            if (!(kind.cpus & core.cpus).empty()) {
                kind.capacity = std::max(kind.capacity, capacity);
            }
        }
    }

    ReadFile read_file_;
    Topology t_;
};

/// Reads the machine from `read_file(path)`; nothing if the files do not list its CPUs.
template<class Topology, class ReadFile>
std::optional<Topology> read_topology(ReadFile read_file) {
    return topology_reader<Topology, ReadFile>(std::move(read_file)).read();
}

} // namespace regatta::detail
