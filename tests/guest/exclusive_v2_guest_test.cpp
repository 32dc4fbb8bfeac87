// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Leases on machines with control groups of version 2: partitions, at the top and below, of
/// kernels that know remote partitions and of those that do not.

#include "exclusive_guest.hpp"
#include "guest.hpp"
#include "support/exclusive_sleeper.hpp"
#include "support/exclusive_snapshot.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/lease/exclusive_cpus.hpp>
#include <regatta/lease/exclusive_leases.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace {

using exclusive_test::difference;
using exclusive_test::sleeper;
using exclusive_test::snapshot;
using guest::at_least;
using guest::in_a_thread;
using guest::survive_death_before_any_act;
using guest::whole_machine;
using regatta::cpu_set;
using regatta::exclusive_cpus;
using regatta::exclusive_options;
using regatta::exclusivity;
using regatta::detail::acquire_on;
using regatta::detail::exclusive_system;
using regatta::detail::shared_system;
using testing::HasSubstr;

/// Older kernels do not tell which CPUs are isolated.
void expect_isolated(const std::string& cpus) {
    if (::access("/sys/fs/cgroup/cpuset.cpus.isolated", F_OK) == 0) {
        EXPECT_EQ(guest::read_text("/sys/fs/cgroup/cpuset.cpus.isolated"), cpus);
    }
}

} // namespace

TEST(exclusive_v2, threads_of_a_process_own_an_isolated_partition) {
    const sleeper pinned({3});
    const sleeper both({2, 5});
    const snapshot before = whole_machine();
    auto lease = exclusive_cpus::acquire(cpu_set{3, 5}, at_least(exclusivity::isolated_partition));
    EXPECT_EQ(lease.level(), exclusivity::isolated_partition);
    expect_isolated("3,5");
    EXPECT_EQ(lease.check(), std::nullopt);
    EXPECT_EQ(both.allowed(), cpu_set{2});
    EXPECT_FALSE(regatta::affinity_of_this_thread().contains(3));

    // Each thread gets a CPU for itself, in turn.
    std::vector<cpu_set> seen;
    const auto note = [&](const cpu_set& cpus) { seen.push_back(cpus); };
    in_a_thread(lease, note);
    in_a_thread(lease, note);
    lease.enter(); // This thread, which outlives the lease.
    lease.leave();
    lease.enter();
    const cpu_set others = cpu_set::first(8) - lease.cpus();
    EXPECT_THAT(seen, testing::ElementsAre(cpu_set{3}, others, cpu_set{5}, others));

    lease.release();
    EXPECT_EQ(difference(before, whole_machine()), "");
    EXPECT_EQ(pinned.allowed(), cpu_set{3});
    EXPECT_EQ(both.allowed(), (cpu_set{2, 5}));
}

TEST(exclusive_v2, a_root_partition_is_taken_where_the_load_is_to_be_balanced) {
    const snapshot before = whole_machine();
    {
        exclusive_options options = at_least(exclusivity::root_partition);
        options.balanced = true;
        auto lease = exclusive_cpus::acquire(cpu_set::parse("4-5"), options);
        EXPECT_EQ(lease.level(), exclusivity::root_partition);
        const cpu_set whole = cpu_set::parse("4-5");
        bool first = true;
        in_a_thread(lease, [&](const cpu_set& cpus) {
            EXPECT_EQ(first, cpus == whole);
            first = false;
        });
        // A single CPU has nothing to balance.
        auto one = exclusive_cpus::acquire(cpu_set{6}, options);
        EXPECT_EQ(one.level(), exclusivity::isolated_partition);
    }
    EXPECT_EQ(difference(before, whole_machine()), "");
}

TEST(exclusive_v2, leases_live_side_by_side_and_end_in_any_order) {
    const snapshot before = whole_machine();
    auto first = exclusive_cpus::acquire(cpu_set{1}, at_least(exclusivity::isolated_partition));
    auto second = exclusive_cpus::acquire(cpu_set{2}, at_least(exclusivity::isolated_partition));
    EXPECT_THROW(exclusive_cpus::acquire(cpu_set{2, 3}), std::system_error);
    first.release();
    EXPECT_EQ(second.check(), std::nullopt);
    expect_isolated("2");
    auto third = exclusive_cpus::acquire(cpu_set{1}, at_least(exclusivity::isolated_partition));
    second.release();
    third.release();
    EXPECT_EQ(difference(before, whole_machine()), "");
}

// As in two containers that see the same groups: each is in the other's way nowhere.
TEST(exclusive_v2, leases_of_two_journals_live_side_by_side) {
    const snapshot before = whole_machine();
    const exclusive_options options = at_least(exclusivity::isolated_partition);
    const auto elsewhere = std::make_shared<exclusive_system>("", "/run/elsewhere");
    auto first = exclusive_cpus::acquire(cpu_set{1}, options);
    auto second = acquire_on(elsewhere, cpu_set{2}, options);
    EXPECT_THROW(acquire_on(elsewhere, cpu_set{1, 3}, options), std::system_error);
    first.release();
    EXPECT_EQ(second.check(), std::nullopt);
    expect_isolated("2");
    second.release();
    // Neither could know whether it was the last one: the controller has stayed on.
    EXPECT_EQ(guest::write_text("/sys/fs/cgroup/cgroup.subtree_control", "-cpuset"), 0);
    EXPECT_EQ(difference(before, whole_machine()), "");
}

// Linux 6.12 deadlocks where a thread is moved while a partition changes, and no fork ends then.
TEST(exclusive_v2, threads_enter_while_other_programs_take_cpus) {
    const snapshot before = whole_machine();
    {
        auto lease = exclusive_cpus::acquire(cpu_set{1}, at_least(exclusivity::isolated_partition));
        std::vector<pid_t> others;
        for (const unsigned cpu : {2u, 5u}) {
            others.push_back(::fork());
            if (others.back() == 0) {
                for (unsigned round = 0; round < 8; ++round) {
                    exclusive_cpus::acquire(cpu_set{cpu, cpu + 1 + round % 2},
                                            at_least(exclusivity::isolated_partition));
                }
                ::_exit(0);
            }
        }
        for (const pid_t other : others) { // The guest's own limit ends a deadlock.
            int status = -1;
            while (::waitpid(other, &status, WNOHANG) == 0) {
                in_a_thread(lease, [](const cpu_set&) {});
            }
            EXPECT_EQ(status, 0);
        }
    }
    EXPECT_EQ(difference(before, whole_machine()), "");
}

TEST(exclusive_v2, interrupts_go_elsewhere_and_come_back) {
    const snapshot before = whole_machine();
    exclusive_options options = at_least(exclusivity::isolated_partition);
    options.move_interrupts = true;
    auto lease = exclusive_cpus::acquire(cpu_set{3}, options);
    EXPECT_EQ(guest::read_text("/proc/irq/default_smp_affinity"), "f7");
    lease.release();
    EXPECT_EQ(difference(before, whole_machine()), "");
}

TEST(exclusive_v2, the_kernel_was_never_asked_for_what_cannot_be) {
    const snapshot before = whole_machine();
    EXPECT_THROW(exclusive_cpus::acquire(cpu_set()), std::invalid_argument);
    EXPECT_THROW(exclusive_cpus::acquire(cpu_set::first(8)), std::invalid_argument);
    EXPECT_THROW(exclusive_cpus::acquire(cpu_set{8}), std::invalid_argument);
    EXPECT_THROW(exclusive_cpus::acquire(8), std::invalid_argument);
    EXPECT_THROW(exclusive_cpus::acquire(0), std::invalid_argument);
    EXPECT_EQ(difference(before, whole_machine()), "");
}

TEST(exclusive_v2, any_act_may_be_the_last) {
    survive_death_before_any_act(7, [](const shared_system& system) {
        exclusive_options options;
        options.at_least = exclusivity::isolated_partition;
        options.move_interrupts = true;
        auto lease = acquire_on(system, cpu_set{3, 4}, options);
        lease.enter();
        lease.release();
    });
}

TEST(exclusive_v2, a_process_in_the_lease_outlives_its_owner) {
    const snapshot before = whole_machine();
    {
        const sleeper child;
        const snapshot with_child = whole_machine();
        const pid_t owner = ::fork();
        if (owner == 0) {
            auto lease =
                exclusive_cpus::acquire(cpu_set{6}, at_least(exclusivity::isolated_partition));
            lease.enter_process(child.pid());
            ::kill(::getpid(), SIGKILL);
        }
        ::waitpid(owner, nullptr, 0);
        EXPECT_EQ(child.allowed(), cpu_set{6});
        EXPECT_EQ(regatta::exclusive_status().at(0).stale, true);
        // The next lease repairs first.
        auto next = exclusive_cpus::acquire(cpu_set{6}, at_least(exclusivity::isolated_partition));
        EXPECT_FALSE(child.allowed().contains(6));
        next.release();
        EXPECT_EQ(difference(with_child, whole_machine()), "");
    }
    EXPECT_EQ(difference(before, whole_machine()), "");
}

// Below a group that is no partition: granted all the way down, a remote partition.
TEST(exclusive_v2_remote, a_thread_stays_in_its_process_group) {
    guest::control_group outer("/sys/fs/cgroup/outer");
    guest::control_group inner("/sys/fs/cgroup/outer/inner");
    guest::control_group neighbour("/sys/fs/cgroup/outer/neighbour");
    const guest::inside moved(inner);
    ASSERT_EQ(moved.error(), 0);
    const snapshot before = whole_machine();
    auto lease = exclusive_cpus::acquire(cpu_set{2, 3}, at_least(exclusivity::isolated_partition));
    expect_isolated("2-3");
    EXPECT_THAT(lease.explain().at(0), HasSubstr("/outer/inner"));
    auto other = exclusive_cpus::acquire(cpu_set{5}, at_least(exclusivity::isolated_partition));
    in_a_thread(lease, [&](const cpu_set& cpus) { EXPECT_LE(cpus.count(), 5u); });
    lease.release();
    EXPECT_EQ(other.check(), std::nullopt);
    EXPECT_EQ(guest::read_text("/sys/fs/cgroup/outer/cpuset.cpus.exclusive"), "5");
    other.release();
    EXPECT_EQ(difference(before, whole_machine()), "");
}

TEST(exclusive_v2_remote, any_act_may_be_the_last) {
    guest::control_group outer("/sys/fs/cgroup/outer");
    guest::control_group inner("/sys/fs/cgroup/outer/inner");
    const guest::inside moved(inner);
    ASSERT_EQ(moved.error(), 0);
    survive_death_before_any_act(7, [](const shared_system& system) {
        exclusive_options options;
        options.at_least = exclusivity::isolated_partition;
        auto lease = acquire_on(system, cpu_set{3}, options);
        lease.enter();
        lease.release();
    });
}

TEST(exclusive_v2_remote, a_partition_that_turns_invalid_is_told_and_can_be_renewed) {
    auto lease = exclusive_cpus::acquire(cpu_set{3}, at_least(exclusivity::isolated_partition));
    {
        const guest::offline_cpu off(3);
        ASSERT_EQ(off.error(), 0);
        const auto breach = lease.check();
        ASSERT_TRUE(breach);
        EXPECT_THAT(*breach, HasSubstr("CPUs 3 went offline"));
    }
    EXPECT_EQ(lease.renew(), std::nullopt);
    expect_isolated("3");
}

// Kernels without cpuset.cpus.exclusive.
TEST(exclusive_v2_old, a_partition_below_the_top_takes_whole_processes) {
    guest::control_group outer("/sys/fs/cgroup/outer");
    const guest::inside moved(outer);
    ASSERT_EQ(moved.error(), 0);
    const sleeper pinned({3});
    const snapshot before = whole_machine();
    try {
        exclusive_cpus::acquire(cpu_set{3}, at_least(exclusivity::isolated_partition));
        FAIL() << "there are no remote partitions here";
    } catch (const std::system_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("cpuset.cpus.exclusive"));
    }
    EXPECT_EQ(difference(before, whole_machine()), "");
    {
        const sleeper child;
        const snapshot with_child = whole_machine();
        exclusive_options options = at_least(exclusivity::isolated_partition);
        options.whole_processes = true;
        auto lease = exclusive_cpus::acquire(cpu_set{3}, options);
        lease.enter_process(child.pid());
        EXPECT_EQ(child.allowed(), cpu_set{3});
        EXPECT_NE(pinned.allowed(), cpu_set{3});
        lease.release();
        EXPECT_EQ(difference(with_child, whole_machine()), "");
    }
}

// "Each thread that enters gets one of the CPUs", also if it takes its process along.
TEST(exclusive_v2_old, threads_and_processes_that_enter_as_a_whole_get_a_cpu_each) {
    guest::control_group outer("/sys/fs/cgroup/outer");
    const guest::inside moved(outer);
    ASSERT_EQ(moved.error(), 0);
    const sleeper one({3});
    const sleeper other;
    const cpu_set usual = regatta::affinity_of_this_thread();
    const snapshot before = whole_machine();
    exclusive_options options = at_least(exclusivity::isolated_partition);
    options.whole_processes = true;
    auto lease = exclusive_cpus::acquire(cpu_set{2, 3}, options);
    lease.enter(one.pid());
    lease.enter(other.pid());
    EXPECT_EQ(one.allowed(), cpu_set{2});
    EXPECT_EQ(other.allowed(), cpu_set{3});
    lease.leave(one.pid());
    lease.leave(other.pid());
    EXPECT_FALSE(one.allowed().contains(cpu_set{2}));

    lease.enter();
    const cpu_set first = regatta::affinity_of_this_thread();
    std::thread([&] {
        lease.enter();
        EXPECT_EQ(regatta::affinity_of_this_thread(), (cpu_set{2, 3} - first));
        EXPECT_EQ(first.count(), 1U);
        lease.leave(static_cast<int>(::getpid())); // Takes all of them out.
        lease.leave();
        EXPECT_EQ(regatta::affinity_of_this_thread(), usual - (cpu_set{2, 3}));
        lease.enter();
        lease.release();
        EXPECT_EQ(regatta::affinity_of_this_thread(), usual);
    }).join();
    EXPECT_EQ(regatta::affinity_of_this_thread(), usual);
    EXPECT_EQ(difference(before, whole_machine()), "");
}
