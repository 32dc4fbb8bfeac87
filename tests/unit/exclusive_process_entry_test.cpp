// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// Processes that enter a lease of CPUs with all their threads, on a machine of plain files.

#include "exclusive_fakes.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/step_rules.hpp"

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace {

using exclusive_test::difference;
using exclusive_test::whole_root;
using testing::HasSubstr;

class exclusive_process_entry : public exclusive_test::lease_test {
protected:
    /// A thread of a process of three, in that state.
    void add_thread(const std::string& process, const std::string& number,
                    const std::string& state = "S") {
        const std::string status = "Tgid:\t" + process + "\nCpus_allowed_list:\t0-7\n";
        const std::string folder = "/proc/" + process + "/task/" + number;
        root.file("/proc/" + number + "/status", status)
            .file(folder + "/status", status)
            .file(folder + "/stat",
                  number + " (a) " + state + " 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 3 0 77 0\n");
    }
    /// The kernel has no partitions below other groups, so that CPU 3 is had with a group of whole
    /// processes.
    void take_whole_processes_below_the_top() {
        use_v2();
        options.whole_processes = true;
        system->before_act = [](const std::string& act) {
            return act.find("cpuset.cpus.exclusive 3") != std::string::npos ? ENOENT : 0;
        };
    }
};

/// A machine with a process that starts a thread between any two looks at it, up to a hundred. All
/// but the first have inherited the CPUs of a lease.
class starting_system : public exclusive_test::fake_system {
public:
    explicit starting_system(const exclusive_test::root_folder& root)
        : fake_system(root.path())
        , root_(root) {
        root.file("/sys/devices/system/cpu/isolated", "2-3\n");
    }
    std::vector<std::string> list(const std::string& path) override {
        if (path != "/proc/70/task") {
            return fake_system::list(path);
        }
        if (looks < 100) {
            const std::string thread = std::to_string(170 + looks);
            const std::string status = std::string("Tgid:\t70\nCpus_allowed_list:\t") +
                                       (looks == 0 ? "0-1" : "2-3") + "\n";
            root_.file("/proc/" + thread + "/status", status)
                .file("/proc/70/task/" + thread + "/status", status)
                .file("/proc/70/task/" + thread + "/stat",
                      thread + " (a) S 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 77 0\n");
        }
        ++looks;
        return fake_system::list(path);
    }
    int looks = 0;

private:
    const exclusive_test::root_folder& root_;
};

} // namespace

// "Also those that it starts meanwhile", and not as long as it starts some.
TEST_F(exclusive_process_entry, a_process_that_goes_on_to_start_threads_enters_in_two_looks) {
    const auto machine = std::make_shared<starting_system>(root);
    host = machine;
    auto lease = take({2, 3});
    lease.enter_process(70);
    EXPECT_EQ(machine->looks, 2);
}

TEST_F(exclusive_process_entry, a_process_that_goes_on_to_start_threads_is_moved_in_two_looks) {
    starting_system machine(root);
    std::string moved;
    for (int thread = 171; thread < 300; ++thread) { // What the moved ones start is there.
        moved += std::to_string(thread) + "\n";
    }
    root.file("/sys/fs/cgroup/aside/tasks", moved);
    regatta::detail::exclusive_step step;
    step.kind = regatta::detail::step_kind::move_process;
    step.path = "/proc/70";
    step.target = "/sys/fs/cgroup/aside";
    step.member = "tasks";
    const std::vector<regatta::detail::exclusive_step> of_others;
    std::vector<std::string> notes;
    regatta::detail::step_context context{machine, of_others, [](const auto&) { return 0; },
                                          [] { return 0; }, notes};
    const auto error = regatta::detail::apply_step(context, step);
    EXPECT_FALSE(error) << error.text;
    EXPECT_EQ(machine.looks, 2);
    EXPECT_TRUE(root.text("/sys/fs/cgroup/aside/tasks").ends_with("170\n"));
}

TEST_F(exclusive_process_entry, a_moved_process_goes_back_with_the_threads_it_has_started_since) {
    for (const char* thread : {"70", "71", "72"}) {
        add_thread("70", thread);
    }
    const std::string groups = "/sys/fs/cgroup/";
    root.file(groups + "aside/tasks", "70\n71\n72\n9\n"); // As the step left it, and a stranger.
    root.file(groups + "home/tasks", "").file(groups + "other/tasks", "");
    regatta::detail::exclusive_step first;
    first.kind = regatta::detail::step_kind::move_process;
    first.path = "/proc/70";
    first.target = groups + "aside";
    first.member = "tasks";
    first.before = groups + "home";
    first.masks = {{70, 70, 77, {0}}};
    regatta::detail::exclusive_step second = first;
    second.before = groups + "other";
    second.masks = {{70, 71, 77, {0}}, {70, 72, 5, {0}}}; // 72 is another thread by now.
    const std::vector<regatta::detail::exclusive_step> of_others;
    std::vector<std::string> notes;
    regatta::detail::step_context context{*system, of_others, [](const auto&) { return 0; },
                                          [] { return 0; }, notes};
    EXPECT_FALSE(regatta::detail::undo_step(context, second));
    EXPECT_EQ(root.text(groups + "other/tasks"), "71\n");
    root.file(groups + "aside/tasks", "70\n72\n9\n");
    EXPECT_FALSE(regatta::detail::undo_step(context, first));
    const std::string home = root.text(groups + "home/tasks");
    EXPECT_THAT(home, HasSubstr("70\n"));
    EXPECT_THAT(home, HasSubstr("72\n"));
    EXPECT_THAT(home, testing::Not(HasSubstr("71\n")));
    EXPECT_THAT(home, testing::Not(HasSubstr("9\n")));
}

TEST_F(exclusive_process_entry, whole_processes_enter_with_threads_that_come_and_go) {
    use_v2();
    add_thread("50", "50");
    root.file("/proc/50/task/51/stat", "").file("/proc/51/status", "Tgid:\t50\n"); // It has ended.
    auto lease = take({3});
    ASSERT_GE(lease.level(), exclusivity::shielded);
    std::string group;
    system->before_act = [&](const std::string& act) {
        if (act.ends_with("/cgroup.threads 50\n")) {
            group = act.substr(6, act.rfind('/') - 6);
            add_thread("50", "52"); // Started by a thread that has not entered yet.
        }
        return 0;
    };
    lease.enter_process(50);
    EXPECT_EQ(root.text(group + "/cgroup.threads"), "50\n52\n");
    EXPECT_THROW(lease.enter_process(4711), std::system_error);
}

TEST_F(exclusive_process_entry, whole_processes_may_be_put_below_the_top) {
    take_whole_processes_below_the_top();
    const auto before = whole_root(root);
    auto lease = take({3});
    const std::string group = "/sys/fs/cgroup/regatta." + std::to_string(::getpid()) + ".1";
    EXPECT_EQ(root.text(group + "/cpuset.cpus.partition"), "isolated\n");
    lease.enter_process(::getpid());
    EXPECT_EQ(root.text(group + "/cgroup.procs"), std::to_string(::getpid()) + "\n");
    lease.release();
    EXPECT_EQ(difference(before, whole_root(root)), "");
}

// "Back to its previous group": also a thread whose process was taken in by one that has ended.
TEST_F(exclusive_process_entry, a_thread_that_was_taken_along_leaves_after_the_end_of_the_first) {
    take_whole_processes_below_the_top();
    add_thread("50", "50");
    add_thread("50", "51");
    add_thread("60", "60");
    auto lease = take({3});
    const std::string group = "/sys/fs/cgroup/regatta." + std::to_string(::getpid()) + ".1";
    lease.enter(50);
    root.file(group + "/cgroup.threads", "50\n51\n"); // It was taken along.
    std::filesystem::remove_all(root.path() + "/proc/50/task/50");
    lease.enter(60); // No CPU is free: those that have ended are forgotten.
    lease.enter(51);
    lease.leave(51);
    EXPECT_THAT(root.text("/sys/fs/cgroup/service/cgroup.procs"), HasSubstr("51\n"));
    root.file(group + "/cgroup.threads", "").file(group + "/cgroup.procs", ""); // All have ended.
}

// "Threads that end meanwhile are no failure": the first one stays listed until the last has ended.
TEST_F(exclusive_process_entry, a_process_enters_whose_first_thread_has_ended) {
    class machine_of_threads final : public exclusive_test::fake_system {
    public:
        using fake_system::fake_system;
        int set_affinity(int thread, const regatta::cpu_set&) override {
            entered.push_back(thread);
            return thread == 50 ? EINVAL : 0; // As in a partition.
        }
        std::vector<int> entered;
    };
    const auto machine = std::make_shared<machine_of_threads>(root.path());
    host = machine;
    add_thread("50", "50", "Z");
    auto lease = take({3});
    EXPECT_THROW(lease.enter_process(50), std::system_error);
    add_thread("50", "51");
    lease.enter_process(50);
    EXPECT_THAT(machine->entered, testing::Contains(51));
    add_thread("50", "50");
    EXPECT_THROW(lease.enter_process(50), std::system_error); // It lives, and is refused.
}
