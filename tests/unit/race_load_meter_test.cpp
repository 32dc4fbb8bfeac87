// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/cpu_time.hpp"
#include "machine/family_cpu_time.hpp"
#include "machine/kernel_threads.hpp"
#include "machine/load_meter.hpp"
#include "machine/quiesce.hpp"
#include "support/eventually.hpp"
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

namespace race = regatta::race;

namespace {

/// Uses that much CPU time of the calling thread.
void burn(std::int64_t ns) {
    const auto used = [] {
        timespec t{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
    };
    for (const std::int64_t begin = used(); used() - begin < ns;) {
    }
}

race::load_meter::files nowhere() {
    return {"/nowhere/stat", "/nowhere/cpuacct", "/nowhere/v2"};
}

/// A folder that holds a /proc/stat of the test's own.
class stat_file : public testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("regatta_load_meter_" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    /// The same row for every CPU that this process might run on.
    void write(int busy, int steal) {
        std::ofstream file(folder_ / "stat");
        file << "cpu  9 9 9 9 9 9 9 9 0 0\n";
        for (int cpu = 0; cpu < 1024; ++cpu) {
            file << "cpu" << cpu << ' ' << busy << " 0 0 5 5 0 0 " << steal << " 0 0\n";
        }
    }
    race::load_meter::files where() const {
        auto files = nowhere();
        files.stat = folder_ / "stat";
        return files;
    }

    std::filesystem::path folder_;
};

} // namespace

TEST(race_load_meter, finds_a_source_here) {
    const race::load_meter meter;
    EXPECT_NE(meter.source().find_first_of("0123456789("), std::string::npos) << meter.source();
    EXPECT_GT(meter.resolution_ns(), 0);
}

TEST(race_load_meter, own_work_is_not_others) {
    const race::load_meter meter;
    const auto before = meter.read();
    std::thread other([] { burn(20'000'000); });
    burn(20'000'000);
    other.join();
    const auto after = meter.read();
    EXPECT_GE(after.own_ns - before.own_ns, 40'000'000);
    EXPECT_GT(meter.between(before, after).available_ns, 0);
}

TEST(race_load_meter, a_child_counts_as_others_until_it_was_waited_for) {
    const race::load_meter meter;
    const auto before = meter.read();
    const pid_t child = ::fork();
    if (child == 0) {
        burn(80'000'000);
        ::_exit(0);
    }
    // Until the child has burnt its time; it stays a zombie, so its clock can still be read.
    siginfo_t info{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
    const auto running = meter.between(before, meter.read());
    EXPECT_GT(running.others_ns, 50'000'000);
    EXPECT_TRUE(running.contaminated || running.others_ns < running.available_ns / 20);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_GE(meter.read().own_ns - before.own_ns, 80'000'000);
}

// Such as those of the shell that built this program and then became it.
TEST(race_load_meter, is_not_held_up_by_what_children_have_used) {
    constexpr std::int64_t used_ns = 200'000'000;
    const pid_t child = ::fork();
    if (child == 0) {
        burn(used_ns);
        ::_exit(0);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const std::int64_t before = race::own_cpu_ns();
    const race::load_meter meter;
    EXPECT_LT(race::own_cpu_ns() - before, used_ns / 2);
}

TEST(race_load_meter, says_so_where_nothing_can_be_read) {
    const race::load_meter meter(nowhere());
    EXPECT_EQ(meter.source().substr(0, 4), "none");
    const auto before = meter.read();
    EXPECT_FALSE(meter.between(before, meter.read()).contaminated);
}

TEST_F(stat_file, ticks_of_others_and_of_the_hypervisor_are_seen_above_the_resolution) {
    write(1000, 10);
    const race::load_meter meter(where());
    EXPECT_NE(meter.source().find("/proc/stat"), std::string::npos);
    const auto before = meter.read();
    const auto same = meter.between(before, meter.read());
    EXPECT_EQ(same.others_ns, 0);
    EXPECT_FALSE(same.contaminated);

    write(1001, 10); // one tick a CPU: cannot be told from the reading's own error
    EXPECT_FALSE(meter.between(before, meter.read()).contaminated);

    write(1100, 10);
    const auto busy = meter.between(before, meter.read());
    EXPECT_GT(busy.others_ns, 900'000'000);
    EXPECT_TRUE(busy.contaminated);

    write(1000, 60);
    const auto stolen = meter.between(before, meter.read());
    EXPECT_GE(stolen.stolen_ns, 500'000'000);
    EXPECT_TRUE(stolen.contaminated);
}

TEST_F(stat_file, a_group_that_is_not_the_root_is_not_taken) {
    write(1000, 10);
    auto files = where();
    files.cpuacct = folder_;
    std::ofstream(folder_ / "cpuacct.usage_percpu") << "1000 1000\n"; // no release_agent beside it
    const race::load_meter meter(files);
    EXPECT_NE(meter.source().find("/proc/stat"), std::string::npos);
}

TEST_F(stat_file, a_counter_that_does_not_see_our_own_work_is_not_taken) {
    write(1000, 10);
    auto files = where();
    files.cpuacct = folder_;
    std::ofstream(folder_ / "cpuacct.usage_percpu") << "1000 1000\n";
    std::ofstream(folder_ / "release_agent") << "\n";
    const race::load_meter meter(files);
    EXPECT_NE(meter.source().find("/proc/stat"), std::string::npos);
}

TEST_F(stat_file, a_burst_below_the_resolution_is_not_measurable) {
    write(1000, 10);
    const race::load_meter meter(where());
    race::load_meter::reading before;
    race::load_meter::reading after;
    // Ticks of 10 ms: an hour has many, a millisecond none.
    after.wall_ns = 3'600'000'000'000;
    EXPECT_TRUE(meter.between(before, after).measurable);
    after.wall_ns = 1'000'000;
    EXPECT_FALSE(meter.between(before, after).measurable);
    EXPECT_FALSE(race::load_meter(nowhere()).between(before, after).measurable);
}

/// A counter that grows by a second and more with each look: a pipe of lines as long as what a
/// stream reads at once.
class growing_counter {
public:
    explicit growing_counter(const std::string& path) {
        if (::mkfifo(path.c_str(), 0600) != 0) {
            throw std::system_error(errno, std::generic_category(), path);
        }
        lines_ = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
        ::fcntl(lines_, F_SETPIPE_SZ, 1 << 20);
        for (int seconds = 1;; ++seconds) {
            std::string line = "usage_usec " + std::to_string(seconds) + "000000";
            line.resize(BUFSIZ - 2, ' ');
            line += '\n';
            if (::write(lines_, line.data(), line.size()) <= 0) {
                break; // It is full.
            }
        }
    }
    ~growing_counter() { ::close(lines_); }
    growing_counter(const growing_counter&) = delete;
    growing_counter& operator=(const growing_counter&) = delete;

private:
    int lines_ = -1;
};

// The groups of v2 have the work on all CPUs, of which this process may use one here.
TEST_F(stat_file, what_others_do_on_other_cpus_does_not_count) {
    const regatta::cpu_set all = regatta::affinity_of_this_thread();
    if (::sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        GTEST_SKIP() << "there is one CPU";
    }
    write(1000, 10);
    auto files = where();
    files.unified = folder_ / "groups";
    std::filesystem::create_directories(folder_ / "groups" / "everybody");
    std::ofstream(folder_ / "groups" / "cgroup.controllers") << "cpuset\n";
    const growing_counter counter(folder_ / "groups" / "everybody" / "cpu.stat");
    regatta::pin_this_thread(regatta::cpu_set{*all.begin()});
    const race::load_meter meter(files);
    EXPECT_NE(meter.source().find("v2"), std::string::npos) << meter.source();
    auto before = meter.read();
    auto after = meter.read();
    regatta::pin_this_thread(all);
    EXPECT_GT(after.all_ns, before.all_ns);
    after.own_ns = before.own_ns;
    after.kernel_ns = before.kernel_ns;
    const auto clean = meter.between(before, after);
    EXPECT_FALSE(clean.contaminated) << clean.others_ns;
    EXPECT_FALSE(clean.measurable) << "some µs, by ticks";
    after.ticks_ns += 1'000'000'000;
    EXPECT_TRUE(meter.between(before, after).contaminated);
    after.all_ns = before.all_ns; // They do nothing at all.
    after.wall_ns = before.wall_ns + 100'000'000;
    EXPECT_TRUE(meter.between(before, after).measurable);
    EXPECT_FALSE(meter.between(before, after).contaminated);
}

TEST_F(stat_file, the_kernels_own_threads_are_nobody) {
    const auto process = [&](const std::string& number, const std::string& name, int parent,
                             std::int64_t used) {
        std::filesystem::create_directories(folder_ / number);
        std::ofstream(folder_ / number / "comm") << name << '\n';
        std::ofstream(folder_ / number / "stat")
            << number << " (" << name << ") S " << parent << " 0 0\n";
        std::ofstream(folder_ / number / "schedstat") << used << " 5 6\n";
    };
    process("2", "kthreadd", 0, 1);
    process("7", "kworker/0:1 (a) b", 2, 100);
    process("8", "kswapd0", 2, 1000);
    process("9", "firefox", 1, 10'000);
    process("10", "kdamond.0", 2, 100'000); // they work on their own schedule
    process("11", "ksmd", 2, 1'000'000);
    const race::kernel_threads threads({}, folder_);
    EXPECT_EQ(threads.count(), 2u);
    EXPECT_EQ(threads.cpu_ns(), 1100);
    // Of CPUs 0 to 2 alone: those that can run nowhere else.
    std::ofstream(folder_ / "7" / "status") << "Name:\tkworker\nCpus_allowed_list:\t0-1\n";
    std::ofstream(folder_ / "8" / "status") << "Cpus_allowed_list:\t0-3\n";
    EXPECT_EQ(race::kernel_threads(regatta::cpu_set{0, 1, 2}, folder_).cpu_ns(), 100);
    std::filesystem::remove(folder_ / "7" / "status");
    EXPECT_EQ(race::kernel_threads(regatta::cpu_set{0, 1, 2}, folder_).count(), 0u);
    std::filesystem::remove_all(folder_ / "8"); // it has ended
    EXPECT_EQ(threads.cpu_ns(), 100);
    process("2", "systemd", 0, 1); // in a container another process has that number
    EXPECT_EQ(race::kernel_threads({}, folder_).count(), 0u);
}

TEST(race_load_meter, cpus_beside_those_of_this_process_are_watched_if_asked_for) {
    const regatta::cpu_set all = regatta::affinity_of_this_thread();
    if (all.count() < 2) {
        GTEST_SKIP() << "there is one CPU";
    }
    regatta::pin_this_thread(regatta::cpu_set{*all.begin()});
    const race::load_meter alone;
    const race::load_meter both(all);
    const auto measured = [](const race::load_meter& meter) {
        auto before = meter.read();
        auto after = before;
        after.wall_ns += 1000;
        return meter.between(before, after).available_ns;
    };
    EXPECT_EQ(measured(alone), 1000);
    EXPECT_EQ(measured(both), static_cast<std::int64_t>(1000 * all.count()));
    regatta::pin_this_thread(all);
}

// "CPU time of this process, of its children that were waited for, and of all descendants"
TEST(race_family_cpu_time, a_child_counts_from_its_start) {
    const std::int64_t before = race::family_cpu_ns();
    const pid_t child = ::fork();
    if (child == 0) {
        const pid_t grandchild = ::fork();
        burn(20'000'000);
        if (grandchild == 0) {
            ::pause();
        }
        burn(20'000'000);
        ::kill(grandchild, SIGKILL);
        ::waitpid(grandchild, nullptr, 0);
        ::_exit(0);
    }
    const race::load_meter meter;
    const auto first = meter.read(before);
    siginfo_t info{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
    const std::int64_t living = race::family_cpu_ns();
    EXPECT_GE(living - before, 40'000'000);
    EXPECT_EQ(meter.read(living).own_ns - first.own_ns, living - before);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_GE(race::family_cpu_ns() - before, 40'000'000);
}

TEST(race_load_meter, the_kernel_is_left_out_where_it_is_read_apart) {
    const race::load_meter meter;
    const auto before = meter.kernel_ns();
    const auto own = race::family_cpu_ns();
    EXPECT_EQ(meter.read_without_kernel(own).kernel_ns, 0);
    const auto within = meter.read(own).kernel_ns;
    EXPECT_LE(before, within);
    EXPECT_LE(within, meter.kernel_ns());
}

TEST(race_quiesce, waits_for_spinning_threads_but_not_for_ever) {
    std::atomic<bool> started{false};
    std::atomic<bool> stop{false};
    std::thread spinner([&] {
        started.store(true);
        while (!stop.load()) {
        }
    });
    library_test::await([&] { return started.load(); });
    // On a crowded machine the spinner may be off its CPU for a while, so it gets many chances.
    bool quiet = true;
    for (int i = 0; i < 5000 && quiet; ++i) {
        quiet = race::quiesce(std::chrono::milliseconds(10));
    }
    EXPECT_FALSE(quiet);
    stop.store(true);
    spinner.join();
    EXPECT_TRUE(race::quiesce(std::chrono::seconds(10)));
}
