// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machines.hpp"
#include "support/this_thread.hpp"

#include <regatta/cpu/topology.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace library_test;
using regatta::cache_type;
using regatta::topology;

/// What holds of every topology: each part lies in the next larger one, and each online CPU in one
/// part of each sort.
void expect_sound(const topology& t) {
    ASSERT_EQ(t.cpus.size(), t.online.count());
    const auto expect_partition = [&](const auto& parts, const char* what) {
        cpu_set seen;
        for (const auto& part : parts) {
            EXPECT_TRUE((seen & part.cpus).empty()) << what;
            seen |= part.cpus;
        }
        EXPECT_EQ(seen, t.online) << what;
    };
    expect_partition(t.cores, "cores");
    expect_partition(t.dies, "dies");
    expect_partition(t.packages, "packages");
    expect_partition(t.nodes, "nodes");
    expect_partition(t.kinds, "kinds");
    EXPECT_TRUE(t.present.contains(t.online));
    EXPECT_TRUE(t.possible.contains(t.present));
    EXPECT_TRUE(t.online.contains(t.housekeeping));
    for (const auto& cache : t.caches) {
        EXPECT_FALSE(cache.cpus.empty());
        EXPECT_TRUE(t.online.contains(cache.cpus));
    }
    for (const auto& info : t.cpus) {
        EXPECT_TRUE(t.cores.at(info.core).cpus.contains(info.cpu));
        EXPECT_TRUE(t.dies.at(info.die).cpus.contains(info.cpu));
        EXPECT_TRUE(t.packages.at(info.package).cpus.contains(info.cpu));
        EXPECT_TRUE(t.nodes.at(info.node).cpus.contains(info.cpu));
        EXPECT_TRUE(t.kinds.at(info.kind).cpus.contains(info.cpu));
        EXPECT_EQ(t.cores.at(info.core).package, info.package);
        EXPECT_EQ(t.dies.at(info.die).package, info.package);
        EXPECT_EQ(t.find(info.cpu), &info);
    }
}

std::vector<std::string> lists_of(const auto& parts) {
    std::vector<std::string> lists;
    for (const auto& part : parts) {
        lists.push_back(part.cpus.to_string());
    }
    return lists;
}

using lists = std::vector<std::string>;

} // namespace

TEST(topology, of_a_virtual_machine_that_tells_little) {
    const topology t = virtual_machine().read();
    expect_sound(t);
    EXPECT_EQ(lists_of(t.cores), (lists{"0", "1"}));
    EXPECT_EQ(lists_of(t.packages), lists{"0-1"});
    EXPECT_EQ(lists_of(t.dies), lists{"0-1"});
    EXPECT_EQ(t.dies[0].id, -1);
    EXPECT_EQ(t.cores[0].cluster, -1); // 65535 is no cluster.
    EXPECT_TRUE(t.caches.empty());
    EXPECT_EQ(t.cache_of(0), nullptr);
    ASSERT_EQ(t.nodes.size(), 1u);
    EXPECT_EQ(t.nodes[0].memory_bytes, 4096000u * 1024u);
    EXPECT_TRUE(t.nodes[0].distances.empty());
    EXPECT_TRUE(t.nohz_full.empty()); // "(null)" is none.
    EXPECT_EQ(t.housekeeping, t.online);
    EXPECT_FALSE(t.has_smt());
    EXPECT_FALSE(t.is_hybrid());
    EXPECT_EQ(t.kinds[0].name, "");
}

TEST(topology, of_two_sockets) {
    const topology t = two_sockets().read();
    expect_sound(t);
    EXPECT_EQ(t.possible.count(), 32u);
    EXPECT_EQ(t.cores.size(), 12u);
    EXPECT_TRUE(t.has_smt());
    EXPECT_EQ(lists_of(t.packages), (lists{"0-5,12-17", "6-11,18-23"}));
    EXPECT_EQ(lists_of(t.dies), (lists{"0-5,12-17", "6-11,18-23"})); // 0 of each, yet two.
    EXPECT_EQ(lists_of(t.nodes), (lists{"0-5,12-17", "6-11,18-23"}));
    EXPECT_EQ(t.nodes[1].distances, (std::vector<unsigned>{21, 10}));
    EXPECT_EQ(t.nodes[0].memory_bytes, std::uint64_t{32768} << 20);
    EXPECT_EQ(t.siblings_of(19), (cpu_set{7, 19}));
    EXPECT_EQ(t.with_siblings(cpu_set::parse("19-23")), cpu_set::parse("7-11,19-23"));
    EXPECT_EQ(t.package_of(23)->id, 1);
    EXPECT_EQ(t.node_of(18)->id, 1u);
    EXPECT_EQ(t.core_of(19)->id, 1);
    EXPECT_EQ(t.caches.size(), 12u * 3 + 2);
    EXPECT_EQ(t.caches.front().type, cache_type::data);
    EXPECT_EQ(t.cache_of(19)->level, 3u);
    EXPECT_EQ(t.cache_of(19)->bytes, 15360u * 1024);
    EXPECT_EQ(t.cache_of(19, 1)->bytes, 32u * 1024);
    EXPECT_EQ(t.cache_of(19, 1)->type, cache_type::data);
    EXPECT_EQ(t.cache_of(19, 2)->cpus, (cpu_set{7, 19}));
    EXPECT_EQ(t.cache_of(19, 2)->line_bytes, 64u);
}

TEST(topology, names_the_cores_that_a_set_splits) {
    const topology t = two_sockets().read();
    EXPECT_EQ(lists_of(t.split_cores(cpu_set::parse("19-23"))),
              (lists{"7,19", "8,20", "9,21", "10,22", "11,23"}));
    EXPECT_TRUE(t.split_cores(cpu_set::parse("7-11,19-23")).empty());
    EXPECT_TRUE(t.split_cores(cpu_set()).empty());
    EXPECT_EQ(lists_of(t.split_cores(cpu_set::parse("0,12,13"))), lists{"1,13"});
}

TEST(topology, names_the_nodes_that_a_set_takes_whole) {
    const topology t = two_sockets().read();
    EXPECT_TRUE(t.whole_nodes(cpu_set::parse("7-11,18-23")).empty());
    EXPECT_EQ(lists_of(t.whole_nodes(cpu_set::parse("0,6-11,18-23"))), lists{"6-11,18-23"});
    EXPECT_EQ(large_server().read().whole_nodes(cpu_set::first(256)).size(), 8u); // Not memory.
}

TEST(topology, of_an_arm_board_with_two_kinds_of_cores) {
    const topology t = big_little().read();
    expect_sound(t);
    ASSERT_EQ(t.kinds.size(), 2u);
    EXPECT_TRUE(t.is_hybrid());
    EXPECT_EQ(t.kinds[0].name, "capacity 1024");
    EXPECT_EQ(t.kinds[0].cpus, (cpu_set{4, 5}));
    EXPECT_EQ(t.kinds[1].name, "capacity 485");
    EXPECT_EQ(t.kinds[1].capacity, 485u);
    EXPECT_EQ(t.kind_of(2), &t.kinds[1]);
    EXPECT_EQ(t.core_of(5)->cluster, 1);
    EXPECT_EQ(t.cores.size(), 6u); // Their numbers are unique in a cluster only.
    EXPECT_EQ(t.cache_of(5)->cpus, (cpu_set{4, 5}));
    EXPECT_EQ(t.nodes.size(), 1u);
}

// Cores without a cache of the second level have that of the third at its index.
TEST(topology, reads_caches_that_cores_list_at_different_places) {
    machine_files files;
    const cpu_set all = cpu_set::first(4);
    files.sets("0-3", "0-3", "0-3");
    for (unsigned cpu = 0; cpu < 4; ++cpu) {
        files.cpu(cpu,
                  {.siblings = std::to_string(cpu), .core = static_cast<int>(cpu), .package = 0});
    }
    for (unsigned cpu = 0; cpu < 4; ++cpu) {
        files.cache(0, 1, "Data", "32K", cpu_set{cpu});
        files.cache(1, 1, "Instruction", "32K", cpu_set{cpu});
    }
    files.cache(2, 3, "Unified", "8M", all).cache(3, 3, "Unified", "8M", all);
    for (unsigned cpu = 0; cpu < 2; ++cpu) {
        files.cache(2, 2, "Unified", "512K", cpu_set{cpu});
    }
    const topology t = files.read();
    expect_sound(t);
    ASSERT_EQ(t.caches.size(), 11u);
    EXPECT_EQ(t.cache_of(1, 2)->cpus, cpu_set{1});
    EXPECT_EQ(t.cache_of(3, 2)->level, 1u); // It has none of the second.
    EXPECT_EQ(t.cache_of(3, 3)->cpus, all);
}

TEST(topology, of_a_hybrid_desktop_names_the_kinds) {
    const topology t = hybrid_desktop().read();
    expect_sound(t);
    ASSERT_EQ(t.kinds.size(), 2u);
    EXPECT_EQ(t.kinds[0].name, "performance");
    EXPECT_EQ(t.kinds[0].capacity, 1024u); // The fastest of them; capacity splits no kind.
    EXPECT_EQ(t.kinds[0].cpus.to_string(), "0-15");
    EXPECT_EQ(t.kinds[1].name, "efficiency");
    EXPECT_EQ(t.kinds[1].capacity, 623u);
    EXPECT_EQ(t.cores.size(), 16u);
    EXPECT_EQ(t.siblings_of(3), (cpu_set{2, 3}));
    EXPECT_EQ(t.siblings_of(17), cpu_set{17});
    EXPECT_EQ(t.cache_of(18, 2)->cpus.to_string(), "16-19");
}

TEST(topology, of_a_hybrid_desktop_with_one_kind_left_on_is_not_hybrid) {
    const topology t = hybrid_desktop().cpu_file("online", "0-15").read();
    expect_sound(t);
    EXPECT_FALSE(t.is_hybrid());
    EXPECT_EQ(t.kinds[0].name, "");
}

TEST(topology, of_cores_that_the_counters_leave_out) {
    const topology t = hybrid_desktop().file("/sys/devices/cpu_atom/cpus", "16-20\n").read();
    expect_sound(t);
    ASSERT_EQ(t.kinds.size(), 3u);
    EXPECT_EQ(t.kinds[2].name, "other");
    EXPECT_EQ(t.kinds[2].cpus.to_string(), "21-23");
}

TEST(topology, of_256_cpus) {
    const topology t = large_server().read();
    expect_sound(t);
    EXPECT_EQ(t.cores.size(), 128u);
    EXPECT_EQ(t.packages.size(), 2u);
    EXPECT_EQ(t.caches.size(), 3u * 128 + 16);
    ASSERT_EQ(t.nodes.size(), 10u);
    EXPECT_EQ(t.nodes[3].cpus.to_string(), "48-63,176-191");
    EXPECT_TRUE(t.nodes[9].cpus.empty());
    EXPECT_EQ(t.nodes[9].memory_bytes, std::uint64_t{65536} << 20);
    EXPECT_EQ(t.nodes[0].distances,
              (std::vector<unsigned>{10, 12, 12, 12, 32, 32, 32, 32, 32, 32}));
    EXPECT_EQ(t.cache_of(255)->cpus.to_string(), "120-127,248-255");
}

TEST(topology, of_cpus_that_are_offline_knows_the_numbers) {
    const topology t = partly_offline().read();
    expect_sound(t);
    EXPECT_EQ(t.online.to_string(), "0-3,6");
    EXPECT_EQ(t.present.to_string(), "0-7");
    EXPECT_EQ(t.possible.to_string(), "0-9");
    EXPECT_EQ(t.find(4), nullptr);
    EXPECT_EQ(t.core_of(7), nullptr);
    EXPECT_EQ(t.node_of(100000), nullptr);
    EXPECT_EQ(t.siblings_of(7), cpu_set{7});
    EXPECT_EQ(t.siblings_of(6), cpu_set{6});
}

TEST(topology, takes_for_housekeeping_what_nothing_isolates) {
    auto files = partly_offline();
    topology t = files.read();
    EXPECT_EQ(t.isolated.to_string(), "2-3");
    EXPECT_EQ(t.nohz_full.to_string(), "3,6");
    EXPECT_EQ(t.housekeeping.to_string(), "0-1");
    EXPECT_TRUE(t.partitioned.empty());
    t = files.file("/sys/fs/cgroup/unified/cpuset.cpus.isolated", "1\n").read();
    EXPECT_EQ(t.partitioned.to_string(), "1");
    EXPECT_EQ(t.housekeeping.to_string(), "0");
    t = files.file("/sys/fs/cgroup/cpuset.cpus.isolated", "\n").read();
    EXPECT_EQ(t.partitioned.to_string(), "1");
}

TEST(topology, reads_the_names_that_older_kernels_have) {
    machine_files files;
    files.sets("0-3", "0-3", "0-3");
    for (unsigned cpu = 0; cpu < 4; ++cpu) {
        files.cpu_file("cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
                       cpu < 2 ? "0-1" : "2-3");
    }
    const topology t = files.read();
    expect_sound(t);
    EXPECT_EQ(lists_of(t.cores), (lists{"0-1", "2-3"}));
    EXPECT_EQ(t.packages[0].id, -1);
    EXPECT_EQ(t.cores[0].id, -1);
}

TEST(topology, takes_cpus_without_a_package_for_one_package) {
    auto files = virtual_machine();
    for (const char* const cpu : {"cpu0", "cpu1"}) {
        files.cpu_file(std::string(cpu) + "/topology/physical_package_id", "-1");
    }
    const topology t = files.read();
    expect_sound(t);
    EXPECT_EQ(lists_of(t.packages), lists{"0-1"});
    EXPECT_EQ(t.packages[0].id, -1);
}

TEST(topology, tells_dies_of_one_package_apart) {
    auto files = virtual_machine();
    files.cpu_file("cpu0/topology/die_id", "0").cpu_file("cpu1/topology/die_id", "1");
    const topology t = files.read();
    expect_sound(t);
    EXPECT_EQ(lists_of(t.dies), (lists{"0", "1"}));
    EXPECT_EQ(t.die_of(1)->id, 1);
    EXPECT_EQ(t.packages.size(), 1u);
}

TEST(topology, needs_no_more_than_one_of_the_three_lists) {
    auto files = virtual_machine();
    files.remove("/sys/devices/system/cpu/online").remove("/sys/devices/system/cpu/possible");
    const topology t = files.read();
    expect_sound(t);
    EXPECT_EQ(t.online, cpu_set::first(2));
    EXPECT_EQ(t.possible, cpu_set::first(2));
}

TEST(topology, survives_files_that_contradict_each_other) {
    machine_files files;
    files.sets("0-3", "0-1", "zero");
    files.cpu(0, {.siblings = "0-2", .core = -7, .package = 0});
    files.cpu(1, {.siblings = "0-1", .core = 1, .package = 1});
    files.cpu(2, {.siblings = "x", .core = 1, .package = 1});
    files.cpu(3, {.siblings = "0-99", .core = 1, .package = 1});
    files.cache(0, 1, "Data", "32Q", cpu_set{0, 9}).cache(0, 0, "Data", "1K", cpu_set{1});
    files.nodes("0,7").node(0, "0-2", 1, "10 x").node(7, "2-3,70", 1, "10");
    const topology t = files.read();
    expect_sound(t);
    EXPECT_EQ(lists_of(t.cores), (lists{"0-2", "3"}));
    EXPECT_EQ(lists_of(t.nodes), (lists{"0-2", "3"}));
    EXPECT_EQ(t.nodes[1].id, 7u);
    EXPECT_TRUE(t.nodes[0].distances.empty());
    EXPECT_EQ(t.cores[0].id, -1);
    ASSERT_EQ(t.caches.size(), 1u);
    EXPECT_EQ(t.caches[0].cpus, cpu_set{0});
    EXPECT_EQ(t.caches[0].bytes, 0u);
}

TEST(topology, counts_a_cpu_without_a_node_to_the_first) {
    auto files = virtual_machine();
    const topology t = files.nodes("3").node(3, "1", 1, "10").read();
    expect_sound(t);
    EXPECT_EQ(t.nodes[0].cpus, cpu_set::first(2));
}

TEST(topology, reads_sizes) {
    using regatta::detail::to_bytes;
    EXPECT_EQ(to_bytes("48K\n"), 48u << 10);
    EXPECT_EQ(to_bytes("32M"), 32u << 20);
    EXPECT_EQ(to_bytes("1G"), 1u << 30);
    EXPECT_EQ(to_bytes("64\n"), 64u);
    for (const char* const wrong : {"", "K", "-1K", "1Q", "9223372036854775807G", "x"}) {
        EXPECT_EQ(to_bytes(wrong), std::nullopt) << wrong;
    }
}

TEST(topology, is_read_from_any_folder) {
    const machine_root root(two_sockets());
    const topology t = topology::read(root.path());
    expect_sound(t);
    EXPECT_EQ(t.cores.size(), 12u);
    EXPECT_EQ(t.caches.size(), 38u);
}

TEST(topology, of_this_machine_holds_together) {
    const topology t = topology::read();
    expect_sound(t);
    if (can_pin()) {
        EXPECT_TRUE(t.online.contains(regatta::affinity_of_this_thread()));
    }
}

// "The first part that claims a CPU gets it": caches, too.
TEST(topology, caches_that_overlap_are_cut_down) {
    machine_files files;
    files.sets("0-2", "0-2", "0-2").nodes("0");
    for (unsigned cpu = 0; cpu < 3; ++cpu) {
        files.cpu(cpu,
                  {.siblings = std::to_string(cpu), .core = static_cast<int>(cpu), .package = 0});
    }
    files.cache(0, 3, "Unified", "8M", cpu_set{1, 2}).cache(0, 3, "Unified", "8M", cpu_set{0, 1});
    const topology t = files.read();
    ASSERT_EQ(t.caches.size(), 2u);
    EXPECT_EQ(t.caches[0].cpus, (cpu_set{0, 1}));
    EXPECT_EQ(t.caches[1].cpus, (cpu_set{2}));
}
