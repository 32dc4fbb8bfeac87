// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Threads that enter and leave a lease of CPUs, on a machine of plain files.

#include "exclusive_fakes.hpp"

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <gtest/gtest.h>

#include <memory>

namespace {

using exclusive_test::masked_system;
using regatta::exclusive_cpus;

class exclusive_entry : public exclusive_test::lease_test {};

} // namespace

// "Moves the calling thread, or another, back to its previous group and affinity": each time to
// the one before.
TEST_F(exclusive_entry, a_mask_that_was_set_between_two_entries_comes_back) {
    const auto machine = std::make_shared<masked_system>(root, "0-7");
    host = machine;
    auto lease = take({3});
    lease.enter(50);
    EXPECT_EQ(machine->mask(), "3");
    lease.leave(50);
    EXPECT_EQ(machine->mask(), "0-7");
    machine->set_mask("0-1");
    lease.enter(50);
    EXPECT_EQ(machine->mask(), "3");
    lease.leave(50);
    EXPECT_EQ(machine->mask(), "0-1");
    lease.enter(50);
    lease.release();
    EXPECT_EQ(machine->mask(), "0-1");
}

TEST_F(exclusive_entry, the_last_mask_comes_back_after_the_death_of_the_owner) {
    const auto machine = std::make_shared<masked_system>(root, "0-7");
    host = machine;
    take_and_die([&](exclusive_cpus& lease) {
        lease.enter(50);
        lease.leave(50);
        machine->set_mask("0-1");
        lease.enter(50);
    });
    EXPECT_EQ(machine->mask(), "3");
    EXPECT_EQ(repair().released.size(), 1U);
    EXPECT_EQ(machine->mask(), "0-1");
}

TEST_F(exclusive_entry, a_mask_that_the_sweep_narrowed_comes_back_whole) {
    const auto machine = std::make_shared<masked_system>(root, "0-7");
    host = machine;
    options.move_others = true;
    auto lease = take({3});
    ASSERT_EQ(lease.level(), regatta::exclusivity::swept);
    EXPECT_EQ(machine->mask(), "0-2,4-7");
    lease.enter(50);
    EXPECT_EQ(machine->mask(), "3");
    lease.release();
    EXPECT_EQ(machine->mask(), "0-7");
}
