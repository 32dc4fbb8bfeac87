// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// The topology of a machine that is known exactly: two sockets, each with four cores of two SMT
/// siblings and a memory node of its own.

#include "guest.hpp"

#include <regatta/cpu/available_cpus.hpp>
#include <regatta/cpu/detail/configured_cpus.hpp>
#include <regatta/cpu/topology.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

namespace {

using regatta::cpu_set;
using regatta::topology;

TEST(topology, sockets_cores_and_siblings_are_those_of_the_machine) {
    const topology machine = topology::read();
    EXPECT_EQ(machine.possible, cpu_set::parse("0-15"));
    EXPECT_EQ(machine.present, cpu_set::parse("0-15"));
    EXPECT_EQ(machine.online, cpu_set::parse("0-15"));
    EXPECT_EQ(machine.housekeeping, cpu_set::parse("0-15"));
    EXPECT_TRUE(machine.isolated.empty());
    EXPECT_TRUE(machine.nohz_full.empty());
    ASSERT_EQ(machine.packages.size(), 2u);
    EXPECT_EQ(machine.packages[0].cpus, cpu_set::parse("0-7"));
    EXPECT_EQ(machine.packages[1].cpus, cpu_set::parse("8-15"));
    ASSERT_EQ(machine.cores.size(), 8u);
    for (unsigned core = 0; core < 8; ++core) {
        EXPECT_EQ(machine.cores[core].cpus, (cpu_set{2 * core, 2 * core + 1}));
    }
    EXPECT_TRUE(machine.has_smt());
    EXPECT_FALSE(machine.is_hybrid());
    EXPECT_EQ(machine.siblings_of(9), (cpu_set{8, 9}));
    EXPECT_EQ(machine.split_cores(cpu_set::parse("3-5")).size(), 1u);
}

TEST(topology, nodes_and_their_distances_are_those_of_the_machine) {
    const topology machine = topology::read();
    ASSERT_EQ(machine.nodes.size(), 2u);
    EXPECT_EQ(machine.nodes[0].cpus, cpu_set::parse("0-7"));
    EXPECT_EQ(machine.nodes[1].cpus, cpu_set::parse("8-15"));
    EXPECT_EQ(machine.nodes[0].distances, (std::vector<unsigned>{10, 21}));
    EXPECT_EQ(machine.nodes[1].distances, (std::vector<unsigned>{21, 10}));
    for (const auto& node : machine.nodes) {
        EXPECT_GT(node.memory_bytes, 150u << 20);
        EXPECT_LE(node.memory_bytes, 256u << 20);
    }
    ASSERT_NE(machine.node_of(8), nullptr);
    EXPECT_EQ(machine.node_of(8)->id, 1u);
}

TEST(topology, a_cpu_that_is_offline_is_present_but_lies_nowhere) {
    const guest::offline_cpu five(5);
    ASSERT_EQ(five.error(), 0);
    const topology machine = topology::read();
    EXPECT_EQ(machine.possible, cpu_set::parse("0-15"));
    EXPECT_EQ(machine.present, cpu_set::parse("0-15"));
    EXPECT_EQ(machine.online, cpu_set::parse("0-4,6-15"));
    EXPECT_EQ(machine.find(5), nullptr);
    EXPECT_EQ(machine.siblings_of(4), (cpu_set{4}));
    EXPECT_EQ(machine.housekeeping, machine.online);
    EXPECT_EQ(machine.cores.size(), 8u);
}

TEST(affinity, a_pin_to_an_offline_cpu_is_refused_and_one_that_has_others_keeps_those) {
    const cpu_set before = regatta::affinity_of_this_thread();
    {
        const guest::offline_cpu five(5);
        ASSERT_EQ(five.error(), 0);
        EXPECT_EQ(regatta::try_pin_this_thread({5}), EINVAL);
        EXPECT_EQ(regatta::affinity_of_this_thread(), before - cpu_set{5});
        const regatta::scoped_pin pin({4, 5});
        EXPECT_EQ(regatta::affinity_of_this_thread(), cpu_set{4});
        EXPECT_EQ(regatta::available_cpus(), 1u);
    }
    EXPECT_EQ(topology::read().online, cpu_set::parse("0-15"));
    regatta::pin_this_thread(before);
    EXPECT_EQ(regatta::affinity_of_this_thread(), before);
}

TEST(affinity, a_thread_whose_only_cpu_goes_offline_runs_elsewhere) {
    const regatta::scoped_pin pin({5});
    const guest::offline_cpu five(5);
    ASSERT_EQ(five.error(), 0);
    EXPECT_EQ(regatta::affinity_of_this_thread(), cpu_set::parse("0-4,6-15"));
}

TEST(available_cpus, an_offline_cpu_is_not_counted) {
    ASSERT_EQ(regatta::available_cpus(), 16u);
    const guest::offline_cpu five(5);
    ASSERT_EQ(five.error(), 0);
    EXPECT_EQ(regatta::available_cpus(), 15u);
    EXPECT_EQ(regatta::detail::configured_cpus(), 16u);
}

} // namespace
