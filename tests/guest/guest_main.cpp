// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// The first and only program of a guest: makes the machine ready, runs the tests that the kernel's
/// command line names (`regatta.tests=FILTER`, as --gtest_filter) and switches the machine off.

#include "guest.hpp"

#include <gtest/gtest.h>

#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

void mount_or_say(const char* type, const char* path, const char* options = nullptr) {
    ::mkdir(path, 0755);
    if (::mount(type, path, type, 0, options) != 0) {
        std::printf("guest: cannot mount %s on %s: %s\n", type, path, std::strerror(errno));
    }
}

void make_machine_ready() {
    mount_or_say("proc", "/proc");
    mount_or_say("sysfs", "/sys");
    mount_or_say("devtmpfs",
                 "/dev"); // The kernel does not mount it for a first program in a RAM disk.
    mount_or_say("tmpfs", "/run");
    mount_or_say("tmpfs", "/tmp");
    if (guest::boot_word("regatta.cgroups") == "v1") {
        mount_or_say("tmpfs", "/sys/fs/cgroup");
        mount_or_say("cgroup", "/sys/fs/cgroup/cpuset", "cpuset");
        mount_or_say("cgroup", "/sys/fs/cgroup/cpu", "cpu");
    } else {
        mount_or_say("cgroup2", "/sys/fs/cgroup");
    }
}

/// Runs in a child of the first program: a test that crashes must not take the kernel with it.
int run_tests(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    const std::string filter = guest::boot_word("regatta.tests");
    if (!filter.empty()) {
        GTEST_FLAG_SET(filter, filter);
    }
    GTEST_FLAG_SET(color, "no");
    const int status = RUN_ALL_TESTS();
    const auto& result = *::testing::UnitTest::GetInstance();
    std::printf("guest: %d passed, %d failed, %d skipped\n", result.successful_test_count(),
                result.failed_test_count(), result.skipped_test_count());
    return status;
}

} // namespace

int main(int argc, char** argv) {
    if (::getpid() != 1) {
        std::fputs("guest_tests is the first program of a virtual machine, started by boot_guest\n",
                   stderr);
        return 2;
    }
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    make_machine_ready();
    if (const pid_t child = ::fork(); child == 0) {
        ::setsid();
        const int status = run_tests(argc, argv);
        std::fflush(nullptr);
        ::_exit(status);
    } else {
        // Orphans of the tests become this program's children, so there can be others before it.
        int status = 0;
        for (pid_t ended = 0; ended != child;) {
            ended = ::wait(&status);
        }
        if (WIFSIGNALED(status)) {
            std::printf("guest: the tests were ended by signal %d\n", WTERMSIG(status));
        }
    }
    std::fflush(nullptr);
    ::reboot(RB_POWER_OFF);
}
