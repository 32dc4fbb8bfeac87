// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Machines that the tests do not run on: what their kernels write below /sys and /proc.

#include "support/root_folder.hpp"

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/topology.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace library_test {

using regatta::cpu_set;

/// The files of a machine, by path; each call adds some.
class machine_files {
public:
    /// A CPU as its topology folder tells of it; what is absent has no file.
    struct cpu_lines {
        std::string siblings;
        std::optional<int> core;
        std::optional<int> package;
        std::optional<int> die{};
        std::optional<int> cluster{};
        std::optional<int> capacity{};
    };

    machine_files& file(const std::string& path, const std::string& text) {
        files_[path] = text;
        return *this;
    }
    machine_files& sets(const std::string& online, const std::string& present,
                        const std::string& possible) {
        cpu_file("online", online);
        cpu_file("present", present);
        return cpu_file("possible", possible);
    }
    machine_files& cpu_file(const std::string& name, const std::string& line) {
        return file("/sys/devices/system/cpu/" + name, line + "\n");
    }
    machine_files& cpu(unsigned number, const cpu_lines& lines) {
        const std::string folder = "cpu" + std::to_string(number) + "/";
        const auto add = [&](const char* name, const std::optional<int>& value) {
            if (value) {
                cpu_file(folder + name, std::to_string(*value));
            }
        };
        if (!lines.siblings.empty()) {
            cpu_file(folder + "topology/core_cpus_list", lines.siblings);
        }
        add("topology/core_id", lines.core);
        add("topology/physical_package_id", lines.package);
        add("topology/die_id", lines.die);
        add("topology/cluster_id", lines.cluster);
        add("cpu_capacity", lines.capacity);
        return *this;
    }
    /// A cache as every CPU of `shared` tells of it.
    machine_files& cache(unsigned index, unsigned level, const std::string& type,
                         const std::string& size, const cpu_set& shared) {
        for (const unsigned number : shared) {
            const std::string folder =
                "cpu" + std::to_string(number) + "/cache/index" + std::to_string(index) + "/";
            cpu_file(folder + "level", std::to_string(level));
            cpu_file(folder + "type", type);
            cpu_file(folder + "size", size);
            cpu_file(folder + "coherency_line_size", "64");
            cpu_file(folder + "shared_cpu_list", shared.to_string());
        }
        return *this;
    }
    machine_files& nodes(const std::string& online) {
        return file("/sys/devices/system/node/online", online + "\n");
    }
    machine_files& node(unsigned id, const std::string& cpus, std::size_t megabytes,
                        const std::string& distances) {
        const std::string number = std::to_string(id);
        const std::string folder = "/sys/devices/system/node/node" + number + "/";
        file(folder + "cpulist", cpus + "\n");
        file(folder + "distance", distances + "\n");
        return file(folder + "meminfo", "Node " + number +
                                            " MemTotal:       " + std::to_string(megabytes * 1024) +
                                            " kB\nNode " + number + " MemFree:        1024 kB\n");
    }
    machine_files& remove(const std::string& path) {
        files_.erase(path);
        return *this;
    }

    /// The text of a file, as `topology_reader` asks for it.
    std::optional<std::string> operator()(const std::string& path) const {
        const auto found = files_.find(path);
        return found != files_.end() ? std::optional(found->second) : std::nullopt;
    }
    /// The machine, read without the file system.
    regatta::topology read() const {
        auto machine = regatta::detail::read_topology<regatta::topology>(*this);
        EXPECT_TRUE(machine.has_value());
        return machine ? std::move(*machine) : regatta::topology();
    }
    const std::map<std::string, std::string>& all() const { return files_; }

private:
    std::map<std::string, std::string> files_;
};

/// A folder with the files of a machine, which stands in for `/`; it goes with the object.
class machine_root {
public:
    explicit machine_root(const machine_files& machine) {
        for (const auto& [name, text] : machine.all()) {
            root_.file(name, text);
        }
    }

    const std::string& path() const { return root_.path(); }

private:
    library_test::root_folder root_;
};

/// Two CPUs in a virtual machine that tells nothing of caches, dies or memory.
inline machine_files virtual_machine() {
    machine_files files;
    files.sets("0-1", "0-1", "0-1").cpu_file("isolated", "").cpu_file("nohz_full", "(null)");
    for (unsigned cpu = 0; cpu < 2; ++cpu) {
        files.cpu(cpu, {.siblings = std::to_string(cpu),
                        .core = static_cast<int>(cpu),
                        .package = 0,
                        .cluster = 65535});
    }
    return files.file("/proc/meminfo", "MemTotal:        4096000 kB\nMemFree:   1 kB\n");
}

/// Two sockets with six cores of two siblings each: 0-5 and 12-17 in one, 6-11 and 18-23 in the
/// other, so that 19-23 share their cores with 7-11.
inline machine_files two_sockets() {
    machine_files files;
    files.sets("0-23", "0-23", "0-31").nodes("0-1");
    for (unsigned core = 0; core < 12; ++core) {
        const cpu_set siblings{core, core + 12};
        for (const unsigned cpu : siblings) {
            files.cpu(cpu, {.siblings = siblings.to_string(),
                            .core = static_cast<int>(core % 6),
                            .package = static_cast<int>(core / 6),
                            .die = 0});
        }
        files.cache(0, 1, "Data", "32K", siblings).cache(1, 1, "Instruction", "32K", siblings);
        files.cache(2, 2, "Unified", "256K", siblings);
    }
    for (const char* const socket : {"0-5,12-17", "6-11,18-23"}) {
        files.cache(3, 3, "Unified", "15360K", cpu_set::parse(socket));
    }
    return files.node(0, "0-5,12-17", 32768, "10 21").node(1, "6-11,18-23", 32768, "21 10");
}

/// An Arm board with four small and two large cores, a cluster each; of caches it tells only one,
/// and it has no dies and no nodes.
inline machine_files big_little() {
    machine_files files;
    files.sets("0-5", "0-5", "0-5");
    for (unsigned cpu = 0; cpu < 6; ++cpu) {
        const bool big = cpu >= 4;
        files.cpu(cpu, {.siblings = std::to_string(cpu),
                        .core = static_cast<int>(big ? cpu - 4 : cpu),
                        .package = 0,
                        .cluster = big ? 1 : 0,
                        .capacity = big ? 1024 : 485});
    }
    files.cache(0, 2, "Unified", "512K", cpu_set::parse("0-3"));
    return files.cache(0, 2, "Unified", "1024K", cpu_set::parse("4-5"));
}

/// A desktop with eight large cores of two siblings, 0-15, and eight small ones, 16-23, in two
/// clusters that share a second-level cache.
inline machine_files hybrid_desktop() {
    machine_files files;
    files.sets("0-23", "0-23", "0-23").nodes("0").node(0, "0-23", 65536, "10");
    files.file("/sys/devices/cpu_core/cpus", "0-15\n")
        .file("/sys/devices/cpu_atom/cpus", "16-23\n");
    for (unsigned cpu = 0; cpu < 24; ++cpu) {
        const bool large = cpu < 16;
        const unsigned first = large ? cpu / 2 * 2 : cpu;
        const cpu_set siblings = large ? cpu_set{first, first + 1} : cpu_set{cpu};
        const unsigned cluster = large ? first * 4 : 64 + (cpu - 16) / 4 * 8;
        files.cpu(cpu, {.siblings = siblings.to_string(),
                        .core = static_cast<int>(large ? first * 4 : 64 + (cpu - 16) * 2),
                        .package = 0,
                        .die = 0,
                        .cluster = static_cast<int>(cluster),
                        // A few cores may run faster than their like.
                        .capacity = large ? (first == 8 ? 1024 : 1009) : 623});
        files.cache(0, 1, "Data", large ? "48K" : "32K", siblings);
        files.cache(1, 1, "Instruction", large ? "32K" : "64K", siblings);
    }
    for (unsigned first = 0; first < 16; first += 2) {
        files.cache(2, 2, "Unified", "2048K", cpu_set{first, first + 1});
    }
    files.cache(2, 2, "Unified", "4096K", cpu_set::parse("16-19"));
    files.cache(2, 2, "Unified", "4096K", cpu_set::parse("20-23"));
    return files.cache(3, 3, "Unified", "36864K", cpu_set::first(24));
}

/// Two sockets with 64 cores of two siblings (n and n + 128); eight cores share a third-level
/// cache, sixteen are a node, and two further nodes are memory alone.
inline machine_files large_server() {
    machine_files files;
    files.sets("0-255", "0-255", "0-255").nodes("0-9");
    const auto group = [](unsigned number, unsigned cores) {
        cpu_set set;
        set.insert_range(number * cores, number * cores + cores - 1);
        set.insert_range(128 + number * cores, 128 + number * cores + cores - 1);
        return set;
    };
    for (unsigned core = 0; core < 128; ++core) {
        const cpu_set siblings = group(core, 1);
        for (const unsigned cpu : siblings) {
            files.cpu(cpu, {.siblings = siblings.to_string(),
                            .core = static_cast<int>(core % 64),
                            .package = static_cast<int>(core / 64),
                            .die = 0});
        }
        files.cache(0, 1, "Data", "32K", siblings).cache(1, 1, "Instruction", "32K", siblings);
        files.cache(2, 2, "Unified", "512K", siblings);
    }
    for (unsigned cache = 0; cache < 16; ++cache) {
        files.cache(3, 3, "Unified", "32768K", group(cache, 8));
    }
    for (unsigned node = 0; node < 10; ++node) {
        std::string distances;
        for (unsigned other = 0; other < 10; ++other) {
            const bool near = node / 4 == other / 4 && node < 8;
            distances += (other > 0 ? " " : "") + std::string(node == other ? "10"
                                                              : near        ? "12"
                                                                            : "32");
        }
        files.node(node, node < 8 ? group(node, 16).to_string() : "", 65536, distances);
    }
    return files;
}

/// Eight CPUs of which one core is off (4-5), one sibling is off (7) and two places are empty; the
/// folders of CPUs that are off tell nothing. 2-3 are isolated, 3 and 6 are without ticks.
inline machine_files partly_offline() {
    machine_files files;
    files.sets("0-3,6", "0-7", "0-9");
    files.cpu_file("isolated", "2-3").cpu_file("nohz_full", "3,6");
    for (const unsigned cpu : {0u, 1u, 2u, 3u}) {
        const unsigned first = cpu / 2 * 2;
        files.cpu(cpu, {.siblings = cpu_set{first, first + 1}.to_string(),
                        .core = static_cast<int>(first / 2),
                        .package = 0,
                        .die = 0});
    }
    return files.cpu(6, {.siblings = "6", .core = 3, .package = 0, .die = 0});
}

} // namespace library_test
