// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Leases of CPUs on a machine of plain files: what is chosen, what is refused, and that every
/// failure and every death leaves nothing behind.

#include "exclusive_fakes.hpp"
#include "lease/exclusive_machine.hpp"

#include <regatta/lease/exclusive_cpus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

using exclusive_test::difference;
using exclusive_test::whole_root;
using regatta::cpu_set;
using regatta::exclusive_cpus;
using regatta::exclusive_error;
using regatta::exclusivity;
using regatta::detail::try_acquire_on;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

using exclusive = exclusive_test::lease_test;

} // namespace

TEST_F(exclusive, nothing_is_owned_by_default) {
    exclusive_cpus none;
    EXPECT_FALSE(none);
    EXPECT_TRUE(none.cpus().empty());
    EXPECT_EQ(none.level(), exclusivity::soft);
    EXPECT_TRUE(none.check());
    none.release();
}

// "Whether the name is that of a lease's own group": not of one that leases share, nor a program's.
TEST_F(exclusive, groups_of_leases_are_known_by_their_names) {
    using regatta::detail::is_lease_group;
    EXPECT_TRUE(
        is_lease_group("/sys/fs/cgroup/service/" + regatta::detail::group_name("lease.4711.1")));
    for (const char* const name :
         {"/a/regatta.4711.1.yielding", "/a/regatta.others", "/a/regatta.service", "/a/4711.1"}) {
        EXPECT_FALSE(is_lease_group(name)) << name;
    }
}

TEST_F(exclusive, bad_requests_say_what_is_allowed) {
    use_v2();
    EXPECT_THAT(refusal({}).text, HasSubstr("CPUs 0-7 are free"));
    EXPECT_THAT(refusal({3, 9}).text, HasSubstr("CPUs 9 are not online; those online are 0-7"));
    EXPECT_THAT(refusal(cpu_set::first(8)).text, HasSubstr("take at most 7 of 0-7"));
    EXPECT_TRUE(refusal(cpu_set::first(8)).bad_request);
    exclusive_error error;
    EXPECT_FALSE(try_acquire_on(host, 8, options, error));
    EXPECT_THAT(error.text, HasSubstr("1..7 can be granted"));
    EXPECT_FALSE(try_acquire_on(host, 0, options, error));
    EXPECT_TRUE(error.bad_request);
}

TEST_F(exclusive, only_what_the_group_grants_can_be_had) {
    use_v2();
    root.file("/sys/fs/cgroup/service/cpuset.cpus.effective", "0-3\n");
    EXPECT_THAT(refusal({4}).text, HasSubstr("does not grant CPUs 4; it grants 0-3"));
}

TEST_F(exclusive, cpus_of_another_partition_are_refused_by_name) {
    use_v2();
    add_partition("machine", "root", "4-5");
    add_partition("broken", "root invalid (why)", "6");
    root.file("/sys/fs/cgroup/cpuset.cpus.effective", "0-3,6-7\n")
        .file("/sys/fs/cgroup/service/cpuset.cpus.effective", "0-3,6-7\n");
    const exclusive_error error = refusal({3, 4});
    EXPECT_EQ(error.number, EBUSY);
    EXPECT_THAT(
        error.text,
        HasSubstr("CPUs 4 belong to the group /sys/fs/cgroup/machine; CPUs 0-3,6-7 are free"));
    EXPECT_TRUE(take({6}));
}

// A partition gives CPUs to those in it: this process, too.
TEST_F(exclusive, cpus_of_its_own_partition_can_be_had) {
    use_v2();
    add_partition("service", "root", "2-4");
    add_partition("service/inner", "root", "5");
    root.file("/sys/fs/cgroup/service/cpuset.cpus", "2-5\n")
        .file("/sys/fs/cgroup/cpuset.cpus.effective", "0-1,6-7\n");
    EXPECT_THAT(refusal({1}).text, HasSubstr("does not grant CPUs 1; it grants 2-5"));
    EXPECT_THAT(refusal({5}).text, HasSubstr("belong to the group /sys/fs/cgroup/service/inner"));
    EXPECT_THAT(refusal({2, 3, 4}).text, HasSubstr("take at most 2 of 2-4"));
    auto lease = take({3});
    EXPECT_GE(lease.level(), exclusivity::root_partition);
}

// "not granted by the control group": a thread could not be pinned there.
TEST_F(exclusive, only_what_its_cpuset_grants_can_be_had) {
    use_v1();
    options.move_others = false;
    root.file("/proc/self/cgroup", "3:cpuset:/container\n0::/\n");
    EXPECT_THAT(refusal({1}).text, HasSubstr("does not grant CPUs 1; it grants 2-5"));
    EXPECT_TRUE(refusal({1}).bad_request);
    exclusive_error error;
    auto lease = try_acquire_on(host, 1, options, error);
    ASSERT_TRUE(lease) << error.text;
    EXPECT_EQ(lease->cpus(), cpu_set{5});
    EXPECT_EQ(lease->level(), exclusivity::soft);
    lease->release();
    // A cpuset beside that one can have them, but then nothing less will do.
    options.move_others = true;
    EXPECT_EQ(take({1}).level(), exclusivity::shielded);
    system->before_act = [](const std::string& act) {
        return act.find("regatta.others") != std::string::npos ? EACCES : 0;
    };
    const exclusive_error refused = refusal({1});
    EXPECT_EQ(refused.number, EACCES);
    EXPECT_THAT(refused.text, HasSubstr("soft is not available: the cpuset of this process, "
                                        "/sys/fs/cgroup/cpuset/container, does not have CPUs 1"));
}

// An exclusive cpuset gives CPUs to those in it, too.
TEST_F(exclusive, cpus_of_its_own_exclusive_cpuset_can_be_had) {
    use_v1();
    options.move_others = false;
    root.file("/proc/self/cgroup", "3:cpuset:/container\n0::/\n")
        .file("/sys/fs/cgroup/cpuset/container/cpuset.cpu_exclusive", "1\n");
    EXPECT_EQ(take({3}).level(), exclusivity::soft);
    root.file("/proc/self/cgroup", "3:cpuset:/\n0::/\n");
    EXPECT_THAT(refusal({3}).text,
                HasSubstr("belong to the group /sys/fs/cgroup/cpuset/container"));
}

TEST_F(exclusive, cpus_of_another_lease_are_refused_by_name) {
    const auto first = take({2, 3});
    const exclusive_error error = refusal({3});
    EXPECT_EQ(error.number, EBUSY);
    EXPECT_THAT(error.text, HasSubstr("CPUs 3 belong to a lease of process " +
                                      std::to_string(::getpid()) + " (test)"));
    EXPECT_TRUE(take({4}));
}

TEST_F(exclusive, without_control_groups_it_is_soft_and_says_why) {
    const auto before = whole_root(root);
    auto lease = take({3});
    EXPECT_EQ(lease.level(), exclusivity::soft);
    EXPECT_THAT(lease.explain(), Contains(HasSubstr("No task is kept out")));
    EXPECT_THAT(lease.explain(), Contains(HasSubstr("no CPUs were isolated at boot")));
    EXPECT_THAT(
        lease.explain(),
        Contains(HasSubstr("swept is not available: other programs' tasks would be moved")));
    lease.release();
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

TEST_F(exclusive, less_than_asked_for_is_refused_with_every_reason) {
    options.at_least = exclusivity::root_partition;
    const exclusive_error error = refusal({3});
    EXPECT_EQ(error.number, ENOTSUP);
    EXPECT_THAT(error.text, HasSubstr("CPUs '3' are not available as 'root partition' or better"));
    EXPECT_THAT(error.text, HasSubstr("no CPUs were isolated at boot"));
    EXPECT_THAT(error.text, HasSubstr("there are no control groups with cpusets"));
    EXPECT_THAT(error.text, HasSubstr("allow a weaker level (at_least)"));
    EXPECT_THAT(status(), IsEmpty());
}

TEST_F(exclusive, isolated_at_boot_is_the_best) {
    use_v2();
    root.file("/sys/devices/system/cpu/isolated", "5-7\n");
    EXPECT_EQ(take({5, 6}).level(), exclusivity::isolated_at_boot);
    exclusive_error error;
    EXPECT_EQ(try_acquire_on(host, 3, options, error)->cpus(), (cpu_set{5, 6, 7}));
    options.at_least = exclusivity::root_partition;
    EXPECT_THAT(refusal({4, 5}).text, HasSubstr("CPUs 5 were isolated at boot, which the kernel "
                                                "refuses in partitions"));
}

// The scheduler puts no other task on CPUs that were isolated at boot.
TEST_F(exclusive, cpus_isolated_at_boot_are_no_room_for_others) {
    root.file("/sys/devices/system/cpu/isolated", "2-7\n");
    EXPECT_THAT(refusal({0, 1, 2}).text,
                HasSubstr("all the free CPUs that were not isolated at boot; at least one must be "
                          "left for other tasks: take at most 1 of 0-1"));
    const auto lease = take({0, 2, 3, 4, 5, 6, 7});
    EXPECT_TRUE(lease);
    EXPECT_THAT(refusal({1}).text, HasSubstr("are all the free CPUs"));
}

TEST_F(exclusive, a_remote_partition_is_granted_all_the_way_down) {
    use_v2();
    const auto before = whole_root(root);
    auto lease = take({3, 4});
    EXPECT_EQ(lease.level(), exclusivity::isolated_partition);
    const std::string group = "/sys/fs/cgroup/service/regatta." + std::to_string(::getpid()) + ".1";
    EXPECT_EQ(root.text(group + "/cgroup.type"), "threaded\n");
    EXPECT_EQ(root.text(group + "/cpuset.cpus"), "3-4\n");
    EXPECT_EQ(root.text(group + "/cpuset.cpus.exclusive"), "3-4\n");
    EXPECT_EQ(root.text(group + "/cpuset.cpus.partition"), "isolated\n");
    EXPECT_EQ(root.text("/sys/fs/cgroup/service/cpuset.cpus.exclusive"), "3-4\n");
    EXPECT_EQ(root.text("/sys/fs/cgroup/cgroup.subtree_control"), "cpuset memory\n");
    lease.enter();
    EXPECT_EQ(root.text(group + "/cgroup.threads"), std::to_string(::getpid()) + "\n");
    EXPECT_EQ(lease.check(), std::nullopt);

    const auto seen = status();
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].cpus, (cpu_set{3, 4}));
    EXPECT_EQ(seen[0].level, exclusivity::isolated_partition);
    EXPECT_EQ(seen[0].process, ::getpid());
    EXPECT_FALSE(seen[0].stale);
    lease.release();
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

TEST_F(exclusive, two_leases_share_what_they_both_need) {
    use_v2();
    const auto before = whole_root(root);
    auto first = take({3});
    auto second = take({4});
    first.release();
    EXPECT_EQ(root.text("/sys/fs/cgroup/service/cpuset.cpus.exclusive"), "4\n");
    EXPECT_EQ(root.text("/sys/fs/cgroup/cgroup.subtree_control"), "cpuset memory\n");
    EXPECT_EQ(second.check(), std::nullopt);
    second.release();
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

TEST_F(exclusive, a_partition_that_is_invalid_is_not_taken_for_one) {
    use_v2();
    const auto before = whole_root(root);
    system->partition = [](const std::string& type) {
        return type == "member" ? type : type + " invalid (Cpu list in cpuset.cpus not exclusive)";
    };
    auto lease = take({3});
    EXPECT_EQ(lease.level(), exclusivity::soft);
    EXPECT_THAT(lease.explain(),
                Contains(HasSubstr("isolated invalid (Cpu list in cpuset.cpus not exclusive)")));
    lease.release();
    EXPECT_EQ(difference(before, whole_root(root)), "");
    options.at_least = exclusivity::root_partition;
    EXPECT_THAT(refusal({3}).text, HasSubstr("root invalid (Cpu list"));
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

TEST_F(exclusive, a_partition_that_turns_invalid_is_told_and_renewed) {
    use_v2();
    auto lease = take({3});
    const std::string file =
        "/sys/fs/cgroup/service/regatta." + std::to_string(::getpid()) + ".1/cpuset.cpus.partition";
    root.file(file, "isolated invalid (why)\n");
    EXPECT_THAT(*lease.check(), HasSubstr("reads 'isolated invalid (why)'"));
    EXPECT_EQ(lease.renew(), std::nullopt);
    root.file("/sys/devices/system/cpu/online", "0-2,4-7\n");
    EXPECT_THAT(*lease.check(), HasSubstr("CPUs 3 went offline"));
    // A partition that is made anew would give up its other CPUs for a moment.
    const int acts = system->acts;
    EXPECT_THAT(lease.renew().value_or(""), HasSubstr("CPUs 3 went offline"));
    EXPECT_EQ(system->acts, acts);
}

TEST_F(exclusive, the_shield_takes_cpus_from_other_groups_and_moves_everybody) {
    use_v1();
    const auto before = whole_root(root);
    auto lease = take({3});
    EXPECT_EQ(lease.level(), exclusivity::shielded);
    const std::string top = "/sys/fs/cgroup/cpuset";
    EXPECT_EQ(root.text(top + "/container/cpuset.cpus"), "2,4-5\n");
    EXPECT_EQ(root.text(top + "/container/inner/cpuset.cpus"), "4\n");
    EXPECT_EQ(root.text(top + "/regatta.others/cpuset.cpus"), "0-2,4-7\n");
    EXPECT_EQ(root.text(top + "/regatta.others/tasks"), std::to_string(::getpid()) + "\n");
    EXPECT_EQ(root.text("/sys/devices/virtual/workqueue/cpumask"), "f7\n");
    auto second = take({5});
    EXPECT_EQ(root.text(top + "/regatta.others/cpuset.cpus"), "0-2,4,6-7\n");
    lease.release();
    EXPECT_EQ(root.text(top + "/regatta.others/cpuset.cpus"), "0-4,6-7\n");
    EXPECT_EQ(root.text(top + "/regatta.others/tasks"), std::to_string(::getpid()) + "\n");
    second.release();
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

TEST_F(exclusive, a_group_that_would_have_no_cpu_left_stops_the_shield) {
    use_v1();
    options.at_least = exclusivity::shielded;
    const auto before = whole_root(root);
    EXPECT_THAT(refusal({3, 4}).text, HasSubstr("inner/cpuset.cpus has no other CPUs than 3-4"));
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

TEST_F(exclusive, interrupts_are_moved_if_asked_for_and_come_back) {
    options.move_interrupts = true;
    const auto before = whole_root(root);
    auto lease = take({3});
    EXPECT_EQ(root.text("/proc/irq/9/smp_affinity_list"), "0-2,4-7\n");
    EXPECT_EQ(root.text("/proc/irq/10/smp_affinity_list"), "0-2,4-7\n") << "it was only there";
    EXPECT_EQ(root.text("/proc/irq/11/smp_affinity_list"), "0-1\n");
    EXPECT_EQ(root.text("/proc/irq/default_smp_affinity"), "f7\n");
    // Somebody else moves one meanwhile: only what the lease took is given back.
    root.file("/proc/irq/9/smp_affinity_list", "0-1\n");
    // Two come meanwhile, of which somebody moves one.
    root.file("/proc/irq/12/smp_affinity_list", "0-2,4-7\n");
    root.file("/proc/irq/13/smp_affinity_list", "0\n");
    lease.release();
    EXPECT_EQ(root.text("/proc/irq/9/smp_affinity_list"), "0-1,3\n");
    EXPECT_EQ(root.text("/proc/irq/12/smp_affinity_list"), "0-7\n");
    EXPECT_EQ(root.text("/proc/irq/13/smp_affinity_list"), "0\n");
    std::filesystem::remove_all(root.path() + "/proc/irq/12");
    std::filesystem::remove_all(root.path() + "/proc/irq/13");
    root.file("/proc/irq/9/smp_affinity_list", "0-7\n");
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

TEST_F(exclusive, an_interrupt_that_cannot_be_moved_is_told) {
    options.move_interrupts = true;
    system->before_act = [](const std::string& act) {
        return act.starts_with("write /proc/irq/9/") ? EIO : 0;
    };
    const auto before = whole_root(root);
    auto lease = take({3});
    EXPECT_THAT(lease.explain(),
                Contains(HasSubstr("/proc/irq/9/smp_affinity_list: Input/output")));
    EXPECT_EQ(root.text("/proc/irq/10/smp_affinity_list"), "0-2,4-7\n");
    lease.release();
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

TEST_F(exclusive, a_cpu_that_goes_offline_meanwhile_undoes_everything) {
    use_v2();
    options.at_least = exclusivity::root_partition;
    const auto before = whole_root(root);
    system->before_act = [this](const std::string& act) {
        if (act.find("cpuset.cpus.partition isolated") != std::string::npos ||
            act.find("cpuset.cpus.partition root") != std::string::npos) {
            root.file("/sys/devices/system/cpu/online", "0-2,4-7\n");
        }
        return 0;
    };
    EXPECT_THAT(refusal({3}).text, HasSubstr("CPUs 3 went offline"));
    root.file("/sys/devices/system/cpu/online", "0-7\n");
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

TEST_F(exclusive, without_a_journal_nothing_is_done_that_outlives_the_process) {
    use_v2();
    system->before_act = [](const std::string& act) {
        return act.starts_with("mkdir /run") ? EACCES : 0;
    };
    auto lease = take({3});
    EXPECT_EQ(lease.level(), exclusivity::soft);
    EXPECT_THAT(lease.explain(), Contains(HasSubstr("could not create the journal /run/regatta: "
                                                    "Permission denied")));
    EXPECT_THAT(lease.explain(), Contains(HasSubstr("Other programs cannot see this lease")));
    lease.release();
    options.at_least = exclusivity::root_partition;
    EXPECT_EQ(refusal({3}).number, EACCES);
}

TEST_F(exclusive, a_journal_that_others_can_write_is_not_trusted) {
    use_v2();
    std::filesystem::create_directory(root.path() + "/run/regatta");
    std::filesystem::permissions(root.path() + "/run/regatta", std::filesystem::perms::all);
    EXPECT_THAT(take({3}).explain(), Contains(HasSubstr("could have been written by other users")));
}

TEST_F(exclusive, a_fork_owns_nothing) {
    use_v2();
    auto lease = take({3});
    const pid_t child = ::fork();
    if (child == 0) {
        int wrong = lease || !lease.cpus().empty() ? 1 : 0;
        wrong += lease.try_enter() == EINVAL ? 0 : 2;
        try {
            lease.enter();
            wrong += 4;
        } catch (const std::exception& error) {
            wrong += dynamic_cast<const std::logic_error*>(&error) != nullptr ? 0 : 4;
        }
        wrong += lease.renew() == "this lease owns no CPUs" ? 0 : 8;
        std::string problem;
        ::_exit(wrong + (lease.try_release(problem) ? 0 : 16));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(lease.check(), std::nullopt);
}

TEST_F(exclusive, moving_a_lease_moves_what_is_owned) {
    use_v2();
    auto first = take({3});
    exclusive_cpus second = std::move(first);
    EXPECT_EQ(second.cpus(), cpu_set{3});
    first = take({4});
    first = std::move(second); // Gives back CPU 4.
    EXPECT_EQ(status().size(), 1u);
    EXPECT_EQ(first.cpus(), cpu_set{3});
}

TEST_F(exclusive, a_number_of_cpus_is_whole_cores_from_the_end) {
    for (unsigned cpu = 0; cpu < 8; ++cpu) {
        const std::string folder =
            "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
        const unsigned core = cpu % 4;
        root.file(folder + "core_id", std::to_string(core) + "\n")
            .file(folder + "physical_package_id", "0\n")
            .file(folder + "core_cpus_list",
                  std::to_string(core) + "," + std::to_string(core + 4) + "\n")
            .file(folder + "thread_siblings_list",
                  std::to_string(core) + "," + std::to_string(core + 4) + "\n");
    }
    root.file("/sys/devices/system/cpu/possible", "0-7\n")
        .file("/sys/devices/system/cpu/present", "0-7\n");
    exclusive_error error;
    EXPECT_EQ(try_acquire_on(host, 2, options, error)->cpus(), (cpu_set{3, 7}));
    EXPECT_EQ(try_acquire_on(host, 4, options, error)->cpus(), (cpu_set{2, 3, 6, 7}));
    const auto one = try_acquire_on(host, 1, options, error);
    EXPECT_THAT(one->explain(), Contains(HasSubstr("share a core with CPUs")));
}
