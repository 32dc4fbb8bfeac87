// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the tests of leases of CPUs share: the whole machine before and after, leases that end at
/// any moment, threads that enter one.

#include "lease/lease_access.hpp"
#include "support/exclusive_faults.hpp"
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
#include <random>
#include <string>
#include <thread>

namespace guest {

/// Everything that a lease can change on the whole machine.
inline exclusive_test::snapshot whole_machine() {
    regatta::detail::exclusive_system system;
    exclusive_test::snapshot all;
    exclusive_test::add_groups(all, system, "/sys/fs/cgroup");
    exclusive_test::add_interrupts(all, system);
    exclusive_test::add_tasks(all, system);
    return all;
}

/// Runs `act` in a child that kills itself before one of its acts, one of every `stride` in turn,
/// until it comes through; `act(system)` takes its lease on that machine. After each death the
/// lease is repaired and the machine must be as before.
template<class Act>
void survive_death_before_any_act(int stride, Act act) {
    const exclusive_test::snapshot before = whole_machine();
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    bool through = false;
    int number = 1;
    for (; !through && number < 400;
         number += std::uniform_int_distribution<int>(1, 2 * stride)(random)) {
        const pid_t child = ::fork();
        if (child == 0) {
            const auto system = std::make_shared<exclusive_test::faulty_system>();
            system->die_before(number);
            act(system);
            ::_exit(0);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        through = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        ASSERT_TRUE(through || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)) << status;
        const auto repaired = regatta::release_stale();
        EXPECT_THAT(repaired.problems, testing::IsEmpty()) << "killed before act " << number;
        EXPECT_EQ(exclusive_test::difference(before, whole_machine()), "")
            << "killed before act " << number;
        EXPECT_THAT(regatta::exclusive_status(), testing::IsEmpty());
    }
    EXPECT_TRUE(through);
}

/// Asks for a lease of that level or a better one.
inline regatta::exclusive_options at_least(regatta::exclusivity level) {
    regatta::exclusive_options options;
    options.at_least = level;
    return options;
}

/// Waits for a thread of this process that calls `look` with its CPUs twice: once it has entered
/// the lease, and once it has left it.
template<class Look>
void in_a_thread(regatta::exclusive_cpus& lease, Look look) {
    std::thread thread([&] {
        lease.enter();
        look(regatta::affinity_of_this_thread());
        lease.leave();
        look(regatta::affinity_of_this_thread());
    });
    thread.join();
}

} // namespace guest
