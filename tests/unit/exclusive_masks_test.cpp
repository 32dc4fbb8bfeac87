// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// The masks of many tasks while leases sweep their CPUs, on a machine of plain files.

#include "exclusive_fakes.hpp"
#include "lease/exclusive_masks.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_tasks.hpp"

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace {

using regatta::cpu_set;
using regatta::exclusivity;

/// A machine whose tasks have parents, threads and masks.
class family_system : public exclusive_test::fake_system {
public:
    explicit family_system(const exclusive_test::root_folder& root)
        : fake_system(root.path())
        , root_(root) {}

    /// @param flags 2097152: it is of the kernel.
    void start(int process, int thread, int parent, const std::string& cpus, long flags = 0) {
        processes_[thread] = process;
        const std::string number = std::to_string(thread);
        root_.file(folder(thread) + "/stat", number + " (a) S " + std::to_string(parent) +
                                                 " 0 0 0 0 " + std::to_string(flags) +
                                                 " 0 0 0 0 0 0 0 0 0 0 1 0 77 0\n");
        set_mask(thread, cpus);
    }
    void set_mask(int thread, const std::string& cpus) {
        const std::string text =
            "Tgid:\t" + std::to_string(processes_[thread]) + "\nCpus_allowed_list:\t" + cpus + "\n";
        root_.file(folder(thread) + "/status", text)
            .file("/proc/" + std::to_string(thread) + "/status", text);
    }
    std::string mask(int thread) {
        return regatta::detail::read_task_mask(*this, processes_[thread], thread)
            .value_or(cpu_set())
            .to_string();
    }
    int set_affinity(int thread, const cpu_set& cpus) override {
        if (refused.contains(thread)) {
            return refused[thread];
        }
        set_mask(thread, cpus.to_string());
        if (moved) {
            moved(thread);
        }
        return 0;
    }
    std::map<int, int> refused;     ///< Threads that cannot be moved, and why.
    std::function<void(int)> moved; ///< Called after the move of a thread.

private:
    std::string folder(int thread) {
        return "/proc/" + std::to_string(processes_[thread]) + "/task/" + std::to_string(thread);
    }
    const exclusive_test::root_folder& root_;
    std::map<int, int> processes_;
};

class exclusive_masks : public exclusive_test::lease_test {
protected:
    exclusive_masks() {
        host = machine;
        options.move_others = true;
    }
    std::shared_ptr<family_system> machine = std::make_shared<family_system>(root);
};

} // namespace

TEST_F(exclusive_masks, each_task_gets_back_what_it_would_have_without_the_sweep) {
    machine->start(50, 50, 1, "0-7");
    machine->start(50, 51, 1, "0-2,4-7"); // A pin of its own that looks like the lease's doing.
    machine->start(53, 53, 1, "2-4");
    auto lease = take({3});
    ASSERT_EQ(lease.level(), exclusivity::swept);
    EXPECT_EQ(machine->mask(50), "0-2,4-7");
    EXPECT_EQ(machine->mask(53), "2,4");
    machine->start(60, 60, 50, "0-2,4-7"); // A child,
    machine->start(61, 61, 60, "0-2,4-7"); // a grandchild,
    machine->start(62, 62, 50, "0-1");     // and one that was pinned since.
    lease.release();
    EXPECT_EQ(machine->mask(50), "0-7");
    EXPECT_EQ(machine->mask(51), "0-2,4-7");
    EXPECT_EQ(machine->mask(53), "2-4");
    EXPECT_EQ(machine->mask(60), "0-7");
    EXPECT_EQ(machine->mask(61), "0-7");
    EXPECT_EQ(machine->mask(62), "0-1");
}

// "What others changed in between stays changed."
TEST_F(exclusive_masks, what_others_have_set_during_the_sweep_stays) {
    machine->start(50, 50, 1, "0-7");
    machine->start(51, 51, 1, "0");
    machine->start(52, 52, 1, "3");
    auto lease = take({3});
    ASSERT_EQ(lease.level(), exclusivity::swept);
    machine->set_mask(50, "3");
    machine->set_mask(51, "0-7"); // The lease has never touched it.
    lease.release();
    EXPECT_EQ(machine->mask(50), "3");
    EXPECT_EQ(machine->mask(51), "0-7");
    EXPECT_EQ(machine->mask(52), "3");
}

TEST_F(exclusive_masks, a_child_of_a_task_that_had_the_lease_s_cpus_alone_gets_them) {
    machine->start(50, 50, 1, "3");
    auto lease = take({3});
    EXPECT_EQ(machine->mask(50), "0-2,4-7");
    machine->start(60, 60, 50, "0-2,4-7");
    lease.release();
    EXPECT_EQ(machine->mask(60), "3");
}

TEST_F(exclusive_masks, a_task_that_starts_while_its_parent_is_widened_is_widened_too) {
    machine->start(50, 50, 1, "0-7");
    auto lease = take({3});
    machine->start(60, 60, 50, "0-2,4-7");
    int children = 0;
    machine->moved = [&](int thread) {
        if (thread >= 60 && ++children <= 3) { // It inherits the mask that its parent had just now.
            machine->start(thread + 1, thread + 1, thread, "0-2,4-7");
        }
    };
    lease.release();
    EXPECT_EQ(children, 4);
    for (const int task : {60, 61, 62, 63}) {
        EXPECT_EQ(machine->mask(task), "0-7");
    }
}

// "A time namespace changes nothing of this": its clock may begin after a task has.
TEST_F(exclusive_masks, a_task_older_than_the_clock_of_a_namespace_has_its_start) {
    root.file("/proc/self/timens_offsets", "monotonic 0 0\nboottime -20000 0\n");
    family_system inside(root);
    root.file("/proc/50/task/50/stat", "50 (a) S 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 "
                                       "1844673979350 0\n");
    const auto details = regatta::detail::read_task_details(inside, 50, 50);
    ASSERT_TRUE(details);
    EXPECT_TRUE(regatta::detail::is_same_start(details->start, 1'571'980)) << details->start;
}

TEST_F(exclusive_masks, the_end_of_one_sweep_leaves_tasks_off_the_cpus_of_another) {
    machine->start(50, 50, 1, "0-7");
    auto first = take({3});
    machine->start(70, 70, 1,
                   "0-2,4-7"); // Of a parent that is unknown: not pinned, for all one sees.
    auto second = take({5});
    machine->start(60, 60, 50, "0-2,4,6-7");
    first.release();
    EXPECT_EQ(machine->mask(50), "0-4,6-7");
    EXPECT_EQ(machine->mask(60), "0-4,6-7");
    second.release();
    EXPECT_EQ(machine->mask(50), "0-7");
    EXPECT_EQ(machine->mask(60), "0-7");
    EXPECT_EQ(machine->mask(70), "0-7");
}

TEST_F(exclusive_masks, a_thread_of_the_kernel_that_was_bound_since_is_no_failure) {
    machine->start(50, 50, 2, "0-7", 2'097'152);
    auto lease = take({3});
    EXPECT_EQ(machine->mask(50), "0-2,4-7");
    machine->refused[50] = EINVAL;
    std::string problem;
    EXPECT_TRUE(lease.try_release(problem)) << problem;
}

TEST_F(exclusive_masks, a_task_that_has_ended_and_that_nobody_waits_for_is_no_failure) {
    machine->start(50, 50, 1, "0-7");
    auto lease = take({3});
    EXPECT_EQ(machine->mask(50), "0-2,4-7");
    machine->refused[50] = ESRCH;
    root.file("/proc/50/task/50/stat", "50 (a) Z 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 77 0\n");
    std::string problem;
    EXPECT_TRUE(lease.try_release(problem)) << problem;
}

// A step that moves tasks keeps their masks only to recognise them: nobody restores these masks.
TEST_F(exclusive_masks, of_moved_tasks_are_not_saved_ones) {
    machine->start(50, 50, 1, "0-2");
    const auto task = regatta::detail::read_task(*machine, 50, 50);
    ASSERT_TRUE(task);
    regatta::detail::exclusive_step moved;
    moved.kind = regatta::detail::step_kind::move_process;
    moved.masks = {*task};
    EXPECT_EQ(regatta::detail::find_mask({moved}, *task), nullptr);
    machine->set_mask(50, "0-1"); // As its new group has it.
    regatta::detail::pin_again(*machine, {moved}, {});
    EXPECT_EQ(machine->mask(50), "0-1");
    moved.kind = regatta::detail::step_kind::save_masks;
    ASSERT_NE(regatta::detail::find_mask({moved}, *task), nullptr);
    regatta::detail::pin_again(*machine, {moved}, {});
    EXPECT_EQ(machine->mask(50), "0-2");
}

// A thread of the kernel may be bound to its CPU: that is a note. A task of a user is a failure.
TEST_F(exclusive_masks, who_cannot_be_moved_is_told) {
    machine->start(50, 50, 2, "0-7", 2'097'152);
    machine->refused[50] = EINVAL;
    {
        const auto lease = take({3});
        EXPECT_EQ(lease.level(), exclusivity::swept);
        EXPECT_THAT(lease.explain(),
                    testing::Contains(testing::HasSubstr("1 kernel thread cannot be moved")));
    }
    machine->start(60, 60, 1, "0-7");
    machine->refused[60] = ESRCH; // It has just ended.
    EXPECT_EQ(take({3}).level(), exclusivity::swept);
    machine->refused[60] = EPERM;
    options.at_least = exclusivity::swept;
    EXPECT_THAT(refusal({3}).text,
                testing::HasSubstr("task 60 cannot be moved off CPUs 3: Operation not permitted"));
}

// "What others changed in between stays changed": also a mask that is wider now, unless the kernel
// is so old that it may have forgotten the narrow one.
TEST_F(exclusive_masks,
       a_mask_that_was_widened_during_a_partition_stays_where_the_kernel_keeps_masks) {
    use_v2();
    for (const char* const release : {"6.5.0-28-generic", "6.1.0-18-amd64", "5.15", "unknown"}) {
        root.file("/proc/sys/kernel/osrelease", std::string(release) + "\n");
        machine->start(50, 50, 1, "1-3");
        auto lease = take({3});
        ASSERT_EQ(lease.level(), exclusivity::isolated_partition);
        machine->set_mask(50, "0-2,4-7");
        lease.release();
        EXPECT_EQ(machine->mask(50), *release == '6' && release[2] == '5' ? "0-2,4-7" : "1-3")
            << release;
    }
}
