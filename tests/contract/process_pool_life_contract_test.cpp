// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The life of a process pool: what its workers get, how many there are, several users, its end.

#include "support/eventually.hpp"
#include "support/pool_functions.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/process/process_pool.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace life_calls {

std::uint64_t mix(std::uint64_t x) {
    return pool_test::mixed(x);
}
int add(int a, int b) {
    return a + b;
}
void fill(std::span<int> to, int value) {
    for (int& one : to) {
        one = value;
    }
}
int read_from(int descriptor) {
    char byte = 0;
    return ::read(descriptor, &byte, 1) == 1 ? byte : -1;
}
struct surroundings {
    char variable[16];
    char folder[64];
    char thread[16];
    int policy;
    int nice;
    int cpus;
    bool may_print;
    unsigned long memory;
};
surroundings look_around() {
    surroundings found{};
    std::snprintf(found.variable, sizeof found.variable, "%s", std::getenv("POOL_TEST"));
    static_cast<void>(!::getcwd(found.folder, sizeof found.folder));
    found.policy = ::sched_getscheduler(0);
    found.nice = ::getpriority(PRIO_PROCESS, 0);
    found.cpus = static_cast<int>(regatta::affinity_of_this_thread().count());
    struct sigaction at_output {};
    ::sigaction(SIGTTOU, nullptr, &at_output);
    found.may_print = at_output.sa_handler == SIG_IGN;
    rlimit limit{};
    ::getrlimit(RLIMIT_DATA, &limit);
    found.memory = limit.rlim_cur;
    return found;
}
int allocate(std::size_t bytes) {
    std::vector<char> much(bytes, 'x');
    return much[bytes / 2];
}

} // namespace life_calls

using pool_test::process_pool;

TEST_F(process_pool, workers_get_what_the_options_say) {
    // The sanitizers need more address space than that.
    const std::size_t limit = pool_test::sanitized ? 0 : 512u << 20;
    regatta::process_pool_options options{.workers = 1,
                                          .worker_memory = limit,
                                          .pin = regatta::affinity_of_this_thread(),
                                          .schedule = {regatta::scheduling_policy::batch, 19},
                                          .directory = "/tmp"};
    options.environment.set("POOL_TEST", "there");
    regatta::process_pool pool(options);
    const auto found = pool.submit<life_calls::look_around>().get();
    EXPECT_STREQ(found.variable, "there");
    EXPECT_STREQ(found.folder, "/tmp");
    EXPECT_EQ(found.policy, SCHED_BATCH);
    EXPECT_EQ(found.nice, 19);
    EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
    EXPECT_EQ(found.cpus, 1);
    EXPECT_TRUE(found.may_print)
        << "after `stty tostop` the terminal would stop a worker that prints";
    EXPECT_EQ(pool.submit<life_calls::allocate>(std::size_t{1} << 20).get(), 'x');
    if (limit != 0) { // "how much memory of its own a worker may allocate"
        EXPECT_EQ(found.memory, limit);
        try {
            static_cast<void>(pool.submit<life_calls::allocate>(std::size_t{1} << 30).get());
            FAIL() << "nothing was thrown";
        } catch (const regatta::remote_error& error) {
            EXPECT_EQ(error.type(), "std::bad_alloc");
        }
    }
}

// "as they are when the pool is made": also for a worker that takes the place of one that died.
TEST_F(process_pool, later_workers_find_what_the_first_ones_found) {
    namespace fs = std::filesystem;
    const auto here = fs::current_path();
    const fs::path folder = testing::TempDir() + "pool_" + std::to_string(::getpid());
    fs::create_directories(folder / "below");
    fs::create_symlink(fs::read_symlink("/proc/self/exe"), folder / "program");
    ::setenv("POOL_TEST", "first", 1);
    fs::current_path(folder);
    regatta::process_pool pool(
        {.workers = 1, .directory = "below", .worker_program = "./program", .failed_starts = 1});
    fs::current_path(here);
    ::setenv("POOL_TEST", "later", 1);
    library_test::await([&] { return pool.stats().workers == 1; });
    ASSERT_TRUE(pool.signal_worker(0, SIGKILL));
    library_test::await([&] { return pool.stats().deaths == 1; });
    const auto found = pool.submit<life_calls::look_around>().get();
    EXPECT_STREQ(found.variable, "first");
    EXPECT_EQ(found.folder, folder / "below");
    ::unsetenv("POOL_TEST");
    fs::remove_all(folder);
}

TEST_F(process_pool, workers_inherit_descriptors) { // "under numbers from 16 on"
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    {
        regatta::process_pool pool({.workers = 1, .descriptors = {{ends[0], 20}}});
        ASSERT_EQ(::write(ends[1], "y", 1), 1);
        EXPECT_EQ(pool.submit<life_calls::read_from>(20).get(), 'y');
        EXPECT_EQ(pool.submit<life_calls::read_from>(21).get(), -1);
        // "the pool keeps copies": one that takes the place of another gets them, too.
        const int reader = ::fcntl(ends[0], F_DUPFD_CLOEXEC, 0);
        const int other = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
        ASSERT_EQ(::dup3(other, ends[0], O_CLOEXEC), ends[0]);
        ASSERT_TRUE(pool.signal_worker(0, SIGKILL));
        library_test::await([&] { return pool.stats().deaths == 1; });
        ASSERT_EQ(::write(ends[1], "z", 1), 1);
        EXPECT_EQ(pool.submit<life_calls::read_from>(20).get(), 'z');
        ::close(other);
        ::close(reader);
    }
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_F(process_pool, resizes) {
    regatta::process_pool pool(1);
    pool.resize(3);
    library_test::await([&] { return pool.stats().workers == 3; });
    EXPECT_EQ(pool.size(), 3u);
    pool.resize(1);
    library_test::await([&] { return pool.stats().workers == 1; });
    EXPECT_EQ(pool.submit<life_calls::add>(1, 2).get(), 3);
    EXPECT_EQ(pool.stats().deaths, 0u);
    EXPECT_THROW(pool.resize(0), std::invalid_argument);
}

TEST_F(process_pool, a_closed_pool_refuses_and_its_jobs_stay) {
    regatta::process_job job;
    EXPECT_THROW(job.wait(), std::logic_error);
    regatta::future<int> late;
    {
        regatta::process_pool pool({.workers = 2, .name = "closing"});
        const auto in = pool.allocate_input<std::uint64_t>(10);
        const auto out = pool.allocate<std::uint64_t>(10);
        job = pool.map<life_calls::mix>(in, out);
        late = pool.submit<life_calls::add>(1, 1);
        pool.close();
        EXPECT_TRUE(late.ready()); // "waits for those that there are"
        EXPECT_THROW(pool.submit<life_calls::add>(1, 1), std::logic_error);
        EXPECT_EQ(pool.name(), "closing");
    }
    EXPECT_TRUE(job.done());
    EXPECT_EQ(job.progress(), 10u);
    EXPECT_EQ(late.get(), 2);
}

TEST_F(process_pool, two_pools_are_independent) {
    regatta::process_pool one(1);
    regatta::process_pool two(1);
    auto first = one.submit<life_calls::add>(1, 1);
    EXPECT_EQ(two.submit<life_calls::add>(2, 2).get(), 4);
    EXPECT_EQ(first.get(), 2);
    const auto foreign = two.allocate<int>(10);
    EXPECT_THROW(one.submit<life_calls::fill>(foreign, 1), std::invalid_argument);
}

TEST_F(process_pool, many_threads_use_it_at_once) {
    regatta::process_pool pool(2);
    std::vector<std::thread> users;
    for (int t = 0; t < 4; ++t) {
        users.emplace_back([&pool, t] {
            const auto in = pool.allocate_input<std::uint64_t>(64);
            const auto out = pool.allocate<std::uint64_t>(64);
            for (int round = 0; round < 30; ++round) {
                std::iota(in.begin(), in.end(), static_cast<std::uint64_t>(100 * t + round));
                const auto job = pool.map<life_calls::mix>(in, out);
                ASSERT_EQ(pool.submit<life_calls::add>(t, round).get(), t + round);
                job.get();
                ASSERT_EQ(out[63],
                          pool_test::mixed(static_cast<std::uint64_t>(100 * t + round + 63)));
            }
            pool.release(in);
            pool.release(out);
        });
    }
    for (auto& user : users) {
        user.join();
    }
}

TEST_F(process_pool, several_threads_close_it_at_once) { // "Threads: any, at once"
    regatta::process_pool pool(1);
    std::atomic<int> closed{0};
    std::vector<std::thread> closers;
    for (int t = 0; t < 3; ++t) {
        closers.emplace_back([&] {
            EXPECT_NO_THROW(pool.close());
            EXPECT_EQ(pool.stats().workers, 0u);
            ++closed;
        });
    }
    for (auto& closer : closers) {
        closer.join();
    }
    EXPECT_EQ(closed.load(), 3);
}

// "Jobs … have as much for themselves, and at least 1 MiB"
TEST_F(process_pool, runs_jobs_however_little_memory_it_gives_out) {
    regatta::process_pool pool({.workers = 1, .shared_memory = 1});
    const auto elements = pool.allocate<char>(4096);
    EXPECT_THROW(pool.allocate<char>(1), std::system_error);
    std::vector<regatta::future<int>> all;
    for (int i = 0; i < 1000; ++i) {
        all.push_back(pool.submit<life_calls::add>(i, 1));
    }
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(all[static_cast<std::size_t>(i)].get(), i + 1);
    }
    pool.release(elements);
}

// A worker may be the child of a script, as of one that watches it.
TEST_F(process_pool, its_workers_may_be_started_by_a_script) {
    namespace fs = std::filesystem;
    const fs::path script = testing::TempDir() + "script_" + std::to_string(::getpid());
    std::ofstream(script) << "#!/bin/sh\n'" << fs::read_symlink("/proc/self/exe").string()
                          << "' \"$@\"\nexit $?\n";
    fs::permissions(script, fs::perms::owner_all);
    {
        regatta::process_pool pool({.workers = 2, .worker_program = script, .failed_starts = 1});
        library_test::await([&] { return pool.stats().workers == 2; });
        for (int i = 0; i < 20; ++i) { // They sleep in between.
            pool.submit<life_calls::look_around>().get();
        }
        EXPECT_EQ(pool.stats().deaths, 0u);
    }
    fs::remove(script);
}

TEST_F(process_pool, refuses_options_that_make_no_sense) {
    EXPECT_THROW(regatta::process_pool({.workers = 1000}), std::invalid_argument);
    EXPECT_THROW(regatta::process_pool({.workers = 1, .attempts = 0}), std::invalid_argument);
    EXPECT_THROW(regatta::process_pool({.workers = 1, .deadline = std::chrono::nanoseconds(-1)}),
                 std::invalid_argument);
    EXPECT_THROW(regatta::process_pool({.workers = 1, .descriptors = {{0, 15}}}),
                 std::invalid_argument);
    EXPECT_THROW(regatta::process_pool({.workers = 1, .descriptors = {{-1, 16}}}),
                 std::invalid_argument);
    EXPECT_THROW(regatta::process_pool({.workers = 1, .descriptors = {{987, 16}}}),
                 std::system_error);
    EXPECT_THROW(regatta::process_pool({.workers = 1, .worker_program = "/no/such/program"}),
                 std::system_error);
    EXPECT_THROW(regatta::process_pool({.workers = 1, .shared_memory = SIZE_MAX}),
                 std::system_error);
}
