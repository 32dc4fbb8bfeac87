// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Where threads are after a lease of CPUs: in the groups and on the CPUs that they had before.

#include "exclusive_guest.hpp"
#include "guest.hpp"
#include "support/exclusive_sleeper.hpp"
#include "support/exclusive_snapshot.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/lease/exclusive_cpus.hpp>
#include <regatta/lease/exclusive_leases.hpp>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>

namespace {

using exclusive_test::difference;
using exclusive_test::sleeper;
using exclusive_test::snapshot;
using guest::at_least;
using guest::whole_machine;
using regatta::cpu_set;
using regatta::exclusive_cpus;
using regatta::exclusive_options;
using regatta::exclusivity;

/// A process in another group than this one enters: it leaves, is in at the end of the lease, or at
/// the death of its owner, and each time returns to its own group.
void expect_return_of(int process, const cpu_set& cpus, const exclusive_options& options) {
    const snapshot before = whole_machine();
    {
        auto lease = exclusive_cpus::acquire(cpus, options);
        const snapshot owned = whole_machine();
        lease.enter_process(process);
        lease.leave(process);
        EXPECT_EQ(difference(owned, whole_machine()), "");
        lease.enter_process(process);
    }
    EXPECT_EQ(difference(before, whole_machine()), "");
    const pid_t owner = ::fork();
    if (owner == 0) {
        auto lease = exclusive_cpus::acquire(cpus, options);
        lease.enter_process(process);
        ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(owner, nullptr, 0);
    EXPECT_EQ(regatta::release_stale().released.size(), 1U);
    EXPECT_EQ(difference(before, whole_machine()), "");
}

} // namespace

TEST(exclusive_v1, a_process_of_another_group_returns_there) {
    guest::control_group container("/sys/fs/cgroup/cpuset/container");
    ASSERT_EQ(container.set("cpuset.mems", "0"), 0);
    ASSERT_EQ(container.set("cpuset.cpus", "2-5"), 0);
    const sleeper contained;
    ASSERT_EQ(container.set("tasks", contained.name()), 0);
    exclusive_options options = at_least(exclusivity::shielded);
    options.move_others = true;
    expect_return_of(contained.pid(), {3}, options);
}

TEST(exclusive_v1, a_process_of_another_group_returns_there_whenever_its_owner_dies) {
    guest::control_group container("/sys/fs/cgroup/cpuset/container");
    ASSERT_EQ(container.set("cpuset.mems", "0"), 0);
    ASSERT_EQ(container.set("cpuset.cpus", "2-5"), 0);
    const sleeper contained({2, 3});
    ASSERT_EQ(container.set("tasks", contained.name()), 0);
    guest::survive_death_before_any_act(12, [&](const regatta::detail::shared_system& system) {
        exclusive_options options = at_least(exclusivity::shielded);
        options.move_others = true;
        auto lease = regatta::detail::acquire_on(system, cpu_set{3, 6}, options);
        lease.enter_process(contained.pid());
        lease.leave(contained.pid());
        lease.enter_process(contained.pid());
        lease.release();
    });
}

TEST(exclusive_v2_old, a_process_of_another_group_returns_there) {
    guest::control_group outer("/sys/fs/cgroup/outer");
    guest::control_group container("/sys/fs/cgroup/container");
    const guest::inside moved(outer);
    ASSERT_EQ(moved.error(), 0);
    const sleeper contained;
    ASSERT_EQ(container.set("cgroup.procs", contained.name()), 0);
    exclusive_options options = at_least(exclusivity::isolated_partition);
    options.whole_processes = true;
    expect_return_of(contained.pid(), {3}, options);
}

TEST(exclusive_v2, a_thread_in_a_lease_takes_another) {
    const snapshot before = whole_machine();
    const exclusive_options options = at_least(exclusivity::isolated_partition);
    auto first = exclusive_cpus::acquire(cpu_set{3}, options);
    first.enter();
    auto second = exclusive_cpus::acquire(cpu_set{5}, options);
    second.enter();
    EXPECT_EQ(regatta::affinity_of_this_thread(), cpu_set{5});
    second.leave();
    EXPECT_EQ(regatta::affinity_of_this_thread(), cpu_set{3});
    first.release();
    EXPECT_EQ(second.check(), std::nullopt);
    second.release();
    EXPECT_EQ(difference(before, whole_machine()), "");
}

namespace {

/// A CPU of a lease is offline at its end.
void expect_return_with_a_cpu_offline(const exclusive_options& options) {
    const sleeper pinned({2, 3});
    const snapshot before = whole_machine();
    {
        auto lease = exclusive_cpus::acquire(cpu_set{3, 5}, options);
        lease.enter();
        const guest::offline_cpu off(5);
        ASSERT_EQ(off.error(), 0);
        EXPECT_NE(lease.check(), std::nullopt);
        lease.release();
    }
    EXPECT_EQ(difference(before, whole_machine()), "");
}

} // namespace

TEST(exclusive_v1, everything_returns_though_a_cpu_is_offline) {
    exclusive_options options = at_least(exclusivity::shielded);
    options.move_others = true;
    expect_return_with_a_cpu_offline(options);
}

// Older kernels keep the tasks of the top group off a CPU that was offline when a partition ended.
TEST(exclusive_v2_remote, everything_returns_though_a_cpu_is_offline) {
    expect_return_with_a_cpu_offline(at_least(exclusivity::isolated_partition));
}

TEST(exclusive_v2, a_cpu_that_was_offline_belongs_to_the_lease_again) {
    const sleeper pinned({2, 3});
    const snapshot before = whole_machine();
    {
        auto lease =
            exclusive_cpus::acquire(cpu_set{3, 5}, at_least(exclusivity::isolated_partition));
        lease.enter();
        for (const unsigned cpu : {3U, 1U}) {
            const guest::offline_cpu off(cpu);
            ASSERT_EQ(off.error(), 0);
            EXPECT_EQ(lease.renew().has_value(), cpu == 3);
        }
        EXPECT_EQ(lease.check(), std::nullopt);
    }
    EXPECT_EQ(difference(before, whole_machine()), "");
}
