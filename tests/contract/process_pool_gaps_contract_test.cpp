// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Kernels from Linux 5.4 on, and sandboxes: a filter refuses what they lack, and everything works.

#include "process_pool_roles.hpp"
#include "support/eventually.hpp"
#include "support/forbidden_calls.hpp"
#include "support/pool_functions.hpp"
#include "support/process_peer.hpp"

#include <regatta/process/process_pool.hpp>
#include <regatta/process/shared_memory.hpp>
#include <regatta/process/subprocess.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace gap_calls {

std::uint64_t stumble(const regatta::process_task& task, std::uint64_t x) {
    if (task.index % 10 == 4 && task.attempt == 1) {
        ::kill(::getpid(), SIGKILL);
    }
    return pool_test::mixed(x);
}
int stop(const regatta::process_task& task, int x) {
    if (task.attempt == 1) {
        ::raise(SIGSTOP);
    }
    return x;
}

} // namespace gap_calls

namespace {

using library_test::forbidden_call;
using pool_test::expect;

#ifdef SYS_fcntl64
constexpr long fcntl_call = SYS_fcntl64; ///< The one that the C library makes on 32-bit machines.
#else
constexpr long fcntl_call = SYS_fcntl;
#endif

struct old_kernel {
    std::string_view name;
    std::vector<forbidden_call> lacks;
    std::string_view gaps; ///< As `kernel_gaps` tells them.
};

const std::vector<old_kernel>& old_kernels() {
    constexpr unsigned clone_pidfd = 0x1000;
    static const std::vector<old_kernel> all{
        {"close_range", {{SYS_close_range, ENOSYS}}, "close_range "},
        {"close_range_flag", {{SYS_close_range, EINVAL, 2, 4}}, "close_range "},
        {"procfs_lists", {{SYS_close_range, ENOSYS}, {SYS_getdents64, EPERM}}, "close_range "},
        {"clone3", {{SYS_clone3, ENOSYS}}, ""},
        {"pidfd",
         {{SYS_pidfd_open, ENOSYS},
          {SYS_pidfd_send_signal, ENOSYS},
          {SYS_clone, EINVAL, 0, clone_pidfd}},
         "pidfd_open "},
        {"pidfd_in_a_sandbox",
         {{SYS_pidfd_open, EPERM},
          {SYS_pidfd_send_signal, EPERM},
          {SYS_close_range, EPERM},
          {SYS_clone, EPERM, 0, clone_pidfd}},
         "close_range pidfd_open "},
        {"pidfd_send_signal", {{SYS_pidfd_send_signal, EPERM}}, "pidfd_send_signal "},
        {"memfd", {{SYS_memfd_create, ENOSYS}}, "memfd_create "},
        {"seals", {{fcntl_call, EINVAL, 1, 0, F_ADD_SEALS}}, "seals "},
        {"zygote",
         {{SYS_clone, EPERM, 0, CLONE_PARENT}, {SYS_close_range, ENOSYS}},
         "close_range "},
        {"everything",
         {{SYS_close_range, ENOSYS},
          {SYS_clone3, ENOSYS},
          {SYS_pidfd_open, ENOSYS},
          {SYS_pidfd_send_signal, ENOSYS},
          {SYS_clone, EINVAL, 0, clone_pidfd},
          {SYS_memfd_create, ENOSYS},
          {fcntl_call, EINVAL, 1, 0, F_ADD_SEALS}},
         "close_range pidfd_open memfd_create "},
    };
    return all;
}

/// "Only its standard streams and the requested descriptors", and how it ends.
bool spawns() {
    const int leaked = ::open("/dev/null", O_RDONLY); // Not close-on-exec.
    const auto listed =
        process_test::run({.program = "/bin/sh",
                           .arguments = {"-c", "[ -e /proc/$$/fd/0 ] && [ ! -e /proc/$$/fd/" +
                                                   std::to_string(leaked) + " ] && echo none"}});
    ::close(leaked);
    auto child = regatta::spawn({.program = "sleep", .arguments = {"1000"}});
    pollfd end{child.pidfd(), POLLIN, 0};
    const bool lives = !child.wait_for(std::chrono::milliseconds(1));
    const bool killed = child.kill(SIGTERM);
    const bool told = ::poll(&end, 1, 60'000) == 1;
    return expect(listed.output == "none\n", "the child has no other descriptors") &&
           expect(lives && killed && told && child.wait().signal() == SIGTERM,
                  "a child is killed and waited for") &&
           expect(!child.kill(SIGTERM), "one that was waited for is not killed");
}

bool shares() {
    const auto memory = regatta::shared_memory::anonymous("gaps", 100, 7);
    const auto again = regatta::shared_memory::attach(memory.descriptor(), 7);
    memory.data()[3] = std::byte{9};
    return expect(again.data()[3] == std::byte{9}, "an anonymous segment is shared");
}

bool loses_nothing(bool zygote) {
    regatta::process_pool pool({.workers = 2,
                                .attempts = 20,
                                .deadline = std::chrono::milliseconds(150),
                                .zygote = zygote});
    const auto in = pool.allocate_input<std::uint64_t>(50);
    const auto out = pool.allocate<std::uint64_t>(50);
    std::iota(in.begin(), in.end(), 0u);
    pool.map<gap_calls::stumble>(in, out).get();
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (!expect(out[i] == pool_test::mixed(i), "the results are right")) {
            return false;
        }
    }
    return expect(pool.submit<gap_calls::stop>(5).get() == 5, "a stopped worker is killed") &&
           expect(pool.stats().deaths >= 6 && pool.stats().deadline_kills >= 1,
                  "each death is noticed");
}

} // namespace

int pool_test::work_without(std::string_view name) {
    for (const old_kernel& one : old_kernels()) {
        if (one.name != name) {
            continue;
        }
        const rlimit few{4096, 4096}; // Where nothing lists them, all that there may be are tried.
        ::setrlimit(RLIMIT_NOFILE, &few);
        if (!library_test::forbid(one.lacks)) {
            std::printf("skipped: no filter can be set\n");
            return 77;
        }
        std::string gaps;
        for (const regatta::kernel_gap& gap : regatta::kernel_gaps()) {
            gaps += std::string(gap.what) + " ";
            expect(!gap.instead.empty(), "it says what takes its place");
        }
        if (!expect(gaps == one.gaps, "kernel_gaps names it")) {
            std::printf("it names %s\n", gaps.c_str());
            return 1;
        }
        return spawns() && shares() && loses_nothing(false) && loses_nothing(true) ? 0 : 1;
    }
    return 2;
}

class old_kernel_without : public testing::TestWithParam<std::string_view> {};

TEST_P(old_kernel_without, does_without) { // "no gap keeps … from working"
    const library_test::time_limit limit("a process pool on an older kernel");
    const auto result = process_test::run(
        {.program = "/proc/self/exe", .arguments = {"--without", std::string(GetParam())}});
    if (result.status.code() == 77) {
        GTEST_SKIP() << result.output;
    }
    EXPECT_TRUE(result.status.success()) << result.output << result.status.describe();
}

INSTANTIATE_TEST_SUITE_P(process_pool, old_kernel_without,
                         testing::Values("close_range", "close_range_flag", "procfs_lists",
                                         "clone3", "pidfd", "pidfd_in_a_sandbox",
                                         "pidfd_send_signal", "memfd", "seals", "zygote",
                                         "everything"),
                         [](const auto& one) { return std::string(one.param); });

TEST(kernel_gaps, are_none_on_a_new_kernel) { // "Empty on Linux 5.11 or later"
    for (const regatta::kernel_gap& gap : regatta::kernel_gaps()) {
        GTEST_SKIP() << "this kernel refuses " << gap.what;
    }
}

TEST(kernel_gaps, are_no_more_where_descriptors_have_run_out) { // "A lack … is no refusal"
    const std::size_t before = regatta::kernel_gaps().size();
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlimit none{0, limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    const auto gaps = regatta::kernel_gaps();
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_LE(gaps.size(), before) << gaps.back().what;
}
