// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What a process pool does while workers cannot be started or are stopped in their sleep, and about
// forks of a worker.

#include "support/eventually.hpp"
#include "support/pool_functions.hpp"

#include <regatta/process/process_job.hpp>
#include <regatta/process/process_pool.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace recovery_calls {

int same(int x) {
    return x;
}
int own_process() {
    return ::getpid();
}
int end_worker(int) {
    ::raise(SIGKILL);
    return 0;
}
/// Ends when the file is there.
int await_file(const std::array<char, 64>& name) {
    library_test::await([&] { return ::access(name.data(), F_OK) == 0; });
    return ::getpid();
}
/// Returns in a fork as in the worker, or throws there. @returns how the fork ended.
int fork_and_leave(bool throws) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (throws) {
            throw std::runtime_error("left by an exception");
        }
        return 77;
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
}
void fork_and_write(int from, int& to) {
    to = 2 * from;
    const pid_t child = ::fork();
    if (child == 0) {
        to = -1;
        return;
    }
    ::waitpid(child, nullptr, 0);
}

} // namespace recovery_calls

using pool_test::process_pool;
using namespace recovery_calls;

namespace {

/// Another name of this program, which can be away for some time.
class program_name {
public:
    program_name() { give(); }
    program_name(const program_name&) = delete;
    program_name& operator=(const program_name&) = delete;
    ~program_name() { take(); }
    void give() const {
        std::filesystem::create_symlink(std::filesystem::read_symlink("/proc/self/exe"), path);
    }
    void take() const noexcept { ::unlink(path.c_str()); }

    const std::string path = testing::TempDir() + "pool_program_" + std::to_string(::getpid());
};

/// A file whose presence ends the next process of this program that is told of it, before its
/// `main`; that process takes it away.
class ends_next {
public:
    void give() const { ::close(::open(path.c_str(), O_CREAT | O_CLOEXEC, 0600)); }

    static constexpr const char* variable = "POOL_TEST_ENDS_NEXT";
    const std::string path = testing::TempDir() + "pool_ends_next_" + std::to_string(::getpid());
};
const bool goes_on = [] {
    const char* const file = std::getenv(ends_next::variable);
    if (file != nullptr && ::unlink(file) == 0) {
        ::_exit(EXIT_FAILURE);
    }
    return true;
}();

/// Ends all workers, which are ready.
void kill_all(regatta::process_pool& pool) {
    const auto before = pool.stats().deaths;
    for (unsigned i = 0; i < pool.size(); ++i) {
        EXPECT_TRUE(pool.signal_worker(i, SIGKILL));
    }
    library_test::await([&] { return pool.stats().deaths == before + pool.size(); });
}

void expect_no_worker(regatta::future<int> task) {
    try {
        task.get();
        FAIL() << "nothing was thrown";
    } catch (const regatta::task_failed& error) {
        EXPECT_EQ(error.failure().cause, regatta::failure_cause::no_worker);
        EXPECT_NE(std::string_view(error.what()).find("spawn '"), std::string_view::npos)
            << error.what();
    }
}

/// Stops a worker, which has no task.
void stop(regatta::process_pool& pool, unsigned worker) {
    EXPECT_TRUE(pool.signal_worker(worker, SIGSTOP));
    siginfo_t how{};
    EXPECT_EQ(::waitid(P_ALL, 0, &how, WSTOPPED), 0);
    EXPECT_EQ(how.si_status, SIGSTOP);
}

/// A pool of so many workers that have nothing to do.
void await_idle(regatta::process_pool& pool) {
    library_test::await([&] { return pool.stats().workers == pool.size(); });
    for (int i = 0; i < 20; ++i) {
        pool.submit<own_process>().get();
    }
}

} // namespace

TEST_F(process_pool, gives_up_when_workers_cannot_be_spawned) { // "tries that started none"
    program_name program;
    regatta::process_pool pool({.workers = 2,
                                .worker_program = program.path,
                                .longest_back_off = std::chrono::milliseconds(1),
                                .failed_starts = 3});
    library_test::await([&] { return pool.stats().workers == 2; });
    program.take();
    kill_all(pool);
    expect_no_worker(pool.submit<same>(1));
    expect_no_worker(pool.submit<same>(2)); // Also of a pool that has given up before.
    program.give();
    pool.resize(2);
    EXPECT_EQ(pool.submit<same>(3).get(), 3);
}

// "workers in a row did not become ready": one that does ends the row.
TEST_F(process_pool, does_not_give_up_while_every_other_start_succeeds) {
    const ends_next failure;
    regatta::process_pool pool({.workers = 1,
                                .environment = regatta::process_environment::inherited().set(
                                    ends_next::variable, failure.path),
                                .failed_starts = 2});
    for (unsigned round = 1; round <= 3; ++round) {
        EXPECT_EQ(pool.submit<same>(5).get(), 5);
        failure.give();
        EXPECT_TRUE(pool.signal_worker(0, SIGKILL));
        library_test::await([&] { return pool.stats().deaths == 2 * round; });
    }
    EXPECT_EQ(pool.submit<same>(5).get(), 5);
}

// The same where the one that did lives on.
TEST_F(process_pool, does_not_give_up_where_a_start_succeeds_between_those_that_fail) {
    const std::string folder = testing::TempDir() + "pool_starts_" + std::to_string(::getpid());
    std::filesystem::create_directory(folder);
    ASSERT_EQ(::mkfifo((folder + "/go").c_str(), 0600), 0);
    const std::string program = folder + "/program";
    std::ofstream(program) << "#!/bin/sh\ncd " << folder
                           << "\necho >> starts$2\nn=$(wc -l < starts$2)\n"
                              "[ $2 = 0 ] && [ $n -le 2 ] && exit 1\n"
                              "[ $2 = 1 ] && [ $n = 1 ] && { read go < go; exit 1; }\n"
                              "exec "
                           << std::filesystem::read_symlink("/proc/self/exe").string()
                           << " \"$@\"\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    {
        const library_test::time_limit limit("a worker that waits for a word");
        regatta::process_pool pool({.workers = 2, .worker_program = program, .failed_starts = 3});
        library_test::await([&] { return pool.stats().workers == 1; }); // After two failures.
        ::close(::open((folder + "/go").c_str(), O_WRONLY | O_CLOEXEC));
        library_test::await([&] { return pool.stats().workers == 2; }); // After the third.
        EXPECT_EQ(pool.stats().deaths, 3u);
    }
    std::filesystem::remove_all(folder);
}

// "However many workers are missing, a failed try counts once": here 12 tries take 6 s, while each
// worker for itself would have tried once more after half a second.
TEST_F(process_pool, outlives_a_short_time_in_which_no_worker_can_be_spawned) {
    program_name program;
    regatta::process_pool pool({.workers = 12,
                                .worker_program = program.path,
                                .longest_back_off = std::chrono::milliseconds(500),
                                .failed_starts = 12});
    library_test::await([&] { return pool.stats().workers == 12; });
    program.take();
    kill_all(pool);
    auto task = pool.submit<same>(4);
    EXPECT_FALSE(task.wait_for(std::chrono::milliseconds(800))); // It waits for a worker.
    program.give();
    EXPECT_EQ(task.get(), 4);
}

// "all of it passes before the next try", "until resize"
TEST_F(process_pool, a_pause_without_end_is_not_cut_short) {
    program_name program;
    regatta::process_pool pool({.workers = 1,
                                .worker_program = program.path,
                                .longest_back_off = std::chrono::milliseconds::max(),
                                .failed_starts = 2});
    library_test::await([&] { return pool.stats().workers == 1; });
    program.take();
    kill_all(pool);
    auto task = pool.submit<same>(5);
    EXPECT_FALSE(task.wait_for(std::chrono::milliseconds(300))); // The pool has not given up.
    program.give();
    pool.resize(1);
    EXPECT_EQ(task.get(), 5);
}

// A deadline beyond the clock: the pauses between deaths still end.
TEST_F(process_pool, starts_workers_again_whatever_the_deadline) {
    regatta::process_pool pool(
        {.workers = 1, .attempts = 5, .deadline = std::chrono::nanoseconds::max()});
    EXPECT_THROW(pool.submit<end_worker>(6).get(), regatta::task_failed);
    EXPECT_EQ(pool.stats().deaths, 5u);
    EXPECT_EQ(pool.submit<same>(6).get(), 6);
}

// "in the place of one that has not it wakes all others"
TEST_F(process_pool, sleepers_that_are_stopped_keep_no_task_from_the_others) {
    regatta::process_pool pool(4);
    await_idle(pool);
    for (unsigned worker = 0; worker < 3; ++worker) {
        stop(pool, worker);
    }
    const int healthy = pool.submit<own_process>().get();
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(pool.submit<own_process>().get(), healthy);
    }
    EXPECT_EQ(pool.stats().deaths, 0u);
}

TEST_F(process_pool, sleepers_that_are_all_stopped_are_killed_by_the_deadline) {
    regatta::process_pool pool({.workers = 2, .deadline = std::chrono::milliseconds(200)});
    await_idle(pool);
    stop(pool, 0);
    stop(pool, 1);
    EXPECT_EQ(pool.submit<same>(5).get(), 5);
    EXPECT_GE(pool.stats().deadline_kills, 1u);
    EXPECT_EQ(pool.stats().reruns, 0u); // No attempt was lost.
}

// "a fork that returns from the function, or throws, ends there"
TEST_F(process_pool, a_fork_that_leaves_the_function_of_a_task_ends_there) {
    for (const bool zygote : {false, true}) {
        regatta::process_pool pool({.workers = 1, .zygote = zygote});
        for (const bool throws : {false, true}) {
            const int status = pool.submit<fork_and_leave>(throws).get();
            EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILURE) << status;
        }
        const auto in = pool.allocate_input<int>(3);
        const auto out = pool.allocate<int>(3);
        in[2] = 21;
        pool.map<fork_and_write>(in, out).get();
        EXPECT_EQ(out[2], 42);
        EXPECT_EQ(pool.stats().run, 5u);
        EXPECT_EQ(pool.stats().deaths, 0u);
    }
}

// "In a child of fork … map, submit, execute … throw": also where another thread was at the memory.
TEST_F(process_pool, a_fork_is_refused_jobs_while_other_threads_allocate) {
    if (REGATTA_THREAD_SANITIZER) {
        GTEST_SKIP() << "the thread sanitizer itself may hold a lock of its stack depot at the "
                        "fork, and the child waits for it: one of some 5,000";
    }
    regatta::process_pool pool(1);
    const auto in = pool.allocate_input<int>(4);
    const auto out = pool.allocate<int>(4);
    std::atomic<bool> over{false};
    std::thread other([&] {
        while (!over) {
            pool.release(pool.allocate<int>(100'000)); // Under the lock most of the time.
        }
    });
    for (int forks = 0; forks < 10; ++forks) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::signal(SIGALRM, SIG_DFL);
            ::alarm(5);
            try {
                pool.map<same>(in, out);
            } catch (const std::system_error& error) {
                ::_exit(error.code() == std::errc::no_such_process ? 0 : 1);
            }
            ::_exit(2);
        }
        int status = -1;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    over = true;
    other.join();
}

// "In a child of fork the pool is inert … leave the workers to the parent"
TEST_F(process_pool, a_fork_of_the_parent_leaves_the_pool_alone) {
    std::array<char, 64> name{};
    std::snprintf(name.data(), name.size(), "/dev/shm/regatta_test_fork_%d", ::getpid());
    auto pool = std::make_unique<regatta::process_pool>(
        regatta::process_pool_options{.workers = 2, .attempts = 1});
    library_test::await([&] { return pool->stats().workers == 2; });
    auto running = pool->submit<await_file>(name);
    const auto in = pool->allocate_input<int>(1);
    const auto out = pool->allocate<int>(1);
    const auto job = pool->map<same>(in, out);
    job.wait();
    const pid_t child = ::fork();
    if (child == 0) {
        int refused = 0;
        const auto is_refused = [&](auto&& call) {
            try {
                call();
            } catch (const std::system_error& error) {
                refused += error.code() == std::errc::no_such_process ? 1 : 0;
            }
        };
        ::alarm(20);
        is_refused([&] { static_cast<void>(pool->submit<own_process>()); });
        is_refused([&] { pool->execute<own_process>(); });
        is_refused([&] { pool->map<same>(in, out); });
        is_refused([&] { pool->wait(); });
        is_refused([&] { pool->resize(3); });
        is_refused([&] { pool->allocate<int>(1); });
        is_refused([&] { pool->release(out); });
        const bool inert = refused == 7 && !pool->signal_worker(0, SIGKILL) && job.cancel() == 0 &&
                           job.done() && pool->stats().spawned == 0;
        pool->close();
        pool.reset();
        ::_exit(inert ? 0 : 1);
    }
    ASSERT_GT(child, 0);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_GT(pool->submit<own_process>().get(), 0);
    ::close(::open(name.data(), O_CREAT | O_CLOEXEC, 0600));
    EXPECT_GT(running.get(), 0);
    EXPECT_EQ(pool->stats().deaths, 0u);
    ::unlink(name.data());
}
