// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Threads that enter and leave a lease of CPUs, on a machine of plain files.

#include "exclusive_fakes.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/step_rules.hpp"

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/shared_cpus.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

using exclusive_test::masked_system;
using regatta::exclusive_cpus;

class exclusive_entry : public exclusive_test::lease_test {};

/// A machine whose CPUs 2 and 3 were isolated at boot, with threads whose masks are their files'.
class threads_system : public exclusive_test::fake_system {
public:
    explicit threads_system(const exclusive_test::root_folder& root)
        : fake_system(root.path())
        , root_(root) {
        root.file("/sys/devices/system/cpu/isolated", "2-3\n");
    }
    void start(int thread) {
        const std::string number = std::to_string(thread);
        root_.file("/proc/" + number + "/task/" + number + "/stat",
                   number + " (a) S 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 77 0\n");
        set_affinity(thread, regatta::cpu_set::first(2));
    }
    void end(int thread) {
        std::filesystem::remove_all(root_.path() + "/proc/" + std::to_string(thread));
    }
    int set_affinity(int thread, const regatta::cpu_set& cpus) override {
        const std::string folder = "/proc/" + std::to_string(thread);
        const std::string text =
            "Tgid:\t" + std::to_string(thread) + "\nCpus_allowed_list:\t" + cpus.to_string() + "\n";
        root_.file(folder + "/status", text)
            .file(folder + "/task/" + std::to_string(thread) + "/status", text);
        return 0;
    }
    std::string mask(int thread) {
        return regatta::detail::read_task_mask(*this, thread, thread)
            .value_or(regatta::cpu_set())
            .to_string();
    }

private:
    const exclusive_test::root_folder& root_;
};

/// A machine whose status files do not list the CPUs of a task, as under gVisor.
class maskless_system : public masked_system {
public:
    using masked_system::masked_system;
    std::optional<std::string> read(const std::string& path) override {
        auto text = masked_system::read(path);
        if (text && path.ends_with("/status")) {
            text->resize(std::min(text->find("Cpus_allowed_list"), text->size()));
        }
        return text;
    }
    regatta::cpu_set affinity(int) override {
        const std::string text = masked_system::read("/proc/50/status").value_or("");
        return regatta::cpu_set::parse(text.substr(text.rfind('\t') + 1));
    }
};

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

// Two leases side by side: neither pins a thread for good that entered the other.
TEST_F(exclusive_entry, the_mask_of_a_thread_that_another_lease_had_narrowed_comes_back_whole) {
    use_v2();
    const auto machine = std::make_shared<masked_system>(root, "0-7");
    host = machine;
    auto first = take({2});
    machine->set_mask("0-1,3-7"); // As the kernel does.
    auto second = take({3});
    ASSERT_EQ(second.level(), regatta::exclusivity::isolated_partition);
    machine->set_mask("0-1,4-7");
    second.enter(50);
    EXPECT_EQ(machine->mask(), "3");
    first.release();
    second.release();
    EXPECT_EQ(machine->mask(), "0-7");
}

// One of the two keeps its CPUs clear by masks alone: who leaves the other one stays off them.
TEST_F(exclusive_entry, who_leaves_a_lease_stays_off_the_cpus_that_another_one_sweeps) {
    const auto machine = std::make_shared<masked_system>(root, "0-7");
    host = machine;
    options.move_others = true;
    auto sweep = take({2});
    ASSERT_EQ(sweep.level(), regatta::exclusivity::swept);
    ASSERT_EQ(machine->mask(), "0-1,3-7");
    options = {};
    auto second = take({3});
    second.enter(50);
    second.leave(50);
    EXPECT_EQ(machine->mask(), "0-1,3-7");
    second.enter(50);
    sweep.release();
    second.release();
    EXPECT_EQ(machine->mask(), "0-7");
}

// "Gives it one": a worker process has inherited the CPU of the thread that started it.
TEST_F(exclusive_entry, an_heir_gets_a_cpu_of_its_own_where_the_load_is_not_balanced) {
    const auto machine = std::make_shared<threads_system>(root);
    host = machine;
    const regatta::shared_cpus shared = take({2, 3});
    for (const int thread : {50, 51}) {
        machine->start(thread);
        EXPECT_EQ(shared.try_enter_worker(thread), 0);
    }
    EXPECT_EQ(machine->mask(50), "2");
    EXPECT_EQ(machine->mask(51), "3");
    EXPECT_EQ(shared.try_enter_worker(52), ESRCH);
}

// Also where whole processes enter, as they do below the top group on older kernels.
TEST_F(exclusive_entry, a_process_gets_a_cpu_of_its_own_where_the_load_is_not_balanced) {
    use_v2();
    options.whole_processes = true;
    const auto machine = std::make_shared<threads_system>(root);
    root.file("/sys/devices/system/cpu/isolated", "\n");
    machine->before_act = [](const std::string& act) {
        return act.find("cpuset.cpus.exclusive 2-3") != std::string::npos ? ENOENT : 0;
    };
    host = machine;
    auto lease = take({2, 3});
    ASSERT_EQ(lease.level(), regatta::exclusivity::isolated_partition) << lease.explain()[2];
    const regatta::shared_cpus shared = std::move(lease);
    for (const int process : {50, 51}) {
        machine->start(process);
        EXPECT_EQ(shared.try_enter_worker(process), 0);
    }
    EXPECT_EQ(machine->mask(50), "2");
    EXPECT_EQ(machine->mask(51), "3");
}

/// A lease that 60 threads have entered, one after the other, and a thread that lives.
void enter_many(threads_system& machine, exclusive_cpus& lease) {
    constexpr int threads = 60;
    machine.start(50);
    lease.enter(50);
    for (int thread = 1000; thread != 1000 + threads; ++thread) {
        machine.start(thread);
        lease.enter(thread);
        machine.end(thread);
    }
}

// "Records of threads that have ended are dropped": the journal does not grow with each thread of a
// pool that replaces its threads.
TEST_F(exclusive_entry, threads_that_have_ended_leave_no_record_for_good) {
    const auto machine = std::make_shared<threads_system>(root);
    host = machine;
    auto lease = take({2, 3});
    enter_many(*machine, lease);
    ASSERT_EQ(status().size(), 1U);
    EXPECT_LT(status()[0].effects.size(), 35U);
    EXPECT_TRUE(status()[0].taken);
    lease.release();
    EXPECT_EQ(machine->mask(50), "0-1");
    EXPECT_TRUE(status().empty());
}

TEST_F(exclusive_entry, a_journal_that_cannot_be_written_anew_stays_as_it_was) {
    for (const char* const refused : {"rename", "append /run/regatta/new."}) {
        const auto machine = std::make_shared<threads_system>(root);
        host = machine;
        take_and_die([&](exclusive_cpus& lease) {
            machine->before_act = [=](const std::string& act) {
                return act.starts_with(refused) ? ENOSPC : 0;
            };
            enter_many(*machine, lease);
        });
        ASSERT_EQ(status().size(), 1U);
        EXPECT_GT(status()[0].effects.size(), 60U);
        EXPECT_THAT(repair().problems, testing::IsEmpty());
        EXPECT_EQ(machine->mask(50), "0-1");
    }
}

// "A process that dies here leaves the old file or the new one whole".
TEST_F(exclusive_entry, a_lease_is_undone_whose_owner_died_while_it_wrote_the_journal_anew) {
    for (const char* const last :
         {"unlink /run/regatta/new.", "append /run/regatta/new.", "rename", "the end"}) {
        const auto machine = std::make_shared<threads_system>(root);
        host = machine;
        take_and_die([&](exclusive_cpus& lease) {
            machine->before_act = [=](const std::string& act) {
                if (act.starts_with(last)) {
                    ::kill(::getpid(), SIGKILL);
                }
                return 0;
            };
            enter_many(*machine, lease);
        });
        EXPECT_NE(machine->mask(50), "0-1") << last;
        const bool drafted = machine->exists("/run/regatta/new." + status().at(0).name);
        EXPECT_EQ(drafted, std::string(last) == "rename") << last;
        EXPECT_EQ(repair().released.size(), 1U) << last;
        EXPECT_EQ(machine->mask(50), "0-1") << last;
        EXPECT_THAT(machine->list("/run/regatta"), testing::ElementsAre("lock")) << last;
    }
}

// A pool's thread may leave and enter for each piece of work.
TEST_F(exclusive_entry, a_thread_that_enters_again_from_its_group_leaves_one_record) {
    use_v2();
    root.file("/sys/fs/cgroup/other/cgroup.threads", "50\n");
    const auto machine = std::make_shared<masked_system>(root, "0-7");
    host = machine;
    auto lease = take({3});
    lease.enter(50);
    const auto effects = status()[0].effects.size();
    for (int again = 0; again != 3; ++again) {
        lease.leave(50);
        EXPECT_EQ(root.text("/sys/fs/cgroup/other/cgroup.threads"), "50\n");
        lease.enter(50);
    }
    EXPECT_EQ(status()[0].effects.size(), effects);
    lease.release();
    EXPECT_EQ(root.text("/sys/fs/cgroup/other/cgroup.threads"), "50\n");
}

// "Where the load is not balanced each thread gets a CPU for itself, in turn": one that no other
// thread has any more.
TEST_F(exclusive_entry, a_thread_gets_the_cpu_of_one_that_left_or_ended) {
    const auto machine = std::make_shared<threads_system>(root);
    host = machine;
    auto lease = take({2, 3});
    ASSERT_FALSE(balances_load(lease.level()));
    for (const int thread : {50, 51, 52, 53}) {
        machine->start(thread);
    }
    lease.enter(50);
    lease.enter(51);
    EXPECT_EQ(machine->mask(50), "2");
    EXPECT_EQ(machine->mask(51), "3");
    lease.leave(51);
    lease.enter(52);
    EXPECT_EQ(machine->mask(52), "3");
    machine->end(50);
    lease.enter(51);
    EXPECT_EQ(machine->mask(51), "2");
    lease.leave(51);
    lease.enter(51);
    EXPECT_EQ(machine->mask(51), "2");
    // More threads than CPUs share them in turn.
    lease.enter(53);
    machine->start(50);
    lease.enter(50);
    EXPECT_NE(machine->mask(50), machine->mask(53));
}

TEST_F(exclusive_entry, a_mask_comes_back_where_no_file_lists_it) {
    const auto machine = std::make_shared<maskless_system>(root, "0-1");
    host = machine;
    auto lease = take({3});
    lease.enter(50);
    EXPECT_EQ(machine->affinity(50), regatta::cpu_set{3});
    lease.leave(50);
    EXPECT_EQ(machine->affinity(50), regatta::cpu_set::first(2));
    lease.release();
    take_and_die([&](exclusive_cpus& other) { other.enter(50); });
    EXPECT_EQ(machine->affinity(50), regatta::cpu_set{3});
    EXPECT_THAT(repair().problems, testing::IsEmpty());
    EXPECT_EQ(machine->affinity(50), regatta::cpu_set::first(2));
}

// "No effect on a thread that […] was moved elsewhere since": also to all CPUs that the lease left.
TEST_F(exclusive_entry, a_thread_that_was_pinned_to_the_rest_since_stays_there) {
    const auto machine = std::make_shared<masked_system>(root, "0-7");
    host = machine;
    auto lease = take({0, 1, 2, 3, 4, 5, 6});
    lease.enter(50);
    machine->set_mask("7");
    lease.leave(50);
    EXPECT_EQ(machine->mask(), "7");
}

TEST_F(exclusive_entry, the_last_mask_comes_back_after_the_death_of_the_owner) {
    for (const auto& [first, last] : {std::pair("0-7", "0-1"), std::pair("0-1", "0-7")}) {
        const auto machine = std::make_shared<masked_system>(root, first);
        host = machine;
        take_and_die([&](exclusive_cpus& lease) {
            lease.enter(50);
            lease.leave(50);
            machine->set_mask(last);
            lease.enter(50);
        });
        EXPECT_EQ(machine->mask(), "3");
        EXPECT_EQ(repair().released.size(), 1U);
        EXPECT_EQ(machine->mask(), last);
    }
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

TEST_F(exclusive_entry, the_end_of_a_lease_leaves_threads_in_another_one_there) {
    for (const bool swept : {false, true}) {
        options.move_others = swept;
        const auto machine = std::make_shared<masked_system>(root, "0-7");
        host = machine;
        auto outer = take({3});
        auto inner = take({4});
        outer.enter(50);
        inner.enter(50);
        outer.release();
        EXPECT_EQ(machine->mask(), "4") << swept;
        inner.release();
        EXPECT_EQ(machine->mask(), swept ? "0-7" : "3"); // "Before the last enter".
    }
}

TEST_F(exclusive_entry, a_pin_that_was_set_since_stays) {
    for (const bool swept : {false, true}) {
        options.move_others = swept;
        const auto machine = std::make_shared<masked_system>(root, "0-7");
        host = machine;
        auto lease = take({3});
        ASSERT_EQ(lease.level() == regatta::exclusivity::swept, swept);
        lease.enter(50);
        machine->set_mask("5");
        lease.leave(50);
        EXPECT_EQ(machine->mask(), "5") << swept;
        lease.enter(50);
        machine->set_mask("6");
        lease.release();
        EXPECT_EQ(machine->mask(), "6") << swept;
    }
}

TEST_F(exclusive_entry, a_cpu_that_is_offline_is_told) {
    const auto machine = std::make_shared<masked_system>(root, "0-7");
    host = machine;
    auto lease = take({3});
    machine->set_online("0-2,4-7");
    try {
        lease.enter(50);
        FAIL() << "CPU 3 is offline";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code().value(), EINVAL);
        EXPECT_THAT(error.what(), testing::HasSubstr("CPUs 3 are offline"));
    }
}

// As a partition of version 2 does, to the tasks of all other groups.
TEST_F(exclusive_entry, a_mask_of_cpus_that_another_lease_took_since_comes_back_with_those) {
    class partitioned final : public masked_system {
    public:
        using masked_system::masked_system;
        int set_affinity(int thread, const regatta::cpu_set& cpus) override {
            return held.contains(cpus) ? EINVAL : masked_system::set_affinity(thread, cpus);
        }
        regatta::cpu_set held;
    };
    const auto machine = std::make_shared<partitioned>(root, "4");
    host = machine;
    use_v2();
    auto first = take({3});
    auto second = take({4});
    machine->held = {4};
    machine->set_mask("0-2,5-7"); // Its only CPU went into the partition.
    first.release();
    EXPECT_EQ(machine->mask(), "0-2,5-7");
    machine->held = {};
    second.release();
    EXPECT_EQ(machine->mask(), "4");
}

TEST_F(exclusive_entry, a_thread_in_a_soft_lease_stays_there_while_others_take_cpus) {
    const auto machine = std::make_shared<masked_system>(root, "0-7");
    host = machine;
    auto soft = take({4});
    ASSERT_EQ(soft.level(), regatta::exclusivity::soft);
    soft.enter(50);
    use_v2();
    auto partition = take({6});
    ASSERT_EQ(partition.level(), regatta::exclusivity::isolated_partition);
    EXPECT_EQ(machine->mask(), "4");
    partition.release();
    EXPECT_EQ(machine->mask(), "4");
    soft.release();
    EXPECT_EQ(machine->mask(), "0-7");
}

TEST_F(exclusive_entry, a_soft_lease_takes_cpus_from_no_task) {
    const auto machine = std::make_shared<masked_system>(root, "0-5");
    host = machine;
    auto soft = take({4});
    soft.enter(); // Another thread than 50.
    use_v2();
    auto partition = take({7});
    EXPECT_EQ(machine->mask(), "0-5");
    soft.release();
    partition.release();
    EXPECT_EQ(machine->mask(), "0-5");
}

// While a thread is moved between groups, no other program changes a partition.
TEST_F(exclusive_entry, threads_are_moved_under_the_lock_of_the_journal) {
    use_v2();
    const auto is_locked = [&](int how) {
        const std::string file = root.path() + "/run/regatta/lock";
        const int lock = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
        EXPECT_GE(lock, 0);
        const bool refused = ::flock(lock, how | LOCK_NB) != 0;
        ::close(lock);
        return refused;
    };
    int moved = 0;
    auto lease = take({3});
    system->before_act = [&](const std::string& act) {
        if (act.find("/cgroup.threads ") != std::string::npos) {
            EXPECT_TRUE(is_locked(LOCK_EX)) << act;
            ++moved;
        }
        if (act.find("/cpuset.cpus.partition ") != std::string::npos) {
            EXPECT_TRUE(is_locked(LOCK_SH)) << act;
            ++moved;
        }
        return 0;
    };
    lease.enter();
    lease.leave();
    EXPECT_EQ(moved, 2);
    EXPECT_FALSE(is_locked(LOCK_EX));
    for (const auto& group : {root.path() + "/sys/fs/cgroup/service"}) {
        for (const auto& entry : std::filesystem::directory_iterator(group)) {
            if (entry.is_directory()) { // As a neighbour that takes one of its CPUs does.
                std::ofstream(entry.path() / "cpuset.cpus.partition") << "isolated invalid\n";
            }
        }
    }
    EXPECT_EQ(lease.renew(), std::nullopt);
    EXPECT_EQ(moved, 4);
    lease.enter();
    lease.release();
    EXPECT_GE(moved, 7);
    EXPECT_FALSE(is_locked(LOCK_EX));
}

// The kernel has moved it out of the lease's group, which has no CPUs any more.
TEST_F(exclusive_entry, a_thread_returns_to_its_group_after_the_cpus_of_a_cpuset_went_offline) {
    use_v1();
    const std::string top = "/sys/fs/cgroup/cpuset";
    root.file(top + "/container/tasks", "50\n");
    const auto machine = std::make_shared<masked_system>(root, "0-7");
    host = machine;
    auto lease = take({6});
    ASSERT_EQ(lease.level(), regatta::exclusivity::shielded);
    for (const bool emptied : {true, false}) {
        lease.enter(50);
        EXPECT_EQ(root.text(top + "/container/tasks"), "");
        root.file(top + "/regatta." + std::to_string(::getpid()) + ".1/cpuset.cpus",
                  emptied ? "\n" : "6\n");
        machine->write(top + "/tasks", "50");
        lease.leave(50);
        EXPECT_EQ(root.text(top + "/container/tasks"), emptied ? "50\n" : "");
    }
}

// The kernel takes the CPUs of a partition from the masks of all other tasks. One that was pinned,
// to as many as all others are left, stays so.
TEST_F(exclusive_entry, a_sweep_takes_no_cpus_of_a_partition_for_good_and_widens_no_pin) {
    const auto machine = std::make_shared<masked_system>(root, "0-7");
    host = machine;
    use_v2();
    const auto valid = machine->partition;
    for (const auto& [before, after] : {std::pair("0-4,6-7", "0-7"), std::pair("0-4,6", "0-4,6")}) {
        machine->partition = valid;
        auto partition = take({5});
        machine->set_mask(before);
        machine->partition = [](const std::string& type) { return type + " invalid (busy)"; };
        options.move_others = true;
        auto sweep = take({7});
        ASSERT_EQ(sweep.level(), regatta::exclusivity::swept);
        EXPECT_EQ(machine->mask(), "0-4,6");
        partition.release();
        sweep.release();
        EXPECT_EQ(machine->mask(), after);
    }
}
