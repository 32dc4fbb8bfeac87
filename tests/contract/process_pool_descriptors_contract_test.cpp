// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The descriptors of a process pool and its memory, in the program and in its workers.

#include "process_pool_roles.hpp"
#include "support/eventually.hpp"
#include "support/pool_functions.hpp"
#include "support/process_peer.hpp"

#include <regatta/process/process_pool.hpp>
#include <regatta/process/shared_memory.hpp>
#include <regatta/process/subprocess.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <system_error>

namespace descriptor_calls {

int successor(int x) {
    return x + 1;
}
void close_all() {
    for (int number = 3; number < 100; ++number) {
        ::close(number);
    }
}
/// How often it was begun: the first attempt kills its worker.
unsigned dies_once(const regatta::process_task& task) {
    if (task.attempt == 1) {
        ::raise(SIGKILL);
    }
    return task.attempt;
}
/// The exit status of a shell that looks what it has inherited.
int inherits_from_the_pool() {
    return std::system("ls -l /proc/$$/fd | grep -q 'process pool\\|eventfd'");
}

} // namespace descriptor_calls

using pool_test::process_pool;
using namespace descriptor_calls;

namespace {

/// Waits until nothing has the number of a standard stream: what is opened for an instant, or is
/// about to be given another number, goes away.
void await_closed_streams() {
    library_test::eventually("closed streams", [] {
        for (int number = 0; number < 3; ++number) {
            if (::fcntl(number, F_GETFD) != -1 || errno != EBADF) {
                return false;
            }
        }
        return true;
    });
}

} // namespace

int pool_test::work_without_streams() {
    for (int number = 0; number < 3; ++number) {
        ::close(number);
    }
    try {
        for (const bool zygote : {false, true}) {
            regatta::process_pool pool({.workers = 2, .zygote = zygote});
            for (int i = 0; i < 2; ++i) {
                if (pool.submit<successor>(i).get() != i + 1) {
                    return 2;
                }
                await_closed_streams();
                pool.signal_worker(0, SIGKILL);
                pool.signal_worker(1, SIGKILL);
            }
        }
        const std::string name = "regatta_test_streams_" + std::to_string(::getpid());
        const auto made = regatta::shared_memory::create(name, 100, 7);
        const auto opened = regatta::shared_memory::open(name, 7);
        const auto nameless = regatta::shared_memory::anonymous("streams", 100, 7);
        auto child = regatta::spawn({.program = "true"});
        await_closed_streams();
        return child.wait().success() ? 0 : 3;
    } catch (const std::exception&) {
        return 4;
    }
}

// "No descriptor … has the number of a standard stream"
TEST_F(process_pool, leaves_the_numbers_of_standard_streams_alone) {
    EXPECT_EQ(process_test::run({.program = "/proc/self/exe", .arguments = {"--without-streams"}})
                  .status.describe(),
              "exited with status 0");
}

int pool_test::work_without_dev_null() {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", "/dev", "tmpfs", 0, nullptr) != 0) {
        std::printf("cannot mount an empty /dev: %s\n", std::strerror(errno));
        return 77;
    }
    try {
        const regatta::process_pool pool(1);
        std::puts("made a pool");
    } catch (const std::system_error& error) {
        std::puts(error.what());
        return error.code().value() == ENOENT ? 0 : 1;
    }
    return 1;
}

// "The standard input of a worker is empty", and never that of the program.
TEST_F(process_pool, no_empty_standard_input_for_the_workers_is_an_error_at_creation) {
    const auto result =
        process_test::run({.program = "/proc/self/exe", .arguments = {"--without-dev-null"}});
    if (result.status.code() == 77) {
        GTEST_SKIP() << result.output;
    }
    EXPECT_TRUE(result.status.success()) << result.output;
    EXPECT_NE(result.output.find("open /dev/null"), std::string::npos) << result.output;
}

// "A program that a task starts inherits no descriptor of the pool."
TEST_F(process_pool, programs_that_tasks_start_do_not_inherit_its_descriptors) {
    for (const bool zygote : {false, true}) {
        regatta::process_pool pool({.workers = 1, .zygote = zygote});
        const int status = pool.submit<inherits_from_the_pool>().get();
        ASSERT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 1) << "zygote: " << zygote; // grep has found none.
    }
}

// "ends … when it is to report the end of a job, and no wait hangs"
TEST_F(process_pool, a_worker_whose_descriptors_a_task_has_closed_is_replaced) {
    regatta::process_pool pool(1);
    pool.execute<close_all>();
    pool.wait(); // The monitor completes the job, which it hears of by the event.
    library_test::await([&] { return pool.stats().deaths == 1; });
    EXPECT_EQ(pool.stats().run, 1u);
    EXPECT_EQ(pool.stats().reruns, 0u);
    EXPECT_EQ(pool.submit<successor>(1).get(), 2);
}

// "A program may lower its limit of descriptors below those that it has"
TEST_F(process_pool, notices_a_death_under_a_limit_below_the_descriptors_that_are_open) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the check of virtual calls that is built with it looks at memory by a pipe";
#endif
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    regatta::process_pool pool(2);
    auto child = regatta::spawn({.program = "sleep", .arguments = {"1000"}});
    library_test::await([&] { return pool.stats().workers == 2; });
    const rlimit none{0, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    auto attempts = pool.submit<dies_once>();
    const bool came = attempts.wait_for(library_test::patience());
    child.kill(SIGKILL);
    EXPECT_NO_THROW(EXPECT_TRUE(child.wait_for(library_test::patience())));
    ::setrlimit(RLIMIT_NOFILE, &before);
    ASSERT_TRUE(came) << "the death of the worker was not noticed";
    EXPECT_EQ(attempts.get(), 2u);
}
