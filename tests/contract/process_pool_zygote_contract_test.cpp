// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Workers that are copies of a process that waits with the program loaded.

#include "support/pool_functions.hpp"

#include <regatta/base/detail/system_files.hpp>
#include <regatta/process/process_pool.hpp>

#include <gtest/gtest.h>

#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <string>
#include <string_view>

namespace copied_calls {

std::uint64_t stumble(const regatta::process_task& task, std::uint64_t x) {
    if (task.index % 3 == 0 && task.attempt == 1) {
        ::kill(::getpid(), SIGKILL);
    }
    return pool_test::mixed(x);
}
int process_number() {
    return ::getpid();
}
int parent_number() {
    return ::getppid();
}
/// 0: the C library knows the thread by its true number, which mutexes rest on.
int thread_number_of_worker() {
    pthread_mutexattr_t kind;
    pthread_mutex_t mutex;
    ::pthread_mutexattr_init(&kind);
    ::pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    ::pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    ::pthread_mutex_init(&mutex, &kind);
    ::pthread_mutex_lock(&mutex);
    const int owner = mutex.__data.__owner;
    ::pthread_mutex_unlock(&mutex);
    return owner == static_cast<int>(::syscall(SYS_gettid)) ? 0 : owner;
}

} // namespace copied_calls

using pool_test::process_pool;
using namespace copied_calls;

namespace {

/// The child of this process whose first argument is that of a zygote; 0: there is none.
int child_called(std::string_view pool) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string number = entry.path().filename().string();
        if (number.find_first_not_of("0123456789") != std::string::npos) {
            continue;
        }
        // Nothing of a process that ends meanwhile.
        using regatta::detail::read_small_file;
        const std::string words = read_small_file(entry.path() / "cmdline").value_or("");
        const std::string state = read_small_file(entry.path() / "status").value_or("");
        // A copy has the same words, and serves under a name of its own.
        if (words.find(std::string("--regatta-pool-zygote") + '\0' + "0" + '\0' +
                       std::string(pool) + '\0') != std::string::npos &&
            state.find("PPid:\t" + std::to_string(::getpid()) + "\n") != std::string::npos &&
            state.find("Name:\t" + std::string(pool) + "/") == std::string::npos) {
            return std::stoi(number);
        }
    }
    return 0;
}

/// For a process that has no privilege, which limits do not bind. @returns its exit status.
int lack_processes_for_a_time() {
    if (::geteuid() == 0 &&
        (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0)) {
        return 77;
    }
    regatta::process_pool pool({.workers = 1, .zygote = true});
    pool.submit<copied_calls::process_number>().get();
    const int zygote = child_called("pool");
    rlimit before{};
    if (zygote == 0 || ::prlimit(zygote, RLIMIT_NPROC, nullptr, &before) != 0) {
        return 77;
    }
    const rlimit none{1, before.rlim_max};
    for (const rlimit& limit : {none, before}) {
        const auto spawned = pool.stats().spawned;
        ::prlimit(zygote, RLIMIT_NPROC, &limit, nullptr);
        pool.signal_worker(0, SIGKILL);
        library_test::await([&] { return pool.stats().spawned > spawned; });
        pool.submit<copied_calls::process_number>().get();
    }
    return pool_test::expect(pool.stats().spawned == 3, "each that died was replaced") &&
                   pool_test::expect(pool.stats().copied == 2, "one of them by no copy")
               ? 0
               : 1;
}

} // namespace

TEST_F(process_pool, workers_may_be_copies_of_one_that_waits) { // "a zygote"
    regatta::process_pool pool({.workers = 2, .zygote = true});
    const auto in = pool.allocate_input<std::uint64_t>(60);
    const auto out = pool.allocate<std::uint64_t>(60);
    std::iota(in.begin(), in.end(), 0u);
    pool.map<copied_calls::stumble>(in, out).get();
    for (std::size_t i = 0; i < out.size(); ++i) {
        ASSERT_EQ(out[i], pool_test::mixed(i)) << i;
    }
    const auto stats = pool.stats();
    EXPECT_EQ(stats.deaths, 20u);
    if (stats.copied != 0) { // The thread sanitizer has a thread, so that nothing is copied.
        EXPECT_EQ(stats.copied, stats.spawned);
        EXPECT_EQ(pool.submit<parent_number>().get(), ::getpid()); // "a child of the parent"
    }
    EXPECT_EQ(pool.submit<thread_number_of_worker>().get(), 0);
}

TEST_F(process_pool, a_zygote_that_dies_is_replaced) {
    regatta::process_pool pool({.workers = 1, .zygote = true});
    for (int i = 0; i < 3; ++i) {
        pool.submit<copied_calls::process_number>().get();
        const int zygote = child_called("pool");
        if (zygote == 0) {
            GTEST_SKIP() << "nothing is copied here";
        }
        ASSERT_EQ(::kill(zygote, SIGKILL), 0);
        EXPECT_TRUE(pool.signal_worker(0, SIGKILL));
        EXPECT_GT(pool.submit<copied_calls::process_number>().get(), 0);
    }
    EXPECT_EQ(pool.stats().copied, pool.stats().spawned);
}

// "`SIGCHLD` is ignored": nothing is left of the zygote to wait for.
TEST_F(process_pool, a_zygote_that_the_kernel_has_buried_is_replaced) {
    const auto before = ::signal(SIGCHLD, SIG_IGN);
    {
        regatta::process_pool pool({.workers = 1, .zygote = true});
        for (int i = 0; i < 8; ++i) {
            EXPECT_GT(pool.submit<copied_calls::process_number>().get(), 0);
            const int zygote = child_called("pool");
            if (zygote == 0) {
                break; // Nothing is copied here.
            }
            EXPECT_EQ(::kill(zygote, SIGKILL), 0);
            // The pool's thread sees its end now, or else as it starts the next worker.
            EXPECT_GT(pool.submit<copied_calls::process_number>().get(), 0);
            EXPECT_TRUE(pool.signal_worker(0, SIGKILL));
        }
    }
    ::signal(SIGCHLD, before);
}

// "each worker is started by itself" where the kernel refuses copies, not where it lacks something.
TEST_F(process_pool, a_zygote_outlives_a_short_time_in_which_it_cannot_be_copied) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(30);
        const int status = lack_processes_for_a_time();
        std::fflush(nullptr);
        ::_exit(status);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        GTEST_SKIP() << "nothing is copied here, or no limit can be set";
    }
    EXPECT_EQ(status, 0);
}
