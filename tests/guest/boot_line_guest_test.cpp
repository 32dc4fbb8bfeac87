// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// One guest plans the command line for the next boot and prints it; another one, with the same
/// machine, is booted with it and sees that the kernel does what was planned.

#include "guest.hpp"

#include <regatta/boot/boot_line.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/topology.hpp>
#include <regatta/inspect/interrupt_counts.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>

namespace {

using regatta::boot_concern;
using regatta::boot_line;
using regatta::cpu_set;
using regatta::plan_boot_line;
using regatta::running_kernel;
using regatta::topology;

/// A core of each socket, and a single one, so that the lists have gaps.
const cpu_set planned_cpus{2, 3, 6, 7, 10, 11};

boot_line plan_now(const cpu_set& cpus) {
    return plan_boot_line(cpus, topology::read(), running_kernel::read());
}

/// Timer interrupts that come to a CPU while a thread runs there for half a second of CPU time.
std::uint64_t ticks_of_a_busy(unsigned cpu) {
    const regatta::scoped_pin pin({cpu});
    const auto used = [] {
        timespec now{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
    };
    const auto end = used() + std::chrono::milliseconds(500);
    const auto before = regatta::interrupt_counts::read({cpu});
    while (used() < end) {
    }
    std::uint64_t ticks = 0;
    for (const auto& interrupt : regatta::interrupt_counts::read({cpu}).since(before, cpu)) {
        ticks += interrupt.kind == regatta::interrupt_kind::tick ? interrupt.count : 0;
    }
    return ticks;
}

} // namespace

TEST(plan, knows_this_kernel_and_prints_a_line_without_a_warning) {
    const running_kernel kernel = running_kernel::read();
    ASSERT_TRUE(kernel.config);
    EXPECT_EQ(kernel.config->source(), "/boot/config-" + kernel.release);
    EXPECT_TRUE(kernel.config->has("CONFIG_SMP"));
    const boot_line line = plan_now(planned_cpus);
    EXPECT_EQ(line.text(), "isolcpus=managed_irq,domain,2-11:2/4 nohz_full=2-11:2/4 "
                           "rcu_nocbs=2-11:2/4 irqaffinity=0-9:2/4,12-15");
    for (const auto& warning : line.warnings) {
        ADD_FAILURE() << warning.text;
    }
    std::printf("guest: line %s\n", line.text().c_str());
}

TEST(plan, warns_of_what_this_machine_would_suffer) {
    EXPECT_TRUE(plan_now({0, 1}).warns_of(boot_concern::cpu_zero));
    EXPECT_TRUE(plan_now({3}).warns_of(boot_concern::split_core));
    EXPECT_TRUE(plan_now(cpu_set::parse("8-15")).warns_of(boot_concern::whole_node));
    EXPECT_TRUE(plan_now(cpu_set::first(16)).warns_of(boot_concern::no_housekeeping));
    const guest::offline_cpu off(3);
    ASSERT_EQ(off.error(), 0);
    EXPECT_TRUE(plan_now({2, 3}).warns_of(boot_concern::not_online));
}

TEST(planned, the_kernel_has_isolated_the_cpus_of_the_plan) {
    const topology machine = topology::read();
    EXPECT_EQ(machine.isolated, planned_cpus);
    EXPECT_EQ(machine.nohz_full, planned_cpus);
    EXPECT_EQ(machine.housekeeping, machine.online - planned_cpus);
    // The kernel starts its first program, and with it everything, on the others.
    EXPECT_EQ(regatta::affinity_of_this_thread(), machine.housekeeping);
    EXPECT_EQ(cpu_set::parse_mask(guest::read_text("/proc/irq/default_smp_affinity")),
              machine.housekeeping);
}

TEST(planned, the_kernel_has_understood_every_option) {
    // What it does not know it hands to the first program, as a variable or a word.
    const std::string variables = guest::read_text("/proc/1/environ");
    for (const auto& option : plan_now(planned_cpus).options) {
        EXPECT_EQ(variables.find(option.name), std::string::npos) << option.name;
    }
}

TEST(planned, a_busy_cpu_of_the_plan_has_hardly_a_tick) {
    const std::uint64_t planned = ticks_of_a_busy(7);
    const std::uint64_t other = ticks_of_a_busy(5);
    EXPECT_LT(planned * 4, other);
}

TEST(planned, the_same_plan_has_nothing_to_do_and_another_one_says_so) {
    EXPECT_TRUE(plan_now(planned_cpus).in_force());
    const boot_line other = plan_now({2, 3});
    EXPECT_FALSE(other.in_force());
    EXPECT_TRUE(other.warns_of(boot_concern::already_set));
    EXPECT_NE(other.warnings.back().text.find("CPUs 6-7,10-11, isolated now, go"),
              std::string::npos);
}
