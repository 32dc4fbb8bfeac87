// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machines.hpp"
#include "support/this_thread.hpp"

#include <regatta/cpu/placement.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace library_test;
using regatta::place;
using regatta::placement_policy;
using regatta::topology;

/// The workers' CPUs, apart by blanks.
std::string placed(unsigned workers, placement_policy policy, const topology& machine,
                   const std::string& allowed) {
    std::string text;
    for (const cpu_set& cpus : place(workers, policy, machine, cpu_set::parse(allowed, 256))) {
        text += (text.empty() ? "" : " ") + cpus.to_string();
    }
    return text;
}

} // namespace

TEST(placement, compact_fills_cores_then_sockets) {
    const topology t = two_sockets().read();
    EXPECT_EQ(placed(6, placement_policy::compact, t, "0-23"), "0 12 1 13 2 14");
    EXPECT_EQ(placed(4, placement_policy::compact, t, "4-7,16"), "4 16 5 6");
}

TEST(placement, scatter_takes_sockets_in_turn_and_siblings_last) {
    const topology t = two_sockets().read();
    EXPECT_EQ(placed(6, placement_policy::scatter, t, "0-23"), "0 6 1 7 2 8");
    EXPECT_EQ(placed(14, placement_policy::scatter, t, "0-23"), "0 6 1 7 2 8 3 9 4 10 5 11 12 18");
    EXPECT_EQ(placed(3, placement_policy::scatter, t, "0-3"), "0 1 2");
}

TEST(placement, scatter_takes_packages_in_turn_then_their_nodes_then_caches) {
    const topology t = large_server().read();
    EXPECT_EQ(placed(18, placement_policy::scatter, t, "0-255"),
              "0 64 16 80 32 96 48 112 8 72 24 88 40 104 56 120 1 65");
}

TEST(placement, scatter_takes_nodes_in_turn_where_they_hold_packages_or_lie_in_dies) {
    machine_files guest; // Each CPU a package.
    machine_files tiles; // Two packages of two dies of two nodes.
    guest.sets("0-3", "0-3", "0-3").nodes("0-1").node(0, "0-1", 64, "").node(1, "2-3", 64, "");
    tiles.sets("0-7", "0-7", "0-7").nodes("0-7");
    for (unsigned cpu = 0; cpu < 8; ++cpu) {
        const std::string number = std::to_string(cpu);
        const int core = static_cast<int>(cpu);
        guest.cpu(cpu, {.siblings = number, .core = 0, .package = core});
        tiles.cpu(cpu, {.siblings = number, .core = core, .package = core / 4, .die = core / 2});
        tiles.node(cpu, number, 64, "");
    }
    EXPECT_EQ(placed(4, placement_policy::scatter, guest.read(), "0-3"), "0 2 1 3");
    EXPECT_EQ(placed(8, placement_policy::scatter, tiles.read(), "0-7"), "0 4 2 6 1 5 3 7");
}

TEST(placement, scatter_tells_a_cache_of_one_core_from_those_that_are_shared) {
    machine_files files; // Of two caches of two cores one core is offline.
    files.sets("0-2", "0-3", "0-3").nodes("0");
    for (unsigned cpu = 0; cpu < 3; ++cpu) {
        files.cpu(cpu,
                  {.siblings = std::to_string(cpu), .core = static_cast<int>(cpu), .package = 0});
    }
    files.cache(0, 3, "Unified", "8M", cpu_set{0, 1}).cache(0, 3, "Unified", "8M", cpu_set{2});
    EXPECT_EQ(placed(3, placement_policy::scatter, files.read(), "0-3"), "0 2 1");
}

TEST(placement, one_per_core_gives_whole_cores) {
    const topology t = two_sockets().read();
    EXPECT_EQ(placed(3, placement_policy::one_per_core, t, "0-23"), "0,12 1,13 2,14");
    EXPECT_EQ(placed(3, placement_policy::one_per_core, t, "0,13-14,2"), "0 13 2,14");
}

TEST(placement, avoid_siblings_gives_each_core_one_worker_first) {
    const topology t = two_sockets().read();
    EXPECT_EQ(placed(14, placement_policy::avoid_siblings, t, "0-23"),
              "0 1 2 3 4 5 6 7 8 9 10 11 12 13");
    // 19-23 share their cores with 7-11.
    EXPECT_EQ(placed(6, placement_policy::avoid_siblings, t, "7-8,19-20,23"), "7 8 23 19 20 7");
}

TEST(placement, per_node_shares_the_workers_by_cpus) {
    const topology t = two_sockets().read();
    EXPECT_EQ(placed(3, placement_policy::per_node, t, "0-23"), "0-5,12-17 6-11,18-23 0-5,12-17");
    EXPECT_EQ(placed(4, placement_policy::per_node, t, "0-5,6-7"), "0-5 0-5 0-5 6-7");
    EXPECT_EQ(placed(2, placement_policy::per_node, t, "7"), "7 7");
}

TEST(placement, takes_fast_cores_before_slow_ones) {
    const topology desktop = hybrid_desktop().read();
    EXPECT_EQ(placed(10, placement_policy::avoid_siblings, desktop, "0-23"),
              "0 2 4 6 8 10 12 14 16 17");
    EXPECT_EQ(placed(3, placement_policy::compact, desktop, "15-23"), "15 16 17");
    EXPECT_EQ(placed(11, placement_policy::scatter, desktop, "0-23"),
              "0 2 4 6 8 10 12 14 16 20 17"); // The small ones from their two clusters in turn.
    EXPECT_EQ(placed(3, placement_policy::one_per_core, big_little().read(), "0-5"), "4 5 0");
}

TEST(placement, deals_out_again_where_there_are_more_workers_than_cpus) {
    const topology t = virtual_machine().read();
    EXPECT_EQ(placed(5, placement_policy::compact, t, "0-1"), "0 1 0 1 0");
    EXPECT_EQ(placed(3, placement_policy::one_per_core, t, "1"), "1 1 1");
    EXPECT_EQ(placed(0, placement_policy::scatter, t, "0"), "");
}

TEST(placement, leaves_out_what_is_offline) {
    const topology t = partly_offline().read();
    EXPECT_EQ(placed(4, placement_policy::compact, t, "2-7"), "2 3 6 2");
    EXPECT_EQ(placed(1, placement_policy::per_node, t, "2-7"), "2-3,6");
}

TEST(placement, of_this_machine_is_allowed_to_this_thread) {
    if (!can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    const cpu_set allowed = regatta::affinity_of_this_thread();
    for (const auto policy :
         {placement_policy::compact, placement_policy::scatter, placement_policy::one_per_core,
          placement_policy::avoid_siblings, placement_policy::per_node}) {
        const auto places = place(allowed.count() + 1, policy);
        ASSERT_EQ(places.size(), allowed.count() + 1);
        for (const cpu_set& cpus : places) {
            EXPECT_FALSE(cpus.empty());
            EXPECT_TRUE(allowed.contains(cpus));
            const regatta::scoped_pin pin(cpus);
            EXPECT_EQ(regatta::affinity_of_this_thread(), cpus);
        }
    }
}
