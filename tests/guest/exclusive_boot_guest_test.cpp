// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Leases on a machine whose kernel was started with isolcpus=6-7.

#include "exclusive_guest.hpp"
#include "support/exclusive_snapshot.hpp"

#include <regatta/lease/exclusive_cpus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <system_error>

namespace {

using exclusive_test::difference;
using exclusive_test::snapshot;
using guest::at_least;
using guest::in_a_thread;
using guest::whole_machine;
using regatta::cpu_set;
using regatta::exclusive_cpus;
using regatta::exclusivity;
using testing::HasSubstr;

} // namespace

TEST(exclusive_boot, isolated_cpus_are_pinned_to) {
    const snapshot before = whole_machine();
    auto lease = exclusive_cpus::acquire(2);
    EXPECT_EQ(lease.level(), exclusivity::isolated_at_boot);
    EXPECT_EQ(lease.cpus(), (cpu_set{6, 7}));
    in_a_thread(lease, [&](const cpu_set& cpus) { EXPECT_FALSE(cpus.contains(7)); });
    EXPECT_THROW(exclusive_cpus::acquire(cpu_set{7}), std::system_error);
    // Others are to be had as partitions meanwhile.
    auto other = exclusive_cpus::acquire(cpu_set{4}, at_least(exclusivity::isolated_partition));
    EXPECT_EQ(other.level(), exclusivity::isolated_partition);
    other.release();
    lease.release();
    EXPECT_EQ(difference(before, whole_machine()), "");
}

TEST(exclusive_boot, a_mixture_is_refused_with_the_reason) {
    try {
        exclusive_cpus::acquire(cpu_set{5, 6}, at_least(exclusivity::root_partition));
        FAIL();
    } catch (const std::system_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("only CPUs 6-7 were isolated at boot"));
        EXPECT_THAT(error.what(), HasSubstr("which the kernel refuses in partitions"));
    }
}
