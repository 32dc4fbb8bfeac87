// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Memory that runs out: of a control group, whose worker the kernel kills, and of /dev/shm.

#include "process_pool_roles.hpp"
#include "support/eventually.hpp"
#include "support/forbidden_calls.hpp"
#include "support/pool_functions.hpp"
#include "support/process_peer.hpp"

#include <regatta/base/detail/cgroup_files.hpp>
#include <regatta/base/detail/system_files.hpp>
#include <regatta/process/process_pool.hpp>
#include <regatta/process/shared_memory.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace hungry_calls {

/// Fills that much memory of its own in its first attempts.
int take_memory(const regatta::process_task& task, std::size_t megabytes, unsigned hungry) {
    if (task.attempt <= hungry) {
        std::vector<char> much(megabytes << 20);
        for (std::size_t i = 0; i < much.size(); i += 4096) {
            much[i] = 1;
        }
    }
    return static_cast<int>(task.attempt);
}

struct an_exception_with_a_name_too_long_for_a_small_string : std::bad_alloc {};
/// Leaves no memory, not even for the name of what it throws.
int take_all_memory() {
    // In the heap, where the small blocks that are left cannot be got in another way.
    for (std::size_t bytes = std::size_t{1} << 20; bytes >= 16; bytes /= 2) {
        while (void* const block = std::malloc(bytes)) {
            std::memset(block, 1, bytes);
        }
    }
    throw an_exception_with_a_name_too_long_for_a_small_string();
}

} // namespace hungry_calls

using pool_test::expect;
using pool_test::process_pool;

namespace {

constexpr std::size_t group_megabytes = 64;

bool write_to(const std::string& path, const std::string& text) {
    const regatta::detail::unique_descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    return file &&
           ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// A control group below this process's, with a limit of memory.
class memory_group {
public:
    memory_group() {
        namespace detail = regatta::detail;
        const auto groups = detail::read_small_file("/proc/self/cgroup");
        const auto mounts = detail::read_small_file("/proc/self/mountinfo");
        for (const auto text : detail::split(groups ? std::string_view(*groups) : "", '\n')) {
            const auto line = detail::parse_cgroup_line(text);
            if (!line || !mounts || !(line->v2() || line->has("memory"))) {
                continue;
            }
            const auto mount = detail::find_cgroup_mount(*mounts, line->v2(), "memory", line->path);
            const std::string bytes = std::to_string(group_megabytes << 20);
            if (!mount) {
                continue;
            }
            folder_ = mount->point + detail::group_below_mount(*mount, line->path) +
                      "/regatta_test_" + std::to_string(::getpid());
            made_ = ::mkdir(folder_.c_str(), 0755) == 0;
            // Without swap, where there is some.
            write_to(folder_ + "/memory.swap.max", "0");
            write_to(folder_ + "/memory.swappiness", "0");
            if (made_ && write_to(folder_ + (line->v2() ? "/memory.max" : "/memory.limit_in_bytes"),
                                  bytes)) {
                usable_ = true;
                return;
            }
            remove();
        }
    }
    memory_group(const memory_group&) = delete;
    memory_group& operator=(const memory_group&) = delete;
    ~memory_group() { remove(); }

    bool usable() const noexcept { return usable_; }
    const std::string& folder() const noexcept { return folder_; }

private:
    void remove() {
        if (made_) {
            // The kernel keeps a group for a moment after the end of its last process.
            library_test::await([&] { return ::rmdir(folder_.c_str()) == 0 || errno != EBUSY; });
            made_ = false;
        }
    }

    std::string folder_;
    bool made_ = false;
    bool usable_ = false;
};

/// The error number that an action ends with.
template<class Action>
int error_of(Action action) {
    try {
        action();
    } catch (const std::system_error& error) {
        return error.code().value();
    }
    return 0;
}

} // namespace

int pool_test::work_in_memory_group(const std::string& folder) {
    if (!write_to(folder + "/cgroup.procs", "0")) {
        std::printf("cannot enter %s\n", folder.c_str());
        return 77;
    }
    regatta::process_pool pool({.workers = 1, .attempts = 2});
    const std::size_t much = 4 * group_megabytes;
    // "Room": no kill of this process.
    const int refusal = error_of([&] { regatta::shared_memory::create("/much", much << 20, 1); });
    bool good = expect(refusal == ENOMEM || refusal == ENOSPC, // of a small /dev/shm
                       "a named segment beyond the group's limit is refused");
    // Killed once, and done in the second attempt; then killed in each.
    good = expect(pool.submit<hungry_calls::take_memory>(much, 1u).get() == 2,
                  "the task is begun again") &&
           good;
    good = expect(pool.stats().memory_kills == 1, "the death counts as one for memory") && good;
    try {
        pool.submit<hungry_calls::take_memory>(much, 2u).get();
        good = expect(false, "a task that takes too much in each attempt fails");
    } catch (const regatta::task_failed& error) {
        good =
            expect(error.failure().cause == regatta::failure_cause::memory, error.what()) && good;
    }
    // A SIGKILL of somebody else's is none.
    library_test::await([&] { return pool.stats().workers == 1; });
    good = expect(pool.signal_worker(0, SIGKILL), "there is a worker to kill") && good;
    good =
        expect(pool.submit<hungry_calls::take_memory>(1, 0u).get() == 1, "the pool lives") && good;
    library_test::await([&] { return pool.stats().deaths == 4; });
    good = expect(pool.stats().memory_kills == 3, "other deaths do not count as such") && good;
    return good ? 0 : 1;
}

TEST(process_pool_memory, a_kill_by_the_kernel_for_memory_counts_as_what_it_is) {
    const library_test::time_limit limit("workers that a control group kills");
    if (pool_test::sanitized) {
        GTEST_SKIP() << "the sanitizers need more memory than that";
    }
    const memory_group group;
    if (!group.usable()) {
        GTEST_SKIP() << "needs root and a control group with a limit of memory";
    }
    const auto result = process_test::run(
        {.program = "/proc/self/exe", .arguments = {"--memory-group", group.folder()}});
    if (result.status.code() == 77) {
        GTEST_SKIP() << result.output;
    }
    EXPECT_TRUE(result.status.success()) << result.output << result.status.describe();
}

int pool_test::work_with_small_shm() {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", "/dev/shm", "tmpfs", 0, "size=1m") != 0) {
        std::printf("cannot mount a small /dev/shm: %s\n", std::strerror(errno));
        return 77;
    }
    constexpr std::size_t much = 8u << 20;
    bool good =
        expect(error_of([] { regatta::shared_memory::create("/large", much, 1); }) == ENOSPC,
               "a named segment that is too large is refused");
    {
        // "Nothing of /dev/shm": far more than that has.
        regatta::process_pool pool(1);
        const auto out = pool.allocate<char>(much);
        std::memset(out.data(), 1, out.size());
        good = expect(pool.submit<hungry_calls::take_memory>(1, 0u).get() == 1, "a pool works") &&
               good;
    }
    // Where its memory has to be in /dev/shm, too much is an error, and no access dies of SIGBUS.
    if (!library_test::forbid({{SYS_memfd_create, ENOSYS}})) {
        std::printf("no filter can be set\n");
        return 77;
    }
    good = expect(error_of([] { regatta::shared_memory::anonymous("large", much, 1); }) == ENOSPC,
                  "an anonymous segment that does not fit is refused") &&
           good;
    if (::mount("none", "/dev/shm", "tmpfs", 0, "size=64k") != 0) {
        return 77;
    }
    good = expect(error_of([] { regatta::process_pool pool(1); }) == ENOSPC,
                  "a pool whose control memory does not fit is refused") &&
           good;
    if (::mount("none", "/dev/shm", "tmpfs", 0, "size=4m") != 0) {
        return 77;
    }
    regatta::process_pool pool(1);
    good = expect(error_of([&] { pool.allocate<char>(much); }) == ENOSPC,
                  "what does not fit is not given out") &&
           good;
    const auto some = pool.allocate<char>(4096);
    std::memset(some.data(), 1, some.size());
    good =
        expect(pool.submit<hungry_calls::take_memory>(1, 0u).get() == 1, "the pool works") && good;
    return good ? 0 : 1;
}

TEST(process_pool_memory, a_small_dev_shm_is_an_error_at_creation) { // "no later access fails"
    const library_test::time_limit limit("a pool with a small /dev/shm");
    const auto result =
        process_test::run({.program = "/proc/self/exe", .arguments = {"--small-shm"}});
    if (result.status.code() == 77) {
        GTEST_SKIP() << result.output;
    }
    EXPECT_TRUE(result.status.success()) << result.output << result.status.describe();
}

// "An exception comes back by name and text", also the one that says that there is no memory.
TEST_F(process_pool, an_exception_for_want_of_memory_comes_back) {
    if (pool_test::sanitized) {
        GTEST_SKIP() << "the sanitizer's allocator has memory of its own";
    }
    regatta::process_pool pool({.workers = 1, .worker_memory = std::size_t{64} << 20});
    auto task = pool.submit<hungry_calls::take_all_memory>();
    try {
        task.get();
        FAIL() << "nothing was thrown";
    } catch (const regatta::remote_error& error) {
        EXPECT_NE(error.failure().type.find("an_exception_with_a_name_too_long_for_a_small_string"),
                  std::string::npos)
            << error.what();
    }
    EXPECT_EQ(pool.stats().deaths, 0u);
}

// "Or a sixteenth of this process's limit": a batch system may limit what is far below the memory
// of its machines.
TEST_F(process_pool, works_under_limits_of_addresses_and_of_files) {
    if (pool_test::sanitized) {
        GTEST_SKIP() << "a sanitizer needs more addresses";
    }
    for (const auto which : {RLIMIT_AS, RLIMIT_FSIZE}) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(30);
            const rlimit least{1u << 30, 1u << 30};
            bool works = ::setrlimit(which, &least) == 0;
            try {
                regatta::process_pool pool(1);
                pool.allocate<int>(1000);
                works = works && pool.submit<hungry_calls::take_memory>(0, 0).get() == 1;
            } catch (const std::exception& error) {
                works = pool_test::expect(false, error.what());
            }
            std::fflush(nullptr);
            ::_exit(works ? 0 : 1);
        }
        int status = -1;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
}
