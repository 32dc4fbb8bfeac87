// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Leases of CPUs on this machine's own cpusets (version 1): below a group of the test's own and
/// with its own processes.

#include "exclusive_fakes.hpp"
#include "exclusive_take.hpp"
#include "lease/exclusive_machine.hpp"
#include "support/exclusive_sleeper.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <vector>

namespace {

using exclusive_test::difference;
using exclusive_test::faulty_system;
using exclusive_test::last_of;
using exclusive_test::root_folder;
using exclusive_test::sleeper;
using exclusive_test::snapshot;
using exclusive_test::take_when_free;
using regatta::cpu_set;
using regatta::exclusive_cpus;
using regatta::exclusive_error;
using regatta::exclusive_options;
using regatta::exclusivity;
using regatta::detail::exclusive_system;
using testing::IsEmpty;

/// A group below the top of this machine's cpusets, which the tests take for the top itself: a root
/// folder shows the group, this test's processes and nothing else. This process is in it meanwhile.
class exclusive_host : public testing::Test {
protected:
    void SetUp() override {
        exclusive_system system;
        const auto machine = regatta::detail::read_machine(system);
        if (!machine.v1) {
            GTEST_SKIP() << "this machine has no control groups of version 1 with cpusets";
        }
        if (machine.online.count() < 2) {
            GTEST_SKIP() << "this machine has one CPU";
        }
        online_ = machine.online;
        cpu_ = last_of(online_);
        // The leases of other programs of this machine know nothing of the test's: this one, which
        // moves nobody, keeps theirs away meanwhile.
        claim_ = take_when_free(std::make_shared<exclusive_system>(),
                                online_ - cpu_set{*online_.begin()}, {});
        ASSERT_TRUE(claim_);
        home_ = machine.v1.own;
        const std::string name = "/regatta_lease_test_" + self_;
        group_ = machine.v1.top + name;
        const std::string above = machine.v1.above == "/" ? name : machine.v1.above + name;
        if (const int error = system.make_directory(group_)) {
            group_.clear();
            GTEST_SKIP() << "groups cannot be made: " << std::generic_category().message(error);
        }
        for (const char* file : {"cpuset.cpus", "cpuset.mems"}) {
            const auto text = system.read(machine.v1.top + "/" + file);
            ASSERT_EQ(system.write(group_ + "/" + file, text.value_or("")), 0) << file;
        }
        ASSERT_EQ(system.write(group_ + "/cgroup.procs", self_), 0);
        regatta::pin_this_thread(online_); // Whatever the test was started on.
        root_.file("/proc/self/cgroup", "3:cpuset:/\n")
            .file("/proc/self/mountinfo",
                  "34 31 0:31 " + above + " /groups rw - cgroup cgroup rw,cpuset\n")
            .file("/proc/irq/default_smp_affinity", "3\n")
            .file("/proc/irq/9/smp_affinity_list", online_.to_string() + "\n")
            .file("/proc/irq/9/smp_affinity", online_.to_mask() + "\n")
            .link("/proc/" + self_, "/proc/" + self_)
            .link("/proc/sys", "/proc/sys")
            .link("/sys/devices/system/cpu", "/sys/devices/system/cpu")
            .link("/groups", group_);
        host_ = std::make_shared<exclusive_system>(root_.path());
        options_.move_others = true;
        options_.move_interrupts = true;
    }
    void TearDown() override {
        if (group_.empty()) {
            return;
        }
        exclusive_system system;
        EXPECT_EQ(system.write(home_ + "/cgroup.procs", self_), 0);
        EXPECT_EQ(system.remove_directory(group_), 0);
    }

    void show(const sleeper& child) {
        root_.link("/proc/" + child.name(), "/proc/" + child.name());
    }
    /// Everything of this small machine that a lease can change.
    snapshot state() {
        exclusive_system system(root_.path());
        snapshot all;
        exclusive_test::add_groups(all, system, "/groups");
        exclusive_test::add_interrupts(all, system);
        exclusive_test::add_tasks(all, system);
        return all;
    }

    const std::string self_ = std::to_string(::getpid());
    root_folder root_;
    std::shared_ptr<exclusive_system> host_; ///< Where leases are taken.
    exclusive_options options_;
    exclusive_cpus claim_;
    cpu_set online_;
    unsigned cpu_ = 0; ///< The one that is leased.
    std::string home_;
    std::string group_;
};

} // namespace

TEST_F(exclusive_host, the_shield_keeps_other_tasks_out_and_goes_without_a_trace) {
    const cpu_set mine{cpu_};
    const cpu_set others = online_ - mine;
    const sleeper free;
    const sleeper pinned(mine);
    const sleeper elsewhere(cpu_set{*online_.begin()});
    for (const sleeper* one : {&free, &pinned, &elsewhere}) {
        show(*one);
    }
    const cpu_set before_masks = regatta::affinity_of_this_thread();
    const snapshot before = state();
    options_.at_least = exclusivity::shielded;
    auto lease = take_when_free(host_, mine, options_);
    ASSERT_TRUE(lease);
    EXPECT_EQ(lease.check(), std::nullopt);
    EXPECT_EQ(free.allowed(), others);
    EXPECT_EQ(pinned.allowed(), others) << "it could run nowhere else";
    EXPECT_EQ(elsewhere.allowed(), cpu_set{*online_.begin()});
    EXPECT_EQ(regatta::affinity_of_this_thread(), others);
    lease.enter();
    EXPECT_EQ(regatta::affinity_of_this_thread(), mine);
    lease.enter();
    lease.leave();
    EXPECT_EQ(regatta::affinity_of_this_thread(), others);
    lease.leave();
    lease.enter();
    lease.release();
    EXPECT_EQ(regatta::affinity_of_this_thread(), before_masks);
    EXPECT_EQ(difference(before, state()), "");
}

TEST_F(exclusive_host, the_sweep_narrows_masks_and_gives_them_back) {
    const cpu_set mine{cpu_};
    const cpu_set others = online_ - mine;
    const sleeper free;
    const sleeper pinned(mine);
    show(free);
    show(pinned);
    const snapshot before = state();
    const auto system = std::make_shared<faulty_system>(root_.path());
    system->before_act = [](const std::string& act) {
        return act.starts_with("mkdir /groups") ? EROFS : 0;
    };
    host_ = system;
    options_.at_least = exclusivity::swept;
    auto lease = take_when_free(host_, mine, options_);
    ASSERT_TRUE(lease);
    EXPECT_EQ(lease.level(), exclusivity::swept);
    EXPECT_EQ(free.allowed(), others);
    EXPECT_EQ(pinned.allowed(), others);
    {
        const sleeper heir; // Started meanwhile, it inherits what this process has.
        show(heir);
        EXPECT_EQ(heir.allowed(), others);
        lease.enter();
        EXPECT_EQ(regatta::affinity_of_this_thread(), mine);
        lease.leave();
        EXPECT_EQ(regatta::affinity_of_this_thread(), others);
        lease.release();
        EXPECT_EQ(heir.allowed(), online_);
    }
    EXPECT_EQ(difference(before, state()), "");
}

// Nobody else may be moved: this program's own processes give way, and each goes back to its group.
TEST_F(exclusive_host, yielding_processes_go_back_to_where_they_were) {
    const cpu_set mine{cpu_};
    exclusive_system system;
    const std::string inner = group_ + "/inner";
    ASSERT_EQ(system.make_directory(inner), 0);
    ASSERT_EQ(system.write(inner + "/cpuset.mems", *system.read(group_ + "/cpuset.mems")), 0);
    ASSERT_EQ(system.write(inner + "/cpuset.cpus", online_.to_string()), 0);
    {
        const sleeper confined;
        const sleeper free;
        show(confined);
        show(free);
        ASSERT_EQ(system.write(inner + "/tasks", confined.name()), 0);
        const snapshot before = state();
        options_.at_least = exclusivity::shielded;
        options_.move_others = false;
        options_.move_interrupts = false;
        options_.yielding = {confined.pid(), free.pid()};
        auto lease = take_when_free(host_, mine, options_);
        ASSERT_TRUE(lease);
        EXPECT_EQ(confined.allowed(), online_ - mine);
        EXPECT_EQ(free.allowed(), online_ - mine);
        lease.release();
        EXPECT_EQ(difference(before, state()), "");
    }
    EXPECT_EQ(system.remove_directory(inner), 0);
}

// 200 leases whose owner is killed at a random step, and repaired: everything is as before.
TEST_F(exclusive_host, no_trace_is_left_by_owners_that_are_killed) {
    if (REGATTA_THREAD_SANITIZER) {
        GTEST_SKIP()
            << "the thread sanitizer starts a thread in each process, which the test's own "
               "/proc does not show";
    }
    const sleeper free;
    const sleeper pinned(cpu_set{cpu_});
    const sleeper elsewhere(cpu_set{*online_.begin()});
    for (const sleeper* one : {&free, &pinned, &elsewhere}) {
        show(*one);
    }
    const snapshot before = state();
    const unsigned seed = std::random_device{}();
    std::mt19937 random(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    int acts = 40; // Grows to the number of acts that a whole life of a lease has.
    int killed = 0;
    for (int cycle = 0; cycle < 200; ++cycle) {
        const bool sweep = cycle % 4 == 3;
        const int last = std::uniform_int_distribution<int>(1, acts)(random);
        const pid_t owner = ::fork();
        if (owner == 0) {
            const std::string self = std::to_string(::getpid());
            root_.link("/proc/" + self, "/proc/" + self);
            const auto system = std::make_shared<faulty_system>(root_.path());
            system->before_act = [&](const std::string& act) {
                if (system->acts == last) {
                    ::kill(::getpid(), SIGKILL);
                }
                return sweep && act.starts_with("mkdir /groups") ? EROFS : 0;
            };
            host_ = system;
            exclusive_error error;
            auto lease = regatta::detail::try_acquire_on(host_, cpu_set{cpu_}, options_, error);
            if (!lease) {
                ::_exit(120);
            }
            lease->enter();
            lease->enter_process(free.pid());
            std::string problem;
            ::_exit(lease->try_release(problem) ? std::min(system->acts, 100) : 121);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(owner, &status, 0), owner);
        std::filesystem::remove(root_.path() + "/proc/" + std::to_string(owner));
        if (WIFEXITED(status)) {
            ASSERT_LE(WEXITSTATUS(status), 100);
            acts = std::max(WEXITSTATUS(status), acts);
        } else {
            ++killed;
        }
        const auto repaired = regatta::detail::release_stale_on(*host_);
        EXPECT_THAT(repaired.problems, IsEmpty()) << "act " << last;
        ASSERT_EQ(difference(before, state()), "") << "cycle " << cycle << ", act " << last;
        std::vector<std::string> unread;
        ASSERT_THAT(regatta::detail::leases_on(*host_, unread), IsEmpty());
    }
    EXPECT_GT(killed, 100);
}
