// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// A lease that moves every process of this machine, for some milliseconds. No other test may run
/// beside it: one that reads or sets where a thread may run would see that.

#include "exclusive_fakes.hpp"
#include "exclusive_take.hpp"
#include "lease/exclusive_machine.hpp"
#include "support/exclusive_sleeper.hpp"

#include <regatta/lease/exclusive_cpus.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <system_error>

using exclusive_test::difference;
using exclusive_test::last_of;
using exclusive_test::sleeper;
using exclusive_test::snapshot;
using exclusive_test::take_when_free;
using regatta::cpu_set;
using regatta::exclusive_options;
using regatta::exclusivity;
using regatta::detail::exclusive_system;

TEST(exclusive_machine, the_whole_machine_is_shielded_and_as_before) {
    exclusive_system system;
    const auto machine = regatta::detail::read_machine(system);
    if (!machine.v1) {
        GTEST_SKIP() << "this machine has no control groups of version 1 with cpusets";
    }
    if (machine.online.count() < 2) {
        GTEST_SKIP() << "this machine has one CPU";
    }
    const std::string self = std::to_string(::getpid());
    const std::string probe = machine.v1.top + "/regatta_lease_test_" + self;
    if (const int error = system.make_directory(probe)) {
        GTEST_SKIP() << "groups cannot be made: " << std::generic_category().message(error);
    }
    ASSERT_EQ(system.remove_directory(probe), 0);
    const unsigned cpu = last_of(machine.online);
    const sleeper free;
    const sleeper pinned(cpu_set{cpu});
    const auto look = [&] {
        snapshot all;
        exclusive_test::add_interrupts(all, system);
        exclusive_test::add_tasks(all, system, {self, free.name(), pinned.name()});
        return all;
    };
    exclusive_options options;
    options.at_least = exclusivity::shielded;
    options.move_others = true;
    options.move_interrupts = true;
    options.title = "test";
    const snapshot before = look();
    auto lease = take_when_free(std::make_shared<exclusive_system>(), cpu_set{cpu}, options);
    const exclusivity level = lease.level();
    const cpu_set during = free.allowed();
    const auto breach = lease.check();
    lease.release();
    EXPECT_EQ(level, exclusivity::shielded);
    EXPECT_EQ(during, machine.online - cpu_set{cpu});
    EXPECT_EQ(breach, std::nullopt);
    EXPECT_EQ(difference(before, look()), "");
    for (const std::string& name : system.list_folders(machine.v1.own)) {
        EXPECT_FALSE(name.starts_with("regatta." + self)) << name;
    }
}
