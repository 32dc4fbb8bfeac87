// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machines.hpp"

#include "inspect/task_directory.hpp"
#include "inspect/task_history.hpp"
#include "inspect/task_stat.hpp"
#include <regatta/inspect/task_scan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace {

using namespace library_test;
using regatta::detail::switch_record;
using regatta::detail::task_directory;

/// The line of a `stat` file: what matters, and zeros.
std::string stat_line(int tid, const std::string& name, int parent, unsigned long flags, int utime,
                      int stime, int started, unsigned cpu) {
    const auto text = [](auto number) { return std::to_string(number) + " "; };
    return text(tid) + "(" + name + ") S " + text(parent) + "0 0 0 -1 " + text(flags) + "0 0 0 0 " +
           text(utime) + text(stime) + "50 6 20 0 1 0 " + text(started) +
           "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 " + text(cpu) + "0 0 0 0 0 0\n";
}

#if REGATTA_LINUX
machine_files& add_task(machine_files& files, int pid, int tid, const std::string& name, int parent,
                        unsigned cpu, const std::string& schedstat,
                        unsigned long flags = 0x400000) {
    const std::string folder = "/proc/" + std::to_string(pid);
    const std::string line = stat_line(tid, name, parent, flags, 3, 4, 1000 + tid, cpu);
    if (pid == tid) {
        files.file(folder + "/stat", line);
    }
    const std::string task = folder + "/task/" + std::to_string(tid);
    files.file(task + "/stat", line);
    if (!schedstat.empty()) {
        files.file(task + "/schedstat", schedstat);
    }
    return files;
}
#endif

switch_record record(switch_record::kind what, int pid, int tid, std::int64_t time,
                     int parent_pid = 0, int parent_tid = 0, std::string_view name = {}) {
    switch_record made;
    made.what = what;
    made.pid = pid;
    made.tid = tid;
    made.time_ns = time;
    made.other_pid = parent_pid;
    made.other_tid = parent_tid;
    made.name = name;
    return made;
}

} // namespace

TEST(task_scan, reads_what_a_stat_file_says) {
    const auto task = regatta::detail::parse_task_stat(
        stat_line(42, "a (b) c d", 7, 0x400000, 30, 12, 777, 5), 100);
    ASSERT_TRUE(task);
    EXPECT_EQ(task->tid, 42);
    EXPECT_EQ(task->name, "a (b) c d");
    EXPECT_EQ(task->parent_pid, 7);
    EXPECT_EQ(task->state, 'S');
    EXPECT_EQ(task->cpu, 5u);
    EXPECT_EQ(task->started, 777u);
    EXPECT_EQ(task->run_ns, 420'000'000);
    EXPECT_EQ(task->children_ns, 560'000'000);
    EXPECT_FALSE(task->kernel);
    const auto kernel = regatta::detail::parse_task_stat(
        stat_line(15, "rcu_preempt", 2, 0x208040, 0, 0, 0, 0), 100);
    ASSERT_TRUE(kernel);
    EXPECT_TRUE(kernel->kernel);
}

TEST(task_scan, refuses_what_is_no_stat_file) {
    for (const char* text : {"", "1", "1 (x", ") (", "1 (x) S 1 2 3", "x (y) S 0 0"}) {
        EXPECT_FALSE(regatta::detail::parse_task_stat(text)) << text;
    }
}

TEST(task_scan, prefers_the_finer_figures_where_there_are_some) {
    regatta::task_sample task;
    task.run_ns = 70'000'000;
    regatta::detail::parse_task_schedstat("0 0 0\n", task); // a kernel that does not count
    EXPECT_EQ(task.run_ns, 70'000'000);
    EXPECT_EQ(task.turns, 0u);
    regatta::detail::parse_task_schedstat("garbage", task);
    regatta::detail::parse_task_schedstat("", task);
    EXPECT_EQ(task.run_ns, 70'000'000);
    regatta::detail::parse_task_schedstat("71234567 89 12\n", task);
    EXPECT_EQ(task.run_ns, 71'234'567);
    EXPECT_EQ(task.wait_ns, 89);
    EXPECT_EQ(task.turns, 12u);
}

#if REGATTA_LINUX

TEST(task_scan, finds_every_thread) {
    machine_files files;
    add_task(files, 1, 1, "init", 0, 0, "100 5 6\n");
    add_task(files, 20, 20, "many", 1, 1, "200 0 1\n");
    add_task(files, 20, 21, "worker", 1, 3, "300 0 1\n");
    add_task(files, 30, 30, "plain", 1, 2, ""); // no schedstat
    files.file("/proc/cpuinfo", "x").file("/proc/40/task/40/stat", "it has just ended");
    const machine_root root(files);
    auto tasks = regatta::scan_tasks(root.path());
    std::sort(tasks.begin(), tasks.end(),
              [](const auto& a, const auto& b) { return a.tid < b.tid; });
    ASSERT_EQ(tasks.size(), 4u);
    EXPECT_EQ(tasks[0].name, "init");
    EXPECT_EQ(tasks[2].name, "worker");
    EXPECT_EQ(tasks[2].pid, 20);
    EXPECT_EQ(tasks[2].cpu, 3u);
    EXPECT_EQ(tasks[2].run_ns, 300);
    EXPECT_EQ(tasks[3].run_ns, 70'000'000); // ticks of 10 ms
    EXPECT_TRUE(regatta::scan_tasks("/nonexistent").empty());
    EXPECT_FALSE(regatta::read_task(20, 22, root.path()));
}

TEST(task_directory, names_tasks_from_proc) {
    machine_files files;
    add_task(files, 20, 20, "server", 1, 1, "");
    add_task(files, 20, 21, "worker", 1, 1, "");
    add_task(files, 5, 5, "kworker/1:1", 2, 1, "", 0x208040);
    const machine_root root(files);
    task_directory directory({}, root.path());
    EXPECT_EQ(directory.find(0, 0, 1), task_directory::idle);
    const auto worker = directory.find(20, 21, 10);
    EXPECT_EQ(directory[worker].name, "worker");
    EXPECT_EQ(directory[worker].pid, 20);
    EXPECT_FALSE(directory[worker].kernel);
    EXPECT_TRUE(directory[directory.find(5, 5, 10)].kernel);
    EXPECT_EQ(directory.find(20, 21, 30), worker);
    EXPECT_FALSE(directory.owned(worker));
}

TEST(task_directory, knows_owners_and_their_descendants) {
    machine_files files;
    add_task(files, 20, 20, "shell", 1, 1, "");
    add_task(files, 30, 30, "child", 20, 1, "");
    add_task(files, 40, 40, "grandchild", 30, 1, "");
    add_task(files, 50, 50, "stranger", 1, 1, "");
    const machine_root root(files);
    task_directory directory({20}, root.path());
    directory.adopt(regatta::scan_tasks(root.path()));
    EXPECT_TRUE(directory.owned(directory.find(20, 20, 1)));
    EXPECT_TRUE(directory.owned(directory.find(40, 40, 1)));
    EXPECT_FALSE(directory.owned(directory.find(50, 50, 1)));
    // One that a grandchild starts later.
    directory.learn(record(switch_record::kind::began, 60, 60, 5, 40, 40));
    EXPECT_TRUE(directory.owned(directory.find(60, 60, 6)));
}

#endif

// The traces of different CPUs are read one after the other.
TEST(task_directory, knows_a_descendant_whose_start_was_read_before_its_parents) {
    task_directory directory({20}, "/nonexistent");
    directory.learn(record(switch_record::kind::began, 60, 60, 7, 50, 50));
    directory.learn(record(switch_record::kind::began, 50, 50, 6, 40, 40));
    directory.learn(record(switch_record::kind::ended, 60, 60, 8));
    const auto brief = directory.find(60, 60, 8);
    directory.settle();
    EXPECT_FALSE(directory.owned(brief));
    directory.learn(record(switch_record::kind::began, 40, 40, 5, 20, 20));
    directory.settle();
    EXPECT_TRUE(directory.owned(brief));
    EXPECT_FALSE(directory.owned(directory.find(70, 70, 9)));
}

TEST(task_directory, a_stranger_with_the_number_of_a_descendant_is_no_owner) {
    task_directory directory({20}, "/nonexistent");
    directory.learn(record(switch_record::kind::began, 60, 60, 5, 20, 20));
    const auto child = directory.find(60, 60, 6);
    directory.learn(record(switch_record::kind::ended, 60, 60, 7));
    directory.settle();
    directory.learn(record(switch_record::kind::began, 60, 60, 40, 1, 1));
    const auto stranger = directory.find(60, 60, 41);
    directory.settle();
    EXPECT_TRUE(directory.owned(child));
    EXPECT_NE(child, stranger);
    EXPECT_FALSE(directory.owned(stranger));
}

// Without traces only the scans tell of it.
TEST(task_directory, a_stranger_with_the_number_of_a_descendant_is_known_by_its_start) {
    const auto process = [](int pid, int parent, std::uint64_t started) {
        regatta::task_sample made;
        made.pid = made.tid = pid;
        made.parent_pid = parent;
        made.started = started;
        return made;
    };
    task_directory directory({20}, "/nonexistent");
    directory.adopt({process(20, 1, 3), process(30, 20, 5), process(40, 30, 6)});
    directory.adopt({process(20, 1, 3), process(40, 1, 6)}); // An orphan stays a descendant.
    EXPECT_TRUE(directory.owners().contains(40));
    directory.adopt(
        {process(20, 1, 3), process(30, 1, 90), process(40, 1, 6), process(41, 30, 91)});
    EXPECT_FALSE(directory.owners().contains(30));
    EXPECT_FALSE(directory.owners().contains(41));
    EXPECT_TRUE(directory.owners().contains(20));
    EXPECT_TRUE(directory.owners().contains(40));
    directory.adopt({process(20, 1, 3), process(30, 20, 99)});
    directory.adopt({process(20, 1, 3), process(30, 20, 99)});
    EXPECT_TRUE(directory.owners().contains(30));
}

TEST(task_directory, names_those_that_are_gone_by_what_traces_said) {
    task_directory directory({}, "/nonexistent");
    // Started and renamed elsewhere, seen here, and that was read first.
    const auto brief = directory.find(100, 100, 50);
    EXPECT_EQ(directory[brief].name, "");
    directory.learn(record(switch_record::kind::began, 100, 100, 40, 90, 90));
    directory.learn(record(switch_record::kind::named, 100, 100, 45, 0, 0, "brief"));
    directory.settle();
    EXPECT_EQ(directory[brief].name, "brief");
    EXPECT_EQ(directory.find(100, 100, 60), brief);
    // Known before it was seen.
    directory.learn(record(switch_record::kind::named, 101, 101, 45, 0, 0, "early"));
    EXPECT_EQ(directory[directory.find(101, 101, 50)].name, "early");
}

// The traces of different CPUs are read one after the other.
TEST(task_directory, a_start_that_is_read_late_takes_no_name_away) {
    task_directory directory({}, "/nonexistent");
    directory.learn(record(switch_record::kind::named, 100, 100, 45, 0, 0, "brief"));
    directory.learn(record(switch_record::kind::began, 100, 100, 40, 90, 90));
    EXPECT_EQ(directory[directory.find(100, 100, 50)].name, "brief");
    // The name of an earlier task of that number is not its name.
    directory.learn(record(switch_record::kind::began, 100, 100, 60, 90, 90));
    const auto second = directory.find(100, 100, 70);
    directory.settle();
    EXPECT_EQ(directory[second].name, "");
}

TEST(task_directory, a_name_that_is_read_late_is_not_the_last_one) {
    task_directory directory({}, "/nonexistent");
    directory.learn(record(switch_record::kind::named, 100, 100, 45, 0, 0, "second"));
    const auto seen = directory.find(100, 100, 50);
    directory.learn(record(switch_record::kind::named, 100, 100, 44, 0, 0, "first"));
    EXPECT_EQ(directory[seen].name, "second");
    // Nor is that of an earlier task of its number.
    directory.learn(record(switch_record::kind::began, 101, 101, 60, 90, 90));
    directory.learn(record(switch_record::kind::named, 101, 101, 44, 0, 0, "of another"));
    EXPECT_EQ(directory[directory.find(101, 101, 70)].name, "");
}

TEST(task_directory, a_kernel_thread_is_known_though_its_start_is_read_late) {
    task_directory directory({}, "/nonexistent");
    directory.learn(record(switch_record::kind::named, 100, 100, 45, 0, 0, "brief"));
    const auto brief = directory.find(100, 100, 50);
    directory.learn(record(switch_record::kind::began, 100, 100, 40, 2, 2));
    EXPECT_TRUE(directory[brief].kernel);
}

TEST(task_directory, a_task_without_a_name_of_its_own_has_its_parents) {
    task_directory directory({}, "/nonexistent");
    directory.learn(record(switch_record::kind::named, 90, 90, 10, 0, 0, "parent"));
    directory.learn(record(switch_record::kind::began, 100, 100, 40, 90, 90));
    directory.learn(record(switch_record::kind::began, 110, 110, 41, 100, 100));
    const auto grandchild = directory.find(110, 110, 50);
    directory.settle();
    EXPECT_EQ(directory[grandchild].name, "parent");
}

TEST(task_directory, a_number_used_again_is_another_task) {
    task_directory directory({}, "/nonexistent");
    directory.learn(record(switch_record::kind::named, 100, 100, 10, 0, 0, "first"));
    const auto first = directory.find(100, 100, 20);
    directory.learn(record(switch_record::kind::ended, 100, 100, 30));
    directory.settle();
    directory.learn(record(switch_record::kind::began, 100, 100, 40, 90, 90));
    directory.learn(record(switch_record::kind::named, 100, 100, 41, 0, 0, "second"));
    const auto second = directory.find(100, 100, 50);
    EXPECT_NE(first, second);
    EXPECT_EQ(directory[first].name, "first");
    EXPECT_EQ(directory[second].name, "second");
}

TEST(task_directory, forgets_what_ended_only_after_all_traces_were_read) {
    task_directory directory({}, "/nonexistent");
    directory.learn(record(switch_record::kind::began, 100, 100, 40, 2, 2));
    directory.learn(record(switch_record::kind::named, 100, 100, 41, 0, 0, "brief"));
    directory.learn(record(switch_record::kind::ended, 100, 100, 42));
    directory.settle();
    // Its switch is read one round later.
    const auto brief = directory.find(100, 100, 41);
    EXPECT_EQ(directory[brief].name, "brief");
    EXPECT_TRUE(directory[brief].kernel); // process 2 starts the kernel's threads
    directory.learn(record(switch_record::kind::ended, 101, 101, 42));
    directory.learn(record(switch_record::kind::named, 101, 101, 41, 0, 0, "gone"));
    directory.settle();
    directory.settle();
    EXPECT_EQ(directory[directory.find(101, 101, 41)].name, "");
}

TEST(task_history, tells_what_each_task_did_since_the_last_scan) {
    const auto task = [](int tid, std::uint64_t started, std::int64_t run) {
        regatta::task_sample made;
        made.pid = made.tid = tid;
        made.started = started;
        made.run_ns = run;
        made.turns = static_cast<std::uint64_t>(run / 10);
        return made;
    };
    regatta::detail::task_history history;
    EXPECT_TRUE(history.update({task(1, 1, 1000), task(2, 1, 500), task(3, 1, 70)}).empty());
    auto deltas = history.update({task(1, 1, 1300), task(2, 1, 500), task(4, 2, 40)});
    ASSERT_EQ(deltas.size(), 2u);
    EXPECT_EQ(deltas[0].now.tid, 1);
    EXPECT_EQ(deltas[0].run_ns, 300);
    EXPECT_EQ(deltas[0].turns, 30u);
    EXPECT_EQ(deltas[1].now.tid, 4); // new, and all of it is
    EXPECT_EQ(deltas[1].run_ns, 40);
    // The same number, another task.
    deltas = history.update({task(1, 9, 20)});
    ASSERT_EQ(deltas.size(), 1u);
    EXPECT_EQ(deltas[0].run_ns, 20);
}

// A task may die between the reads of its two files: the second one is missing then.
TEST(task_history, a_task_without_its_finer_figures_did_not_do_less_than_nothing) {
    regatta::task_sample task;
    task.pid = task.tid = 1;
    task.run_ns = 1000;
    task.wait_ns = 50;
    task.turns = 100;
    regatta::detail::task_history history;
    history.update({task});
    task.run_ns = 10'000'000;
    task.wait_ns = 0;
    task.turns = 0;
    const auto deltas = history.update({task});
    ASSERT_EQ(deltas.size(), 1u);
    EXPECT_EQ(deltas[0].turns, 0u);
    EXPECT_EQ(deltas[0].wait_ns, 0);
}
