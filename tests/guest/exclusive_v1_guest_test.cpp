// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Leases on machines with control groups of version 1, of kernels that forget masks: the shield
/// and the sweep.

#include "exclusive_guest.hpp"
#include "guest.hpp"
#include "support/exclusive_faults.hpp"
#include "support/exclusive_sleeper.hpp"
#include "support/exclusive_snapshot.hpp"

#include <regatta/lease/exclusive_cpus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace {

using exclusive_test::difference;
using exclusive_test::faulty_system;
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

} // namespace

TEST(exclusive_v1, the_shield_keeps_everybody_out_and_goes_without_a_trace) {
    guest::control_group container("/sys/fs/cgroup/cpuset/container");
    ASSERT_EQ(container.set("cpuset.mems", "0"), 0);
    ASSERT_EQ(container.set("cpuset.cpus", "2-5"), 0);
    guest::control_group inner("/sys/fs/cgroup/cpuset/container/inner");
    ASSERT_EQ(inner.set("cpuset.mems", "0"), 0);
    ASSERT_EQ(inner.set("cpuset.cpus", "3-4"), 0);
    const sleeper pinned({3});
    const sleeper elsewhere({6});
    const sleeper contained;
    ASSERT_EQ(inner.set("tasks", std::to_string(contained.pid())), 0);
    const snapshot before = whole_machine();

    exclusive_options options = at_least(exclusivity::shielded);
    options.move_others = true;
    options.move_interrupts = true;
    auto lease = exclusive_cpus::acquire(cpu_set{3}, options);
    EXPECT_EQ(lease.level(), exclusivity::shielded);
    EXPECT_EQ(lease.check(), std::nullopt);
    EXPECT_EQ(contained.allowed(), cpu_set{4});
    EXPECT_FALSE(pinned.allowed().contains(3));
    bool inside = true;
    in_a_thread(lease, [&](const cpu_set& cpus) {
        EXPECT_EQ(inside, cpus == cpu_set{3});
        inside = false;
    });
    auto second = exclusive_cpus::acquire(cpu_set{5}, options);
    lease.release();
    EXPECT_EQ(second.check(), std::nullopt);
    second.release();
    EXPECT_EQ(difference(before, whole_machine()), "");
}

// As in two containers that see the same groups.
TEST(exclusive_v1, a_lease_of_another_journal_harms_no_shield) {
    const snapshot before = whole_machine();
    exclusive_options options = at_least(exclusivity::shielded);
    options.move_others = true;
    const auto elsewhere = std::make_shared<exclusive_system>("", "/run/elsewhere");
    auto first = exclusive_cpus::acquire(cpu_set{3}, options);
    for (const cpu_set& cpus : {cpu_set{3}, cpu_set{5}}) {
        try {
            acquire_on(elsewhere, cpus, options);
            ADD_FAILURE() << "got CPUs " << cpus.to_string();
        } catch (const std::system_error& error) {
            EXPECT_THAT(error.what(), HasSubstr("not in this journal"));
        }
    }
    options.at_least = exclusivity::swept;
    auto second = acquire_on(elsewhere, cpu_set{5}, options);
    EXPECT_EQ(second.level(), exclusivity::swept);
    EXPECT_EQ(first.check(), std::nullopt);
    second.release();
    EXPECT_EQ(first.check(), std::nullopt);
    first.release();
    EXPECT_EQ(difference(before, whole_machine()), "");
}

TEST(exclusive_v1, the_sweep_is_the_next_best) {
    const sleeper pinned({3});
    const snapshot before = whole_machine();
    exclusive_options options = at_least(exclusivity::swept);
    options.move_others = true;
    const auto system = std::make_shared<faulty_system>();
    system->before_act = [](const std::string& act) {
        return act.starts_with("mkdir /sys") ? EROFS : 0;
    };
    auto lease = acquire_on(system, cpu_set{3}, options);
    EXPECT_EQ(lease.level(), exclusivity::swept);
    EXPECT_FALSE(pinned.allowed().contains(3));
    const sleeper heir; // It inherits a narrowed mask.
    EXPECT_FALSE(heir.allowed().contains(3));
    lease.release();
    EXPECT_TRUE(heir.allowed().contains(3));
    snapshot after = whole_machine();
    std::erase_if(after, [&](const auto& entry) {
        return entry.first.find("/proc/" + std::to_string(heir.pid()) + "/") == 0;
    });
    EXPECT_EQ(difference(before, after), "");
}

TEST(exclusive_v1, any_act_may_be_the_last) {
    const sleeper pinned({3});
    survive_death_before_any_act(25, [](const shared_system& system) {
        exclusive_options options;
        options.at_least = exclusivity::shielded;
        options.move_others = true;
        auto lease = acquire_on(system, cpu_set{3}, options);
        lease.enter();
        lease.release();
    });
}
