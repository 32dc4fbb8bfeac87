// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "isolation/worker_cpus.hpp"

#include <regatta/cpu/affinity.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

using namespace regatta;
using namespace regatta::race;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// A machine of `cores` cores with `siblings` CPUs each; those of a core are `cores` apart, as on
/// most real ones.
topology machine_of(unsigned cores, unsigned siblings) {
    topology machine;
    machine.online = machine.present = machine.possible = cpu_set::first(cores * siblings);
    machine.housekeeping = machine.online;
    machine.packages.push_back({0, machine.online});
    machine.dies.push_back({0, 0, machine.online});
    machine.nodes.push_back({0, 0, {10}, machine.online});
    machine.kinds.push_back({"", 0, machine.online});
    for (unsigned core = 0; core < cores; ++core) {
        cpu_core one;
        one.id = core;
        for (unsigned i = 0; i < siblings; ++i) {
            one.cpus.insert(core + i * cores);
        }
        machine.cores.push_back(one);
    }
    for (unsigned cpu = 0; cpu < cores * siblings; ++cpu) {
        machine.cpus.push_back({.cpu = cpu, .core = cpu % cores});
    }
    return machine;
}

std::string refusal_of(unsigned workers, const cpu_set& wish, const topology& machine) {
    try {
        choose_worker_cpus(workers, wish, machine.online, machine.online, machine);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return {};
}

} // namespace

TEST(worker_cpus, of_two_the_second) {
    const topology machine = machine_of(2, 1);
    const worker_cpus chosen = choose_worker_cpus(0, {}, machine.online, machine.online, machine);
    EXPECT_THAT(chosen.workers, ElementsAre(1));
    EXPECT_EQ(chosen.owned, cpu_set{1});
}

TEST(worker_cpus, of_two_siblings_the_second_without_the_first) {
    const topology machine = machine_of(1, 2);
    const worker_cpus chosen = choose_worker_cpus(1, {}, machine.online, machine.online, machine);
    EXPECT_THAT(chosen.workers, ElementsAre(1));
    EXPECT_EQ(chosen.owned, cpu_set{1});
}

TEST(worker_cpus, whole_cores_away_from_the_first) {
    const topology machine = machine_of(4, 2);
    const worker_cpus chosen = choose_worker_cpus(2, {}, machine.online, machine.online, machine);
    EXPECT_THAT(chosen.workers, ElementsAre(1, 2));
    EXPECT_EQ(chosen.owned, cpu_set::parse("1-2,5-6"));
}

TEST(worker_cpus, siblings_only_where_the_cores_do_not_suffice) {
    const topology machine = machine_of(4, 2);
    const worker_cpus chosen = choose_worker_cpus(5, {}, machine.online, machine.online, machine);
    EXPECT_EQ(chosen.workers.size(), 5u);
    std::set<unsigned> cores;
    for (std::size_t i = 0; i < 3; ++i) {
        cores.insert(chosen.workers[i] % 4);
    }
    EXPECT_EQ(cores, (std::set<unsigned>{1, 2, 3}));
    EXPECT_EQ(chosen.owned, cpu_set::parse("1-3,5-7"));
}

TEST(worker_cpus, all_cpus_can_be_pinned_to) {
    const topology machine = machine_of(2, 1);
    const worker_cpus chosen = choose_worker_cpus(2, {}, machine.online, machine.online, machine);
    EXPECT_EQ(chosen.workers.size(), 2u);
    EXPECT_EQ(chosen.owned, machine.online);
}

TEST(worker_cpus, those_isolated_at_boot_first) {
    topology machine = machine_of(8, 1);
    machine.isolated = cpu_set::parse("6-7");
    EXPECT_THAT(choose_worker_cpus(2, {}, machine.online, machine.online, machine).workers,
                ElementsAre(6, 7));
    EXPECT_THAT(choose_worker_cpus(3, {}, machine.online, machine.online, machine).workers,
                ElementsAre(1, 2, 3));
}

TEST(worker_cpus, a_wish_is_owned_as_a_whole) {
    const topology machine = machine_of(4, 2);
    const cpu_set wish = cpu_set::parse("2-3,6-7");
    const worker_cpus two = choose_worker_cpus(2, wish, machine.online, machine.online, machine);
    EXPECT_THAT(two.workers, ElementsAre(2, 3));
    EXPECT_EQ(two.owned, wish);
    EXPECT_EQ(choose_worker_cpus(0, wish, machine.online, machine.online, machine).workers.size(),
              4u);
}

// Workers that nobody pins, and the noise beside them, stay where `taskset` has put this process.
TEST(worker_cpus, of_a_process_that_keeps_to_some_these) {
    topology machine = machine_of(8, 1);
    const cpu_set own{0, 5};
    const auto chosen = [&](unsigned workers) {
        return choose_worker_cpus(workers, {}, machine.online, own, machine).workers;
    };
    EXPECT_THAT(chosen(1), ElementsAre(0));
    EXPECT_THAT(chosen(2), ElementsAre(0, 5));
    EXPECT_THAT(chosen(3), ElementsAre(1, 2, 3)); // They do not suffice.
    // A mask without the isolated CPUs is what every process has.
    machine.isolated = {6, 7};
    const cpu_set all_others = machine.online - machine.isolated;
    EXPECT_THAT(choose_worker_cpus(3, {}, machine.online, all_others, machine).workers,
                ElementsAre(1, 2, 3));
}

TEST(worker_cpus, what_cannot_be_is_refused_with_what_can) {
    const topology machine = machine_of(2, 1);
    EXPECT_THAT(refusal_of(3, {}, machine), HasSubstr("3 workers need as many CPUs, and there are "
                                                      "2 (0-1)"));
    EXPECT_THAT(refusal_of(2, {1}, machine), HasSubstr("there are 1 (1)"));
    EXPECT_THAT(refusal_of(1, {1, 2, 5}, machine), HasSubstr("CPUs 2,5 are offline or may not"));
    EXPECT_THAT(refusal_of(1, {2}, machine), HasSubstr("those that may are 0-1"));
}

TEST(worker_cpus, asking_what_is_usable_changes_nothing) {
    const cpu_set before = affinity_of_this_thread();
    EXPECT_TRUE(usable_cpus(topology::read()).contains(before));
    EXPECT_EQ(affinity_of_this_thread(), before);
}
