// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Leases of CPUs on a machine of plain files: every failure and every death leaves nothing behind.

#include "exclusive_fakes.hpp"
#include "lease/exclusive_tasks.hpp"

#include <regatta/lease/exclusive_cpus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <string>

namespace {

using exclusive_test::difference;
using exclusive_test::fake_system;
using exclusive_test::masked_system;
using exclusive_test::root_folder;
using exclusive_test::whole_root;
using regatta::cpu_set;
using regatta::exclusive_cpus;
using regatta::exclusive_error;
using regatta::exclusivity;
using regatta::detail::try_acquire_on;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class exclusive_failure : public exclusive_test::lease_test {
protected:
    /// A machine whose task has that mask, for leases that move other tasks.
    std::shared_ptr<masked_system> host_that_moves_others(const char* mask) {
        auto machine = std::make_shared<masked_system>(root, mask);
        host = machine;
        options.move_others = true;
        return machine;
    }
};

} // namespace

// Each act fails once, with each of the errors that such acts have: there is a lease of a weaker
// level or none, and at its end nothing is left.
TEST_F(exclusive_failure, every_act_may_fail) {
    for (const bool v1 : {false, true}) {
        const root_folder other;
        exclusive_test::add_machine(other);
        v1 ? exclusive_test::add_v1(other) : exclusive_test::add_v2(other);
        options.move_others = v1;
        options.move_interrupts = true;
        const auto before = whole_root(other);
        int last = 0;
        for (int number = 1; last == 0; ++number) {
            const int error = number % 2 == 0 ? EBUSY : EACCES;
            const auto faulty = std::make_shared<fake_system>(other.path());
            std::string failed;
            faulty->before_act = [&](const std::string& act) {
                if (faulty->acts != number) {
                    return 0;
                }
                failed = act;
                return error;
            };
            host = faulty;
            exclusive_error problem;
            auto lease = try_acquire_on(host, cpu_set{3}, options, problem);
            if (lease && lease->level() == exclusivity::soft) {
                EXPECT_THAT(lease->explain(), Contains(HasSubstr("could not")));
            }
            faulty->before_act = [](const std::string&) { return 0; };
            if (failed.empty()) {
                last = number;
            }
            if (lease) {
                lease->release();
            }
            EXPECT_EQ(difference(before, whole_root(other)), "")
                << "act " << number << " (" << failed << "), error " << error;
        }
        EXPECT_GT(last, 15);
    }
}

// A journal beyond RLIMIT_FSIZE cannot be written; it does not end the program.
TEST_F(exclusive_failure, the_limit_of_a_files_size_is_an_error) {
    use_v1();
    options.at_least = exclusivity::swept;
    const auto before = whole_root(root);
    const pid_t child = ::fork();
    if (child == 0) {
        bool told = true;
        for (const rlim_t size : {0U, 20U}) { // Of the line a part finds room.
            const rlimit limit{size, RLIM_INFINITY};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            exclusive_error problem;
            const auto lease = try_acquire_on(host, cpu_set{3}, options, problem);
            told = told && !lease && problem.number == (size == 0 ? EFBIG : ENOSPC);
        }
        ::_exit(told ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "signal " << WTERMSIG(status);
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

// SIGKILL before each act in turn, then release_stale: nothing is left.
TEST_F(exclusive_failure, every_act_may_be_the_last) {
    for (const bool v1 : {false, true}) {
        const root_folder other;
        exclusive_test::add_machine(other);
        v1 ? exclusive_test::add_v1(other) : exclusive_test::add_v2(other);
        // The child is the owner; this process repairs.
        options.move_others = v1;
        options.move_interrupts = true;
        auto before = whole_root(other);
        before.erase("/run/regatta");
        bool through = false;
        for (int number = 1; !through; ++number) {
            const pid_t child = ::fork();
            if (child == 0) {
                const std::string self = std::to_string(::getpid());
                other.link("/proc/" + self, "/proc/" + self);
                const auto deadly = std::make_shared<fake_system>(other.path());
                deadly->die_before(number);
                host = deadly;
                exclusive_error problem;
                auto lease = try_acquire_on(host, cpu_set{3}, options, problem);
                std::string left;
                ::_exit(lease && lease->try_release(left) ? 0 : 1);
            }
            int status = 0;
            ASSERT_EQ(::waitpid(child, &status, 0), child);
            std::filesystem::remove(other.path() + "/proc/" + std::to_string(child));
            through = WIFEXITED(status);
            ASSERT_TRUE(!through || WEXITSTATUS(status) == 0);
            host = std::make_shared<fake_system>(other.path());
            EXPECT_THAT(repair().problems, IsEmpty());
            EXPECT_EQ(difference(before, whole_root(other)), "") << "died before act " << number;
            ASSERT_LT(number, 300);
        }
    }
}

TEST_F(exclusive_failure, a_repair_may_die_as_well) {
    use_v1();
    const auto before = whole_root(root);
    bool through = false;
    for (int number = 1; !through && number < 100; ++number) {
        // A lease whose owner is dead: this one's journal with the start of another process.
        take({3}).enter();
        take_and_die();
        ASSERT_TRUE(status().at(0).stale);
        const pid_t child = ::fork();
        if (child == 0) {
            system->die_before(system->acts + number);
            ::_exit(repair().problems.empty() ? 0 : 1);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        through = WIFEXITED(status);
        EXPECT_THAT(repair().problems, IsEmpty());
        EXPECT_EQ(difference(before, whole_root(root)), "") << "died before act " << number;
    }
    EXPECT_TRUE(through);
}

TEST_F(exclusive_failure, a_lease_of_another_boot_is_only_forgotten) {
    use_v2();
    take_and_die();
    const int acts = system->acts;
    root.file("/proc/sys/kernel/random/boot_id", "another\n");
    EXPECT_EQ(repair().released.size(), 1u);
    EXPECT_EQ(system->acts, acts + 3) << "nothing but the journal's folder and files";
}

TEST_F(exclusive_failure, a_boot_that_cannot_be_read_costs_no_repair) {
    use_v2();
    auto before = whole_root(root);
    take_and_die();
    system->is_hidden = [](const std::string& path) { return path.ends_with("/boot_id"); };
    EXPECT_EQ(repair().released.size(), 1u);
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

// The first thread of a process is a zombie while the others go on without it.
TEST_F(exclusive_failure, a_process_lives_as_long_as_its_last_thread) {
    use_v2();
    const auto lease = take({3});
    const std::string self = std::to_string(::getpid());
    const std::string folder = "/proc/" + self + "/task/" + self;
    const auto details = regatta::detail::read_task_details(*system, ::getpid(), ::getpid());
    ASSERT_TRUE(details);
    std::filesystem::remove(root.path() + "/proc/" + self);
    for (const int threads : {2, 1}) {
        root.file(folder + "/stat", self + " (a) Z 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 " +
                                        std::to_string(threads) + " 0 " +
                                        std::to_string(details->start) + " 0\n");
        EXPECT_EQ(status().at(0).stale, threads == 1);
    }
    std::filesystem::remove_all(root.path() + "/proc/" + self);
    root.link("/proc/" + self, "/proc/" + self);
}

TEST_F(exclusive_failure, a_file_that_cannot_be_read_is_restored_later) {
    use_v1();
    auto before = whole_root(root);
    auto lease = take({3});
    system->is_hidden = [](const std::string& path) {
        return path.ends_with("/container/cpuset.cpus");
    };
    std::string problem;
    EXPECT_FALSE(lease.try_release(problem));
    EXPECT_THAT(problem, HasSubstr("could not read /sys/fs/cgroup/cpuset/container/cpuset.cpus"));
    system->is_hidden = [](const std::string&) { return false; };
    EXPECT_THAT(repair().problems, IsEmpty());
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

TEST_F(exclusive_failure, a_lease_whose_file_stays_is_not_released) {
    use_v2();
    const auto before = whole_root(root);
    auto lease = take({3});
    system->before_act = [](const std::string& act) {
        return act.starts_with("unlink") ? EROFS : 0;
    };
    const std::string why = "could not remove /run/regatta/lease." + std::to_string(::getpid()) +
                            ".1: Read-only file system";
    std::string problem;
    EXPECT_FALSE(lease.try_release(problem));
    EXPECT_THAT(problem, HasSubstr(why));
    auto repaired = repair();
    EXPECT_THAT(repaired.released, IsEmpty());
    EXPECT_THAT(repaired.problems, Contains(HasSubstr(why)));
    system->before_act = [](const std::string&) { return 0; };
    repaired = repair();
    EXPECT_EQ(repaired.released.size(), 1U);
    EXPECT_THAT(repaired.problems, IsEmpty());
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

// A lease that is refused holds no CPUs, even if its file stays.
TEST_F(exclusive_failure, the_file_of_a_refused_lease_is_stale) {
    use_v2();
    options.at_least = exclusivity::isolated_partition;
    system->before_act = [](const std::string& act) {
        return act.starts_with("unlink") || act.starts_with("mkdir /sys") ? EROFS : 0;
    };
    refusal({3});
    ASSERT_EQ(status().size(), 1U);
    EXPECT_TRUE(status()[0].stale);
}

// A group of version 1 loses CPUs that go offline, and the kernel refuses to add them.
TEST_F(exclusive_failure, what_is_online_comes_back_without_the_rest) {
    use_v1();
    auto lease = take({4, 5});
    EXPECT_GE(lease.level(), exclusivity::shielded);
    root.file("/sys/devices/system/cpu/online", "0-4,6-7\n");
    system->before_act = [&](const std::string& act) {
        return act.find("/cpuset.cpus 2-5") != std::string::npos ? EINVAL : 0;
    };
    std::string problem;
    EXPECT_TRUE(lease.try_release(problem)) << problem;
    EXPECT_EQ(root.text("/sys/fs/cgroup/cpuset/container/cpuset.cpus"), "2-4\n");
    EXPECT_EQ(root.text("/sys/fs/cgroup/cpuset/container/inner/cpuset.cpus"), "3-4\n");
}

// They are online again, and the kernel has given them back to no group.
TEST_F(exclusive_failure, a_group_whose_other_cpus_went_offline_gets_back_those_of_the_lease) {
    use_v1();
    auto lease = take({4, 5});
    ASSERT_EQ(root.text("/sys/fs/cgroup/cpuset/container/cpuset.cpus"), "2-3\n");
    root.file("/sys/fs/cgroup/cpuset/container/cpuset.cpus", "\n")
        .file("/sys/fs/cgroup/cpuset/container/inner/cpuset.cpus", "\n");
    lease.release();
    EXPECT_EQ(root.text("/sys/fs/cgroup/cpuset/container/cpuset.cpus"), "4-5\n");
    EXPECT_EQ(root.text("/sys/fs/cgroup/cpuset/container/inner/cpuset.cpus"), "4\n");
}

TEST_F(exclusive_failure, a_mask_comes_back_after_cpus_went_offline) {
    const auto machine = host_that_moves_others("0-7");
    auto lease = take({3});
    ASSERT_EQ(lease.level(), exclusivity::swept);
    ASSERT_EQ(machine->mask(), "0-2,4-7");
    machine->set_online("0-4,6-7");
    machine->set_mask("0-2,4,6-7"); // As the kernel does.
    lease.release();
    EXPECT_EQ(machine->mask(), "0-7");
}

// Numbers are used again, and only its start tells a task from an earlier one.
TEST_F(exclusive_failure, a_task_with_the_number_of_an_earlier_one_keeps_its_mask) {
    const auto start_anew = [&](masked_system& machine, const std::string& cpus) {
        root.file("/proc/50/task/50/stat", "50 (b) S 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 79 0\n");
        machine.set_mask(cpus);
    };
    {
        const auto machine = host_that_moves_others("0-7");
        auto first = take({3});
        ASSERT_EQ(first.level(), exclusivity::swept);
        start_anew(*machine, "0-2,4,6-7");
        auto second = take({5});
        second.release();
        EXPECT_EQ(machine->mask(), "0-2,4,6-7");
        first.release();
        EXPECT_EQ(machine->mask(), "0-2,4,6-7");
    }
    use_v2();
    const auto machine = std::make_shared<masked_system>(root, "4-5");
    host = machine;
    auto lease = take({3});
    ASSERT_EQ(lease.level(), exclusivity::isolated_partition);
    start_anew(*machine, "0-2,4-7");
    lease.release();
    EXPECT_EQ(machine->mask(), "0-2,4-7");
}

// As a lease sees it that is undone in a time namespace whose clock is shifted by part of a tick.
TEST_F(exclusive_failure, a_task_that_started_one_tick_later_is_the_same) {
    const auto machine = host_that_moves_others("0-7");
    auto lease = take({3});
    ASSERT_EQ(lease.level(), exclusivity::swept);
    ASSERT_EQ(machine->mask(), "0-2,4-7");
    root.file("/proc/50/task/50/stat", "50 (b) S 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 78 0\n");
    lease.release();
    EXPECT_EQ(machine->mask(), "0-7");
}

TEST_F(exclusive_failure, a_mask_of_offline_cpus_does_not_keep_the_lease) {
    const auto machine = host_that_moves_others("3");
    auto lease = take({3});
    ASSERT_EQ(machine->mask(), "0-2,4-7");
    machine->set_online("0-2,4-7");
    std::string problem;
    EXPECT_TRUE(lease.try_release(problem)) << problem;
    EXPECT_THAT(status(), IsEmpty());
}

TEST_F(exclusive_failure, a_mask_that_cannot_be_read_is_restored_later) {
    const auto machine = host_that_moves_others("0-7");
    auto lease = take({3});
    ASSERT_EQ(machine->mask(), "0-2,4-7");
    machine->is_hidden = [](const std::string& path) { return path.starts_with("/proc/50/"); };
    std::string problem;
    EXPECT_FALSE(lease.try_release(problem));
    machine->is_hidden = [](const std::string&) { return false; };
    EXPECT_THAT(repair().problems, IsEmpty());
    EXPECT_EQ(machine->mask(), "0-7");
}

// The kernel refuses to move a task for which it is just starting a program.
TEST_F(exclusive_failure, a_task_that_is_refused_at_first_is_moved_later) {
    use_v1();
    int refused = 0;
    int most = 3;
    system->before_act = [&](const std::string& act) {
        const bool moves = act.starts_with("write /sys/fs/cgroup/cpuset/regatta.others/tasks");
        return moves && refused++ < most ? EINVAL : 0;
    };
    options.move_others = true;
    {
        const auto lease = take({3});
        EXPECT_GE(lease.level(), exclusivity::shielded);
    }
    EXPECT_GT(refused, most);
    most = 1'000'000; // Always.
    options.at_least = exclusivity::shielded;
    EXPECT_THAT(refusal({3}).text, HasSubstr("cannot be moved"));
}

// Another container may use the same numbers, and so the same names: its group is not touched.
TEST_F(exclusive_failure, a_group_that_was_there_before_stays) {
    for (const bool v1 : {false, true}) {
        const root_folder other;
        exclusive_test::add_machine(other);
        v1 ? exclusive_test::add_v1(other) : exclusive_test::add_v2(other);
        const std::string group = (v1 ? "/sys/fs/cgroup/cpuset" : "/sys/fs/cgroup/service") +
                                  std::string("/regatta.") + std::to_string(::getpid()) + ".1";
        other.file(group + "/cgroup.threads", "").file(group + "/tasks", "");
        options.move_others = v1;
        host = std::make_shared<fake_system>(other.path());
        {
            const auto lease = take({3});
            EXPECT_GE(lease.level(), exclusivity::shielded);
        }
        EXPECT_TRUE(std::filesystem::exists(other.path() + group));
    }
}

// An interrupt that had only the lease's CPUs got all others; somebody chose one of these since.
TEST_F(exclusive_failure, an_interrupt_that_somebody_else_moved_stays_there) {
    options.move_interrupts = true;
    auto lease = take({3});
    ASSERT_EQ(root.text("/proc/irq/10/smp_affinity_list"), "0-2,4-7\n");
    auto second = take({5});
    ASSERT_EQ(root.text("/proc/irq/10/smp_affinity_list"), "0-2,4,6-7\n");
    root.file("/proc/irq/10/smp_affinity_list", "1\n");
    lease.release();
    EXPECT_EQ(root.text("/proc/irq/10/smp_affinity_list"), "1\n");
    second.release();
    EXPECT_EQ(root.text("/proc/irq/9/smp_affinity_list"), "0-7\n");
}

// Nobody chose its CPUs: the second lease took some of those that the first had given it.
TEST_F(exclusive_failure, an_interrupt_of_two_leases_comes_back_with_the_first) {
    options.move_interrupts = true;
    auto lease = take({3});
    auto second = take({5});
    ASSERT_EQ(root.text("/proc/irq/10/smp_affinity_list"), "0-2,4,6-7\n");
    root.file("/sys/devices/system/cpu/online", "0-6\n");
    root.file("/proc/irq/10/smp_affinity_list", "0-2,4,6\n");
    lease.release();
    EXPECT_EQ(root.text("/proc/irq/10/smp_affinity_list"), "3\n");
    second.release();
    EXPECT_EQ(root.text("/proc/irq/10/smp_affinity_list"), "3\n");
}

// Whichever order they end in.
TEST_F(exclusive_failure, an_interrupt_of_three_leases_comes_back_with_the_first) {
    options.move_interrupts = true;
    int order[] = {0, 1, 2};
    do {
        exclusive_cpus leases[] = {take({3}), take({5}), take({6})};
        ASSERT_EQ(root.text("/proc/irq/10/smp_affinity_list"), "0-2,4,7\n");
        for (const int i : order) {
            leases[i].release();
        }
        EXPECT_EQ(root.text("/proc/irq/10/smp_affinity_list"), "3\n")
            << order[0] << order[1] << order[2];
    } while (std::next_permutation(std::begin(order), std::end(order)));
}

// What has only the CPUs of a new lease must not be moved to those of another one.
TEST_F(exclusive_failure, nothing_is_moved_to_the_cpus_of_another_lease) {
    const auto machine = std::make_shared<masked_system>(root, "5");
    host = machine;
    options.move_interrupts = true;
    options.move_others = true;
    root.file("/proc/irq/12/smp_affinity_list", "5\n");
    auto first = take({3});
    auto second = take({5});
    ASSERT_EQ(second.level(), exclusivity::swept);
    EXPECT_EQ(machine->mask(), "0-2,4,6-7");
    EXPECT_EQ(root.text("/proc/irq/12/smp_affinity_list"), "0-2,4,6-7\n");
    second.release();
    EXPECT_EQ(machine->mask(), "5");
    EXPECT_EQ(root.text("/proc/irq/12/smp_affinity_list"), "5\n");
    first.release();
    EXPECT_EQ(machine->mask(), "5");
    EXPECT_EQ(root.text("/proc/irq/10/smp_affinity_list"), "3\n");
}

// "A failure undoes all earlier steps": also where memory runs out.
TEST_F(exclusive_failure, every_act_may_run_out_of_memory) {
    use_v2();
    options.move_interrupts = true;
    options.at_least = exclusivity::isolated_partition;
    const auto before = whole_root(root);
    bool taken = false;
    for (int act = 1; !taken; ++act) {
        system->before_act = [left = act](const std::string&) mutable {
            if (--left == 0) {
                throw std::bad_alloc();
            }
            return 0;
        };
        exclusive_error error;
        std::optional<exclusive_cpus> lease;
        try {
            lease = try_acquire_on(host, cpu_set{3}, options, error);
        } catch (const std::bad_alloc&) {
        }
        system->before_act = [](const std::string&) { return 0; };
        taken = lease.has_value();
        lease.reset();
        EXPECT_EQ(difference(before, whole_root(root)), "") << "act " << act;
        ASSERT_LT(act, 200);
    }
    bool quiet = false;
    for (int act = 1; !quiet; ++act) {
        auto lease = take({3});
        quiet = true;
        system->before_act = [&quiet, left = act](const std::string&) mutable {
            if (--left == 0) {
                quiet = false;
                throw std::bad_alloc();
            }
            return 0;
        };
        const int entered = lease.try_enter();
        EXPECT_TRUE(entered == 0 || entered == ENOMEM) << entered;
        std::string problem;
        const bool released = lease.try_release(problem);
        system->before_act = [](const std::string&) { return 0; };
        if (!released) { // It could not lock the journal.
            EXPECT_EQ(repair().released.size(), 1U) << problem;
        }
        EXPECT_EQ(difference(before, whole_root(root)), "") << "act " << act;
        ASSERT_LT(act, 200);
    }
}
