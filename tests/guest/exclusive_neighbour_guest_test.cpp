// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// A partition whose neighbour takes one of its CPUs during the run.

#include "guest.hpp"

#include <regatta/lease/exclusive_cpus.hpp>
#include <regatta/lease/exclusive_leases.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace {

using regatta::cpu_set;
using regatta::exclusive_cpus;
using regatta::exclusive_options;
using regatta::exclusivity;

exclusive_cpus acquire_partition() {
    exclusive_options options;
    options.at_least = exclusivity::isolated_partition;
    return exclusive_cpus::acquire(cpu_set{3}, options);
}

} // namespace

TEST(exclusive_neighbour, a_breach_is_told_and_can_be_mended_when_the_neighbour_is_gone) {
    auto lease = acquire_partition();
    {
        const guest::control_group neighbour("/sys/fs/cgroup/neighbour");
        ASSERT_TRUE(neighbour.made());
        ASSERT_EQ(neighbour.set("cpuset.cpus", "3-4"), 0);
        const auto breach = lease.check();
        ASSERT_TRUE(breach);
        EXPECT_THAT(*breach, testing::HasSubstr("isolated invalid"));
        EXPECT_NE(lease.renew(), std::nullopt); // Not as long as the neighbour is there.
    }
    EXPECT_EQ(lease.renew(), std::nullopt);
    EXPECT_EQ(lease.check(), std::nullopt);
    lease.release();
    EXPECT_THAT(regatta::exclusive_status(), testing::IsEmpty());
}
