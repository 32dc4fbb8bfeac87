// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/cpu_activity.hpp"
#include "machine/observer.hpp"
#include "machine/pressure.hpp"
#include "machine/process_activity.hpp"
#include "machine/run_queue.hpp"
#include "machines.hpp"
#include "support/eventually.hpp"

#include <gtest/gtest.h>

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>

namespace race = regatta::race;
using library_test::machine_files;
using library_test::machine_root;
using regatta::cpu_set;

namespace {

/// Three of four CPUs online, as a kernel of today shows them.
machine_files four_cpus() {
    machine_files files;
    files.file("/proc/stat", "cpu  600 30 300 6000 60 12 18 90 20 0\n"
                             "cpu0 200 10 100 2000 20 4 6 30 20 0\n"
                             "cpu1 200 10 100 2000 20 4 6 30 0 0\n"
                             "cpu3 200 10 100 2000 20 4 6 30 0 0\n"
                             "intr 99 1 2 3\n"
                             "ctxt 123456\n"
                             "btime 1700000000\n"
                             "processes 4321\n"
                             "procs_running 3\n"
                             "procs_blocked 1\n"
                             "softirq 5 1 1 1 1 1\n");
    files.file("/proc/loadavg", "0.75 1.50 12.25 3/456 7890\n");
    files.file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 2.60GHz\n"
                                "cpu MHz\t\t: 2599.996\n\nprocessor\t: 1\ncpu MHz\t\t: 800.5\n\n"
                                "processor\t: 3\n\n");
    files.cpu_file("cpu1/cpufreq/scaling_cur_freq", "3400000")
        .cpu_file("cpu3/cpufreq/scaling_cur_freq", "1200000");
    return files;
}

/// What a thread did so far.
struct task_figures {
    char state = 'S';
    unsigned cpu = 0;
    std::int64_t run_ns = 0;
    std::int64_t wait_ns = 0;
    int turns = 1;
    int voluntary = 0;
    int involuntary = 0;
    int migrations = 0;
    std::string children{};
    int started = 1000;
};

machine_files& add_task(machine_files& files, int pid, int tid, const std::string& name,
                        const task_figures& figures) {
    const auto text = [](auto number) { return std::to_string(number); };
    const std::string folder = "/proc/" + text(pid) + "/task/" + text(tid);
    files.file(folder + "/stat", text(tid) + " (" + name + ") " + figures.state +
                                     " 1 0 0 0 -1 4194304 0 0 0 0 3 4 0 0 20 0 1 0 " +
                                     text(figures.started) + " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 " +
                                     text(figures.cpu) + " 0 0 0 0 0 0\n");
    files.file(folder + "/schedstat",
               text(figures.run_ns) + ' ' + text(figures.wait_ns) + ' ' + text(figures.turns));
    files.file(folder + "/status", "Name:\t" + name + "\nTgid:\t" + text(pid) +
                                       "\nCpus_allowed:\tb\nCpus_allowed_list:\t0-1,3\n"
                                       "voluntary_ctxt_switches:\t" +
                                       text(figures.voluntary) + "\nnonvoluntary_ctxt_switches:\t" +
                                       text(figures.involuntary) + "\n");
    files.file(folder + "/sched", name + " (" + text(tid) +
                                      ", #threads: 2)\n-----\nse.exec_start    :   1.5\n"
                                      "se.nr_migrations                :   " +
                                      text(figures.migrations) + "\nnr_switches   :   9\n");
    return files.file(folder + "/children", figures.children);
}

constexpr std::int64_t second = 1'000'000'000;

} // namespace

TEST(pressure, is_read_for_each_resource) {
    machine_files files;
    files.file("/proc/pressure/cpu", "some avg10=1.53 avg60=3.00 avg300=0.25 total=2500000\n"
                                     "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
    files.file("/proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=7\n");
    const machine_root root(files);
    const race::pressure now = race::read_pressure(root.path());
    ASSERT_TRUE(now.cpu);
    EXPECT_DOUBLE_EQ(now.cpu->some.avg10, 1.53);
    EXPECT_DOUBLE_EQ(now.cpu->some.avg60, 3.0);
    EXPECT_DOUBLE_EQ(now.cpu->some.avg300, 0.25);
    EXPECT_EQ(now.cpu->some.total_us, 2'500'000);
    ASSERT_TRUE(now.cpu->full);
    EXPECT_EQ(now.cpu->full->total_us, 0);
    EXPECT_FALSE(now.memory); // no such file
    ASSERT_TRUE(now.io);
    EXPECT_FALSE(now.io->full); // kernels before 5.13 have none for CPUs
}

TEST(pressure, what_is_no_pressure_file_is_absent) {
    for (const char* text :
         {"", "some\n", "some avg10=x avg60=0 avg300=0 total=0\n", "some avg10=1 avg60=1 total=3\n",
          "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
          "some avg10=1 avg60=1 avg300=1 total=-3\n"}) {
        const machine_root root(machine_files().file("/proc/pressure/cpu", text));
        EXPECT_FALSE(race::read_pressure(root.path()).cpu) << text;
    }
    EXPECT_FALSE(race::read_pressure("/nonexistent").memory);
}

TEST(pressure, the_share_between_two_readings_is_exact) {
    race::pressure_stall before;
    before.some.total_us = 1'000'000;
    race::pressure_stall after;
    after.some.total_us = 1'250'000;
    EXPECT_DOUBLE_EQ(*race::stalled_share(before, after, second), 0.25);
    EXPECT_DOUBLE_EQ(*race::stalled_share(after, before, second), 0);
    EXPECT_DOUBLE_EQ(*race::stalled_share(before, after, second / 100), 1); // clocks differ a bit
    EXPECT_FALSE(race::stalled_share(std::nullopt, after, second));
    EXPECT_FALSE(race::stalled_share(before, std::nullopt, second));
    EXPECT_FALSE(race::stalled_share(before, after, 0));
}

TEST(cpu_activity, reads_the_counters_and_clocks_of_each_cpu) {
    const machine_root root(four_cpus());
    const race::cpu_activity now = race::read_cpu_activity(root.path());
    ASSERT_EQ(now.cpus.size(), 3u);
    EXPECT_EQ(now.cpus[2].cpu, 3u);
    EXPECT_EQ(now.cpus[0].user, 210); // the time of guests is part of it already
    EXPECT_EQ(now.cpus[0].system, 100);
    EXPECT_EQ(now.cpus[0].interrupt, 10);
    EXPECT_EQ(now.cpus[0].steal, 30);
    EXPECT_EQ(now.cpus[0].iowait, 20);
    EXPECT_EQ(now.cpus[0].idle, 2000);
    EXPECT_EQ(now.all.idle, 6000);
    ASSERT_EQ(now.clocks.size(), 3u);
    EXPECT_DOUBLE_EQ(now.clocks[0].value(), 2599.996);
    EXPECT_DOUBLE_EQ(now.clocks[1].value(), 800.5); // which costs no call to the CPU
    EXPECT_DOUBLE_EQ(now.clocks[2].value(), 1200);
    const machine_root untold(four_cpus()
                                  .remove("/proc/cpuinfo")
                                  .remove("/sys/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq"));
    const auto clocks = race::read_cpu_activity(untold.path()).clocks;
    EXPECT_FALSE(clocks.at(0));
    EXPECT_DOUBLE_EQ(clocks.at(1).value(), 3400);
    EXPECT_FALSE(clocks.at(2));
    EXPECT_TRUE(race::read_cpu_activity("/nonexistent").cpus.empty());
}

TEST(cpu_activity, shares_sum_to_one) {
    const race::cpu_counters before{0, 100, 100, 100, 100, 100, 100};
    const race::cpu_counters after{0, 150, 120, 110, 105, 105, 110};
    const auto shares = race::shares_between(before, after);
    ASSERT_TRUE(shares);
    EXPECT_DOUBLE_EQ(shares->user, 0.5);
    EXPECT_DOUBLE_EQ(shares->system, 0.2);
    EXPECT_DOUBLE_EQ(shares->interrupt, 0.1);
    EXPECT_DOUBLE_EQ(shares->steal, 0.05);
    EXPECT_DOUBLE_EQ(shares->iowait, 0.05);
    EXPECT_DOUBLE_EQ(shares->idle, 0.1);
    EXPECT_DOUBLE_EQ(shares->busy(), 0.8);
}

TEST(cpu_activity, no_tick_means_no_share_and_counters_may_go_back) {
    const race::cpu_counters before{0, 100, 100, 100, 100, 100, 100};
    EXPECT_FALSE(race::shares_between(before, before));
    race::cpu_counters after = before;
    after.idle = 90; // as after a CPU was off for a while
    EXPECT_FALSE(race::shares_between(before, after));
    after.user = 110;
    EXPECT_DOUBLE_EQ(race::shares_between(before, after)->user, 1);
}

TEST(cpu_activity, a_cpu_that_has_just_come_has_no_shares) {
    race::cpu_activity before;
    before.cpus = {{0, 0, 0, 0, 0, 0, 10}, {2, 0, 0, 0, 0, 0, 10}};
    before.clocks = {std::nullopt, std::nullopt};
    race::cpu_activity after;
    after.cpus = {{1, 5, 0, 0, 0, 0, 10}, {2, 5, 0, 0, 0, 0, 15}};
    after.clocks = {1000, 2000};
    const auto uses = race::use_between(before, after);
    ASSERT_EQ(uses.size(), 2u);
    EXPECT_EQ(uses[0].cpu, 1u);
    EXPECT_FALSE(uses[0].shares);
    EXPECT_EQ(uses[1].cpu, 2u);
    EXPECT_DOUBLE_EQ(uses[1].shares.value().user, 0.5);
    EXPECT_EQ(uses[1].clock_mhz, 2000);
}

TEST(run_queue, is_read_from_two_files) {
    const machine_root root(four_cpus());
    const auto now = race::read_run_queue(root.path());
    ASSERT_TRUE(now);
    EXPECT_EQ(now->runnable, 3u);
    EXPECT_EQ(now->blocked, 1u);
    EXPECT_EQ(now->tasks, 456u);
    EXPECT_DOUBLE_EQ(now->load[0], 0.75);
    EXPECT_DOUBLE_EQ(now->load[2], 12.25);
    EXPECT_EQ(now->switches, 123456);
}

TEST(run_queue, what_cannot_be_understood_is_absent) {
    EXPECT_FALSE(race::read_run_queue("/nonexistent"));
    for (const char* text : {"", "0.1 0.2", "a b c 1/2 3"}) {
        const machine_root root(four_cpus().file("/proc/loadavg", text));
        EXPECT_FALSE(race::read_run_queue(root.path())) << text;
    }
}

TEST(process_activity, finds_the_threads_of_a_process_and_of_its_descendants) {
    machine_files files;
    add_task(files, 20, 20, "make", {.children = "30 "});
    add_task(files, 20, 21, "a (b) c",
             {.state = 'R',
              .cpu = 3,
              .run_ns = 5,
              .wait_ns = 6,
              .turns = 7,
              .voluntary = 8,
              .involuntary = 9,
              .migrations = 10});
    add_task(files, 30, 30, "cc", {.children = "40 20 "}); // 20: a number given anew, no circle
    add_task(files, 40, 40, "as", {});
    add_task(files, 50, 50, "foreign", {});
    const machine_root root(files);
    const auto threads = race::read_process_activity(20, root.path());
    ASSERT_EQ(threads.size(), 4u);
    EXPECT_EQ(threads[0].task.tid, 20);
    EXPECT_EQ(threads[2].task.tid, 30);
    EXPECT_EQ(threads[3].task.tid, 40);
    const race::thread_activity& one = threads[1];
    EXPECT_EQ(one.task.name, "a (b) c");
    EXPECT_EQ(one.task.state, 'R');
    EXPECT_EQ(one.task.cpu, 3u);
    EXPECT_EQ(one.task.run_ns, 5);
    EXPECT_EQ(one.task.wait_ns, 6);
    EXPECT_EQ(one.allowed, (cpu_set{0, 1, 3}));
    EXPECT_EQ(one.voluntary, 8);
    EXPECT_EQ(one.involuntary, 9);
    EXPECT_EQ(one.migrations, 10);
    EXPECT_TRUE(race::read_process_activity(99, root.path()).empty());
}

TEST(process_activity, what_the_kernel_does_not_count_is_absent) {
    machine_files files;
    add_task(files, 20, 20, "old", {.run_ns = 0, .turns = 0});
    files.remove("/proc/20/task/20/sched").remove("/proc/20/task/20/status");
    const machine_root root(files);
    const auto threads = race::read_process_activity(20, root.path());
    ASSERT_EQ(threads.size(), 1u);
    EXPECT_FALSE(threads[0].migrations);
    EXPECT_FALSE(threads[0].voluntary);
    EXPECT_FALSE(threads[0].allowed);
    const auto uses = race::use_between({}, threads, second);
    EXPECT_FALSE(uses[0].wait);
    EXPECT_FALSE(uses[0].migrations);
}

TEST(process_activity, two_readings_make_shares_and_rates) {
    const auto reading = [](const task_figures& figures) {
        machine_files files;
        add_task(files, 20, 20, "x", figures);
        const machine_root root(files);
        return race::read_process_activity(20, root.path());
    };
    const auto before = reading({.run_ns = second, .wait_ns = 100, .voluntary = 10});
    const auto after = reading({.run_ns = second + second / 2,
                                .wait_ns = 100 + second / 4,
                                .voluntary = 13,
                                .involuntary = 4,
                                .migrations = 2});
    const auto uses = race::use_between(before, after, second);
    ASSERT_EQ(uses.size(), 1u);
    EXPECT_DOUBLE_EQ(uses[0].use, 0.5);
    EXPECT_DOUBLE_EQ(uses[0].wait.value(), 0.25);
    EXPECT_EQ(uses[0].voluntary, 3);
    EXPECT_EQ(uses[0].involuntary, 4);
    EXPECT_EQ(uses[0].migrations, 2);
    // Another thread that was given the number: all of it happened meanwhile.
    const auto other = reading({.run_ns = second / 10, .voluntary = 4, .started = 2000});
    EXPECT_DOUBLE_EQ(race::use_between(before, other, second)[0].use, 0.1);
    EXPECT_EQ(race::use_between(before, other, second)[0].voluntary, 4);
}

TEST(process_activity, tells_what_a_process_was_started_as) {
    machine_files files;
    files.file("/proc/20/cmdline", std::string("./server\0--port\0"
                                               "80\0",
                                               19));
    files.file("/proc/2/cmdline", "").file("/proc/2/comm", "kthreadd\n");
    add_task(files, 20, 21, "worker", {});
    files.file("/proc/21/status", "Name:\tworker\nTgid:\t20\nPid:\t21\n");
    const machine_root root(files);
    EXPECT_EQ(race::title_of_process(20, root.path()), "./server --port 80");
    EXPECT_EQ(race::title_of_process(2, root.path()), "[kthreadd]");
    EXPECT_EQ(race::title_of_process(3, root.path()), "");
    EXPECT_EQ(race::process_of_task(21, root.path()), 20);
    EXPECT_FALSE(race::process_of_task(22, root.path()));
}

TEST(observer, compares_each_look_with_the_one_before) {
    machine_files files = four_cpus();
    add_task(files, 20, 20, "x", {.run_ns = 0});
    const machine_root root(files);
    race::observer observer(20, root.path());
    race::observation seen = observer.observe();
    EXPECT_FALSE(seen.all); // nothing has happened
    EXPECT_DOUBLE_EQ(seen.switches_a_second.value(), 0);
    ASSERT_TRUE(seen.process);
    EXPECT_TRUE(seen.process->alive);
    EXPECT_EQ(seen.process->processes(), 1u);
    std::ofstream(root.path() + "/proc/stat") << "cpu  601 30 300 6003 60 12 18 90 20 0\n"
                                                 "cpu0 201 10 100 2003 20 4 6 30 20 0\n"
                                                 "ctxt 123556\nprocs_running 1\n";
    std::filesystem::remove_all(root.path() + "/proc/20");
    seen = observer.observe();
    ASSERT_TRUE(seen.all);
    EXPECT_DOUBLE_EQ(seen.all->user, 0.25);
    ASSERT_EQ(seen.cpus.size(), 1u);
    EXPECT_DOUBLE_EQ(seen.cpus[0].shares.value().idle, 0.75);
    EXPECT_GT(seen.switches_a_second.value(), 0);
    EXPECT_EQ(seen.queue.value().runnable, 1u);
    EXPECT_FALSE(seen.process->alive);
    EXPECT_TRUE(seen.process->threads.empty());
    EXPECT_FALSE(observer.observe().all);
}

TEST(observer, keeps_the_stalls_of_each_resource_apart) {
    const auto line = [](std::int64_t total_us) {
        return "some avg10=0 avg60=0 avg300=0 total=" + std::to_string(total_us) + "\n";
    };
    const std::string resources[] = {"cpu", "memory", "io"};
    machine_files files = four_cpus();
    for (const std::string& resource : resources) {
        files.file("/proc/pressure/" + resource, line(5));
    }
    const machine_root root(files);
    race::observer observer({}, root.path());
    for (const std::string& resource : resources) {
        std::ofstream(root.path() + "/proc/pressure/" + resource) << line(second * second / 1000);
        const race::pressure_shares stalled = observer.observe().stalled;
        EXPECT_EQ(stalled.cpu, resource == "cpu" ? 1 : 0);
        EXPECT_EQ(stalled.memory, resource == "memory" ? 1 : 0);
        EXPECT_EQ(stalled.io, resource == "io" ? 1 : 0);
    }
}

TEST(observer, what_ended_meanwhile_is_not_lost) {
    const auto stat = [](int ticks, int children) {
        return "20 (x) S 1 0 0 0 -1 4194304 0 0 0 0 " + std::to_string(ticks) + " 2 " +
               std::to_string(children) +
               " 1 20 0 1 0 1000 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0\n";
    };
    machine_files files = four_cpus();
    add_task(files, 20, 20, "x", {});
    const machine_root root(files.file("/proc/20/stat", stat(10, 5)));
    EXPECT_EQ(race::cpu_ns_of(race::read_process_activity(20, root.path()), root.path()),
              18 * second / ::sysconf(_SC_CLK_TCK));
    race::observer observer(20, root.path());
    std::ofstream(root.path() + "/proc/20/stat") << stat(200, 300);
    const race::observation seen = observer.observe();
    const auto elapsed = static_cast<double>(seen.elapsed_ns);
    EXPECT_DOUBLE_EQ(seen.process->threads.at(0).use, 0);
    EXPECT_DOUBLE_EQ(seen.process->cpus_used,
                     485e9 / static_cast<double>(::sysconf(_SC_CLK_TCK)) / elapsed);
    std::ofstream(root.path() + "/proc/20/stat") << stat(0, 0); // an orphan took its time along
    EXPECT_DOUBLE_EQ(observer.observe().process->cpus_used, 0);
}

TEST(observer, a_thread_that_only_waits_to_be_collected_has_ended) {
    machine_files files = four_cpus();
    add_task(files, 20, 20, "x", {.state = 'Z'});
    const machine_root root(files);
    EXPECT_FALSE(race::observer(20, root.path()).observe().process->alive);
    add_task(files, 20, 21, "y", {}); // the first thread has ended, the process has not
    const machine_root lives(files);
    EXPECT_TRUE(race::observer(20, lives.path()).observe().process->alive);
}

TEST(observer, sees_this_process_on_this_machine) {
    race::observer observer(::getpid());
    std::atomic<int> id{0};
    std::atomic<bool> stop{false};
    std::thread spinner([&] {
        id = ::gettid();
        while (!stop) {
        }
    });
    library_test::await([&] { return id != 0; });
    const race::observation seen = observer.observe();
    stop = true;
    spinner.join();
    ASSERT_TRUE(seen.process);
    EXPECT_TRUE(seen.process->alive);
    bool found = false;
    for (const race::thread_use& one : seen.process->threads) {
        found = found || one.now.task.tid == id;
    }
    EXPECT_TRUE(found);
    EXPECT_FALSE(seen.cpus.empty());
    EXPECT_TRUE(seen.queue);
    EXPECT_GE(seen.process->cpus_used, 0);
}
