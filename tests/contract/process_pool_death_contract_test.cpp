// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process_pool_roles.hpp"
#include "support/pool_functions.hpp"
#include "support/pool_storm.hpp"
#include "support/process_peer.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/process/process_pool.hpp>
#include <regatta/process/subprocess.hpp>

#include <gtest/gtest.h>

#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace deadly_calls {

/// Dies in its first attempt at every third task.
std::uint64_t stumble(const regatta::process_task& task, std::uint64_t x) {
    if (task.index % 3 == 0 && task.attempt == 1) {
        ::kill(::getpid(), SIGKILL);
    }
    return pool_test::mixed(x);
}
int poison(int x) {
    if (x == 7) {
        ::raise(SIGABRT);
    }
    if (x == 8) {
        ::_exit(42);
    }
    return x;
}
struct sums {
    long values[8];
};
/// Adds, and dies half-way in its first attempt.
void accumulate(const regatta::process_task& task, int x, sums& to) {
    for (long& value : to.values) {
        value += x;
        if (task.attempt == 1 && task.index % 5 == 0 && &value == &to.values[4]) {
            ::kill(::getpid(), SIGKILL);
        }
    }
}
/// Dies in its first attempt at task 0; else throws.
int die_or_throw(const regatta::process_task& task, int) {
    if (task.index == 0 && task.attempt == 1) {
        ::kill(::getpid(), SIGKILL);
    }
    throw std::runtime_error("attempt " + std::to_string(task.attempt));
}
/// Writes where it must not.
int spoil(std::span<int> input) {
    input[0] = 1;
    return 0;
}
int stop_at_first(const regatta::process_task& task, int x) {
    if (task.attempt == 1 && task.index == 2) {
        ::raise(SIGSTOP);
    }
    return x;
}
int stop_always(int) {
    ::raise(SIGSTOP);
    return 0;
}
/// @returns the user that this process then is.
int change_user() {
    static_cast<void>(::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0);
    return static_cast<int>(::geteuid());
}
int process_number() {
    return ::getpid();
}
regatta::process_task key(const regatta::process_task& task) {
    if (task.attempt < 3) {
        ::kill(::getpid(), SIGKILL);
    }
    return task;
}

} // namespace deadly_calls

using pool_test::process_pool;
using namespace deadly_calls;
using regatta::failure_cause;

namespace {

/// Another process that is this program in a role of its own; see `main`.
process_test::program_result run_as(const std::string& role) {
    return process_test::run({.program = "/proc/self/exe", .arguments = {role}});
}

} // namespace

TEST_F(process_pool, a_task_whose_worker_dies_is_begun_again) { // "loses no task"
    regatta::process_pool pool(2);
    const auto in = pool.allocate_input<std::uint64_t>(60);
    const auto out = pool.allocate<std::uint64_t>(60);
    std::iota(in.begin(), in.end(), 0u);
    pool.map<stumble>(in, out).get();
    for (std::size_t i = 0; i < out.size(); ++i) {
        ASSERT_EQ(out[i], pool_test::mixed(i)) << i;
    }
    EXPECT_EQ(pool.stats().deaths, 20u);
    EXPECT_EQ(pool.stats().reruns, 20u);
    EXPECT_EQ(pool.stats().poisoned, 0u);
}

TEST_F(process_pool, a_task_that_kills_each_worker_fails_alone) {
    regatta::process_pool pool({.workers = 2, .attempts = 4});
    const auto in = pool.allocate_input<int>(20);
    const auto out = pool.allocate<int>(20);
    std::iota(in.begin(), in.end(), 0);
    const auto job = pool.map<poison>(in, out);
    const auto failures = job.failures();
    ASSERT_EQ(failures.size(), 2u);
    EXPECT_EQ(failures[0].task, 7u);
    EXPECT_EQ(failures[0].cause, failure_cause::death);
    EXPECT_EQ(failures[0].signal, SIGABRT);
    EXPECT_EQ(failures[0].attempts, 4u);
    EXPECT_EQ(failures[1].task, 8u);
    EXPECT_EQ(failures[1].signal, 0);
    EXPECT_EQ(failures[1].status, 42);
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(i == 7 || i == 8 || out[static_cast<std::size_t>(i)] == i) << i;
    }
    EXPECT_THROW(job.get(), regatta::task_failed);
    EXPECT_EQ(pool.stats().poisoned, 2u);
    EXPECT_EQ(pool.submit<poison>(3).get(), 3); // The pool lives.
    EXPECT_THROW(pool.submit<poison>(7).get(), regatta::task_failed);
}

TEST_F(process_pool, what_an_attempt_that_died_had_added_is_not_counted) {
    regatta::process_pool pool(2);
    const auto in = pool.allocate_input<int>(25);
    const auto out = pool.allocate<sums>(25);
    std::iota(in.begin(), in.end(), 1);
    pool.map<accumulate>(in, out).get();
    for (std::size_t i = 0; i < out.size(); ++i) {
        for (const long value : out[i].values) {
            ASSERT_EQ(value, static_cast<long>(i) + 1);
        }
    }
    EXPECT_EQ(pool.stats().deaths, 5u);
}

TEST_F(process_pool, a_worker_that_writes_to_the_input_dies_of_it) { // "the input is intact"
    regatta::process_pool pool({.workers = 1, .attempts = 1});
    const auto in = pool.allocate_input<int>(10);
    in[0] = 77;
    auto result = pool.submit<spoil>(in);
    try {
        result.get();
        FAIL() << "nothing was thrown";
    } catch (const regatta::task_failed& error) {
        // The address sanitizer answers the signal and exits.
        EXPECT_TRUE(error.failure().signal == SIGSEGV || pool_test::sanitized) << error.what();
    }
    EXPECT_EQ(in[0], 77);
}

TEST_F(process_pool, each_attempt_has_a_number_of_its_own) { // "an idempotency key"
    regatta::process_pool pool(1);
    const auto last = pool.submit<key>().get();
    EXPECT_EQ(last.attempt, 3u);
    EXPECT_EQ(last.index, 0u);
    EXPECT_GT(last.job, 0u);
}

// "Where more than 16 threw, the first one whose text was kept": also that of a later attempt.
TEST_F(process_pool, keeps_the_text_of_what_a_later_attempt_throws) {
    regatta::process_pool pool(1);
    const auto in = pool.allocate_input<int>(40);
    const auto out = pool.allocate<int>(40);
    for (const std::size_t tasks : {1u, 40u}) {
        const auto job = pool.map<die_or_throw>(in, out, tasks);
        const auto failures = job.failures();
        ASSERT_EQ(failures.size(), tasks);
        EXPECT_EQ(failures[0].attempts, 2u);
        if (tasks == 1) {
            EXPECT_EQ(failures[0].text, "attempt 2");
        }
        try {
            job.get();
            ADD_FAILURE() << "nothing was thrown";
        } catch (const regatta::remote_error& error) {
            EXPECT_EQ(error.type(), "std::runtime_error");
        }
    }
}

TEST_F(process_pool, an_attempt_past_its_deadline_is_killed_and_begun_again) {
    regatta::process_pool pool({.workers = 2, .deadline = std::chrono::milliseconds(200)});
    const auto in = pool.allocate_input<int>(10);
    const auto out = pool.allocate<int>(10);
    std::iota(in.begin(), in.end(), 0);
    pool.map<stop_at_first>(in, out).get(); // A stopped worker never ends by itself.
    EXPECT_EQ(out[2], 2);
    EXPECT_EQ(pool.stats().deadline_kills, 1u);
    auto never = pool.submit<stop_always>(1);
    try {
        never.get();
        FAIL() << "nothing was thrown";
    } catch (const regatta::task_failed& error) {
        EXPECT_EQ(error.failure().cause, failure_cause::deadline);
        EXPECT_EQ(error.failure().attempts, 3u);
    }
}

TEST_F(process_pool, an_idle_worker_that_is_killed_is_replaced) {
    regatta::process_pool pool(1);
    const int first = pool.submit<process_number>().get();
    EXPECT_TRUE(pool.signal_worker(0, SIGTERM));
    library_test::await([&] { return pool.stats().spawned == 2 && pool.stats().workers == 1; });
    EXPECT_NE(pool.submit<process_number>().get(), first);
    EXPECT_FALSE(pool.signal_worker(5, SIGTERM));
    EXPECT_GT(pool.stats().longest_respawn.count(), 0);
    EXPECT_GE(pool.stats().longest_respawn, pool.stats().mean_respawn);
}

TEST_F(process_pool, a_stopped_worker_does_not_keep_the_pool_from_closing) {
    regatta::process_pool pool(2);
    EXPECT_TRUE(pool.signal_worker(0, SIGSTOP));
    pool.close();
    EXPECT_EQ(pool.stats().deaths, 0u); // "That were not told to."
}

// Nor does a close compute while it waits for one: the others have ended by then.
TEST_F(process_pool, a_close_that_waits_for_a_stopped_worker_sleeps) {
    regatta::process_pool pool(3);
    library_test::await([&] { return pool.stats().workers == 3; });
    EXPECT_TRUE(pool.signal_worker(2, SIGSTOP));
    const std::clock_t before = std::clock();
    pool.close();
    EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 8);
}

// A job wakes as many workers as it has tasks. One of them may end instead of looking: another one
// does.
TEST_F(process_pool, a_task_for_which_a_worker_was_woken_that_ends_is_run_by_another) {
    regatta::process_pool pool(2);
    library_test::await([&] { return pool.stats().workers == 2; });
    for (int i = 0; i < 20; ++i) { // After them both sleep.
        pool.submit<process_number>().get();
    }
    EXPECT_TRUE(pool.signal_worker(1, SIGSTOP));
    std::vector<regatta::future<int>> tasks;
    do {
        tasks.push_back(pool.submit<process_number>());
    } while (tasks.back().wait_for(std::chrono::milliseconds(200)) && tasks.size() < 4);
    pool.resize(1); // It is not replaced.
    EXPECT_TRUE(pool.signal_worker(1, SIGKILL));
    EXPECT_TRUE(tasks.back().wait_for(std::chrono::seconds(20)));
}

TEST_F(process_pool, a_worker_that_keeps_dying_is_started_later_each_time) {
    using std::chrono::milliseconds;
    regatta::process_pool pool({.workers = 1, .attempts = 10, .longest_back_off = milliseconds(8)});
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_THROW(pool.submit<poison>(7).get(), regatta::task_failed);
    // "from 1 ms after the third death in a row without a task done": 1, 2, 4, 8, 8, 8, 8 at least.
    EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(39));
    EXPECT_EQ(pool.stats().deaths, 10u);
}

TEST_F(process_pool, gives_up_when_workers_do_not_start) { // "until the pool gives up"
    regatta::process_pool pool({.workers = 2, .worker_program = "/bin/true", .failed_starts = 3});
    auto result = pool.submit<process_number>();
    try {
        result.get();
        FAIL() << "nothing was thrown";
    } catch (const regatta::task_failed& error) {
        EXPECT_EQ(error.failure().cause, failure_cause::no_worker);
        EXPECT_NE(std::string(error.what()).find("exited with status 0"), std::string::npos)
            << error.what();
    }
    std::vector<regatta::future<int>> more; // Also those that wait for a slot.
    for (int i = 0; i < 100; ++i) {
        more.push_back(pool.submit<process_number>());
    }
    for (auto& one : more) {
        EXPECT_THROW(one.get(), regatta::task_failed);
    }
    pool.resize(1); // "has a pool try again that has given up"
    EXPECT_THROW(pool.submit<process_number>().get(), regatta::task_failed);
    EXPECT_GE(pool.stats().deaths, 6u);
    EXPECT_EQ(pool.stats().poisoned, 102u); // "Given up … without workers"
    EXPECT_EQ(pool.stats().cancelled, 0u);
    EXPECT_EQ(pool.stats().run, 0u);
}

// "While one serves, the missing ones are tried again": and who serves is replaced when it dies.
TEST_F(process_pool, a_worker_that_cannot_start_ends_none_that_serves) {
    const unsigned here = *regatta::affinity_of_this_thread().begin();
    regatta::process_pool pool({.workers = 2,
                                .pin = {here, 100000},
                                .longest_back_off = std::chrono::milliseconds(1),
                                .failed_starts = 3});
    library_test::await([&] { return pool.stats().workers == 1 && pool.stats().deaths >= 10; });
    const int first = pool.submit<process_number>().get();
    EXPECT_TRUE(pool.signal_worker(0, SIGKILL));
    EXPECT_NE(pool.submit<process_number>().get(), first);
}

TEST_F(process_pool, says_why_workers_could_not_serve) {
    EXPECT_EQ(run_as("--refused").output, "pin this thread to CPUs '100000'\n");
}

namespace {

/// Kills a parent of workers, and waits until none has its pipe any more.
void expect_no_worker_left_by(const std::string& program, const char* role) {
    const library_test::time_limit limit("workers whose parent was killed");
    process_test::pipe_ends output;
    auto parent = regatta::spawn(
        {.program = program, .arguments = {role}, .standard_output = output.write.get()});
    output.write.reset();
    ASSERT_EQ(output.read_line(), "ready");
    parent.kill(SIGKILL);
    parent.wait();
    EXPECT_EQ(output.read_line(), "");
}

} // namespace

TEST_F(process_pool, the_death_of_its_parent_leaves_no_worker) {
    expect_no_worker_left_by("/proc/self/exe", "--parent");
}

TEST_F(process_pool, the_death_of_its_parent_leaves_no_worker_of_another_user) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "needs root, to change the user";
    }
    expect_no_worker_left_by("/proc/self/exe", "--parent-of-others");
}

// The kernel takes a death signal back where the program that is started has capabilities.
TEST_F(process_pool, the_death_of_a_parent_with_capabilities_leaves_no_worker) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "needs root, to give a program capabilities";
    }
    struct copy_of_this_program {
        std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("regatta_capable_" + std::to_string(::getpid()));
        copy_of_this_program() { std::filesystem::copy_file("/proc/self/exe", path); }
        ~copy_of_this_program() { std::filesystem::remove(path); }
    } const program;
    // CAP_SYS_NICE, permitted and effective; see capabilities(7).
    const std::array<std::uint32_t, 5> capabilities{VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
                                                    1u << CAP_SYS_NICE, 0, 0, 0};
    if (::setxattr(program.path.c_str(), "security.capability", capabilities.data(),
                   sizeof capabilities, 0) != 0) {
        GTEST_SKIP() << "no capabilities can be given to a file here: " << std::strerror(errno);
    }
    expect_no_worker_left_by(program.path, "--parent-unprivileged");
}

TEST_F(process_pool, works_without_privilege) {
    const auto result = run_as("--unprivileged");
    EXPECT_EQ(result.output, "done as user 65534\n");
    EXPECT_TRUE(result.status.success());
}

TEST_F(process_pool, refuses_a_program_whose_main_does_not_ask_whether_it_is_a_worker) {
    const auto result = run_as("--careless");
    EXPECT_EQ(result.output,
              "a process pool starts this program again for its workers: main has to begin with "
              "run_process_worker(argc, argv); or options name a worker_program\n");
}

TEST_F(process_pool, loses_nothing_in_a_storm) { // 2 500 jobs: tests/stress
    pool_test::storm(150);
}

namespace {

int parent_of_workers(std::string_view role) {
    if (role == "--parent-unprivileged" && change_user() != 65534) {
        return 1;
    }
    const unsigned workers = role == "--parent-of-others" ? 1 : 3;
    regatta::process_pool pool(workers);
    library_test::await([&] { return pool.stats().workers == workers; });
    if (role == "--parent-of-others" && pool.submit<change_user>().get() != 65534) {
        return 1;
    }
    std::puts("ready");
    std::fflush(stdout);
    ::pause();
    return 0;
}

int work_unprivileged() {
    if (::geteuid() == 0 && change_user() != 65534) {
        return 1;
    }
    regatta::process_pool pool(2);
    const auto in = pool.allocate_input<std::uint64_t>(60);
    const auto out = pool.allocate<std::uint64_t>(60);
    pool.map<stumble>(in, out).get();
    std::printf("done as user %d\n", static_cast<int>(::geteuid()));
    return 0;
}

int print_refusal(const regatta::process_pool_options& options) {
    try {
        regatta::process_pool pool(options);
        pool.submit<process_number>().get();
    } catch (const regatta::task_failed& error) {
        std::string_view text = error.failure().text;
        text.remove_prefix(text.rfind("the last one: ") + 14);
        std::printf("%s\n", std::string(text.substr(0, text.rfind(": "))).c_str());
    } catch (const std::logic_error& error) {
        std::printf("%s\n", error.what());
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    const std::string_view role = argc > 1 ? argv[1] : "";
    if (role == "--careless") {
        return print_refusal({.workers = 1});
    }
    regatta::run_process_worker(argc, argv);
    if (role.starts_with("--parent")) {
        return parent_of_workers(role);
    }
    if (role == "--unprivileged") {
        return work_unprivileged();
    }
    if (role == "--without" && argc > 2) {
        return pool_test::work_without(argv[2]);
    }
    if (role == "--memory-group" && argc > 2) {
        return pool_test::work_in_memory_group(argv[2]);
    }
    if (role == "--small-shm") {
        return pool_test::work_with_small_shm();
    }
    if (role == "--without-streams") {
        return pool_test::work_without_streams();
    }
    if (role == "--without-dev-null") {
        return pool_test::work_without_dev_null();
    }
    if (role == "--refused") {
        return print_refusal({.workers = 1, .pin = regatta::cpu_set{100000}, .failed_starts = 1});
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
