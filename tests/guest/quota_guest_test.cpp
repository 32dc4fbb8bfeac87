// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// How many CPUs control groups of both versions leave to a process.

#include "guest.hpp"

#include <regatta/cpu/available_cpus.hpp>

#include <gtest/gtest.h>

namespace {

using regatta::available_cpus;

TEST(quota_v2, the_smallest_quota_of_all_groups_above_is_rounded_up) {
    ASSERT_EQ(guest::enable_controller("cpu"), 0);
    const unsigned all = available_cpus();
    ASSERT_GT(all, 5u);
    const guest::control_group outer("/sys/fs/cgroup/quota");
    ASSERT_TRUE(outer.made());
    ASSERT_EQ(outer.set("cgroup.subtree_control", "+cpu"), 0);
    const guest::control_group inner("/sys/fs/cgroup/quota/inner");
    ASSERT_TRUE(inner.made());
    {
        const guest::inside here(inner);
        ASSERT_EQ(here.error(), 0);
        EXPECT_EQ(available_cpus(), all);
        ASSERT_EQ(inner.set("cpu.max", "450000 100000"), 0);
        EXPECT_EQ(available_cpus(), 5u);
        ASSERT_EQ(outer.set("cpu.max", "110000 50000"), 0);
        EXPECT_EQ(available_cpus(), 3u);
        ASSERT_EQ(inner.set("cpu.max", "1000 100000"), 0);
        EXPECT_EQ(available_cpus(), 1u);
        ASSERT_EQ(inner.set("cpu.max", "max"), 0);
        EXPECT_EQ(available_cpus(), 3u);
    }
    EXPECT_EQ(available_cpus(), all);
}

TEST(quota_v2, the_cpuset_of_the_group_counts_before_its_quota) {
    ASSERT_EQ(guest::enable_controller("cpu"), 0);
    ASSERT_EQ(guest::enable_controller("cpuset"), 0);
    const guest::control_group group("/sys/fs/cgroup/quota");
    ASSERT_TRUE(group.made());
    ASSERT_EQ(group.set("cpuset.cpus", "2-4"), 0);
    const guest::inside here(group);
    ASSERT_EQ(here.error(), 0);
    EXPECT_EQ(available_cpus(), 3u);
    EXPECT_EQ(regatta::affinity_of_this_thread(), regatta::cpu_set::parse("2-4"));
    ASSERT_EQ(group.set("cpu.max", "150000 100000"), 0);
    EXPECT_EQ(available_cpus(), 2u);
}

TEST(quota_v1, the_smallest_quota_of_all_groups_above_is_rounded_up) {
    const unsigned all = available_cpus();
    ASSERT_GT(all, 5u);
    const guest::control_group outer("/sys/fs/cgroup/cpu/quota");
    ASSERT_TRUE(outer.made());
    const guest::control_group inner("/sys/fs/cgroup/cpu/quota/inner");
    ASSERT_TRUE(inner.made());
    {
        const guest::inside here(inner, "/sys/fs/cgroup/cpu");
        ASSERT_EQ(here.error(), 0);
        EXPECT_EQ(available_cpus(), all);
        // A group may not be granted more than the one above it.
        ASSERT_EQ(outer.set("cpu.cfs_quota_us", "450000"), 0);
        EXPECT_EQ(available_cpus(), 5u);
        ASSERT_EQ(inner.set("cpu.cfs_quota_us", "220000"), 0);
        EXPECT_EQ(available_cpus(), 3u);
        ASSERT_EQ(inner.set("cpu.cfs_quota_us", "-1"), 0);
        EXPECT_EQ(available_cpus(), 5u);
    }
    EXPECT_EQ(available_cpus(), all);
}

TEST(quota_v1, the_cpuset_of_the_group_counts) {
    const guest::control_group group("/sys/fs/cgroup/cpuset/quota");
    ASSERT_TRUE(group.made());
    ASSERT_EQ(group.set("cpuset.mems", "0"), 0);
    ASSERT_EQ(group.set("cpuset.cpus", "2-4"), 0);
    const guest::inside here(group, "/sys/fs/cgroup/cpuset");
    ASSERT_EQ(here.error(), 0);
    EXPECT_EQ(available_cpus(), 3u);
}

} // namespace
