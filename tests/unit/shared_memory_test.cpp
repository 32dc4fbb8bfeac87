// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "segment_fixture.hpp"
#include "support/process_peer.hpp"

#include "process/process_pool/arena.hpp"
#include "process/segment_header.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/process/shared_memory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using process_test::error_of;
using process_test::peer;
using process_test::pipe_ends;
using process_test::segment_name;
using process_test::text_of;
using regatta::layout_hash;
using regatta::shared_memory;
using regatta::detail::segment_header;
using testing::HasSubstr;

constexpr std::uint64_t layout = layout_hash("test v1");

/// Writes a number somewhere into the file of a segment.
template<class Number>
void overwrite(const segment_name& name, std::size_t offset, Number value) {
    const regatta::detail::unique_descriptor file(::open(name.path().c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_EQ(::pwrite(file.get(), &value, sizeof value, static_cast<off_t>(offset)),
              static_cast<ssize_t>(sizeof value));
}

/// A fork whose process has that number; negative where it cannot have it.
pid_t fork_as(pid_t number) {
    clone_args wanted{};
    wanted.exit_signal = SIGCHLD;
    wanted.set_tid = reinterpret_cast<std::uintptr_t>(&number);
    wanted.set_tid_size = 1;
    return static_cast<pid_t>(::syscall(SYS_clone3, &wanted, sizeof wanted));
}

/// Each process is a child of the one before. The last writes a byte; they stay until `over` ends.
pid_t nest(std::span<const pid_t> numbers, pipe_ends& ready, pipe_ends& over) {
    const pid_t child = fork_as(numbers.front());
    if (child == 0) {
        over.write.reset();
        const bool last = numbers.size() == 1;
        const pid_t next = last ? 0 : nest(numbers.subspan(1), ready, over);
        if (last && ::write(ready.write.get(), "r", 1) != 1) {
            ::_exit(1);
        }
        ready.write.reset();
        over.read_line();
        ::_exit(next > 0 && ::waitpid(next, nullptr, 0) != next ? 1 : 0);
    }
    return child;
}

} // namespace

TEST(shared_memory, is_shared_and_zero_at_first) {
    const segment_name name;
    const auto one = shared_memory::create(name.text(), 1000, layout);
    const auto two = shared_memory::open(name.text().substr(1), layout);
    EXPECT_EQ(one.size(), 1000u);
    EXPECT_EQ(two.size(), 1000u);
    EXPECT_EQ(two.name(), name.text());
    EXPECT_NE(one.data(), two.data());
    EXPECT_TRUE(
        std::all_of(two.data(), two.data() + 1000, [](std::byte b) { return b == std::byte{}; }));
    one.data()[999] = std::byte{42};
    EXPECT_EQ(two.data()[999], std::byte{42});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.data()) % 128, 0u);
}

TEST(shared_memory, is_its_owners_alone_whatever_the_umask) {
    const segment_name name;
    const mode_t before = ::umask(0277);
    const auto named = shared_memory::create(name.text(), 10, layout);
    const auto anonymous = shared_memory::anonymous("test", 10, layout);
    ::umask(before);
    for (const auto* memory : {&named, &anonymous}) {
        struct stat status {};
        ASSERT_EQ(::fstat(memory->descriptor(), &status), 0);
        EXPECT_EQ(status.st_mode & 07777u, 0600u);
        EXPECT_NE(::fcntl(memory->descriptor(), F_GETFD) & FD_CLOEXEC, 0);
    }
}

TEST(shared_memory, a_name_is_taken_once) {
    const segment_name name;
    const auto one = shared_memory::create(name.text(), 10, layout);
    const auto [number, text] = error_of([&] { shared_memory::create(name.text(), 10, layout); });
    EXPECT_EQ(number, EEXIST);
    EXPECT_THAT(text, HasSubstr("create shared memory '" + name.text() + "'"));
    EXPECT_EQ(error_of([&] { shared_memory::open(name.text() + "x", layout); }).first, ENOENT);
}

TEST(shared_memory, its_creator_removes_the_name) {
    const segment_name name;
    {
        const auto made = shared_memory::create(name.text(), 10, layout);
        { const auto opened = shared_memory::open(name.text(), layout); }
        EXPECT_TRUE(name.exists());
    }
    EXPECT_FALSE(name.exists());
    {
        auto made = shared_memory::create(name.text(), 10, layout);
        made.keep_name();
    }
    EXPECT_TRUE(name.exists());
    auto opened = shared_memory::open(name.text(), layout);
    opened.unlink();
    EXPECT_FALSE(name.exists());
    EXPECT_EQ(opened.size(), 10u);
    opened.data()[0] = std::byte{1};
    const auto next = shared_memory::create(name.text(), 10, layout);
    opened.unlink();
    EXPECT_TRUE(name.exists()) << "the name is another segment's by now";
}

TEST(shared_memory, moves) {
    const segment_name name;
    auto one = shared_memory::create(name.text(), 10, layout);
    shared_memory two = std::move(one);
    EXPECT_FALSE(one); // NOLINT: what is moved from is defined
    EXPECT_EQ(one.data(), nullptr);
    EXPECT_EQ(one.size(), 0u);
    EXPECT_EQ(one.descriptor(), -1);
    EXPECT_TRUE(two);
    two = shared_memory::anonymous("test", 20, layout);
    EXPECT_FALSE(name.exists());
    EXPECT_EQ(two.size(), 20u);
}

TEST(shared_memory, names_are_checked) {
    for (const std::string& name :
         {std::string(), std::string("/"), std::string("a/b"), std::string("//a"), std::string("."),
          std::string("/.."), std::string("a\0b", 3), std::string(256, 'x')}) {
        EXPECT_THROW(shared_memory::create(name, 10, layout), std::invalid_argument) << name;
        EXPECT_THROW(shared_memory::open(name, layout), std::invalid_argument) << name;
        EXPECT_THROW(shared_memory::replace(name, 10, layout), std::invalid_argument) << name;
    }
}

TEST(shared_memory, impossible_sizes_are_refused) {
    const segment_name name;
    for (const std::size_t size : {std::size_t{0}, SIZE_MAX, SIZE_MAX - 100}) {
        EXPECT_THROW(shared_memory::create(name.text(), size, layout), std::invalid_argument);
        EXPECT_THROW(shared_memory::anonymous("test", size, layout), std::invalid_argument);
    }
    EXPECT_FALSE(name.exists());
}

// "The old one is removed once the new one has its memory: where that fails, the old one stays."
TEST(shared_memory, a_replacement_that_fails_leaves_the_old_segment) {
    const segment_name name;
    {
        auto kept = shared_memory::create(name.text(), 100, layout);
        kept.data()[0] = std::byte{7};
        kept.keep_name();
    }
    EXPECT_THROW(shared_memory::replace(name.text(), 0, layout), std::invalid_argument);
    const auto [number, text] =
        error_of([&] { shared_memory::replace(name.text(), PTRDIFF_MAX - 4096, layout); });
    EXPECT_NE(number, 0);
    EXPECT_THAT(text, HasSubstr("replace shared memory"));
    EXPECT_EQ(shared_memory::open(name.text(), layout).data()[0], std::byte{7});
    EXPECT_EQ(shared_memory::replace(name.text(), 200, layout).data()[0], std::byte{0});
    EXPECT_FALSE(name.exists());
}

TEST(shared_memory, no_room_is_an_error_at_creation) {
    const segment_name name;
    struct statvfs status {};
    ASSERT_EQ(::statvfs("/dev/shm", &status), 0);
    if (status.f_blocks == 0) {
        GTEST_SKIP() << "/dev/shm is mounted without a limit";
    }
    const std::uint64_t room = std::uint64_t{status.f_bavail} * status.f_frsize;
    if (room > std::uint64_t{PTRDIFF_MAX} / 2) {
        GTEST_SKIP() << "/dev/shm has room for more than a program can ask for";
    }
    const auto more = static_cast<std::size_t>(room + (64u << 20));
    const auto before = process_test::open_descriptors();
    const auto [number, text] = error_of([&] { shared_memory::create(name.text(), more, layout); });
    EXPECT_EQ(number, ENOSPC);
    EXPECT_THAT(text, HasSubstr("allocate " + std::to_string(more + 128) + " bytes"));
    EXPECT_FALSE(name.exists());
    EXPECT_EQ(process_test::open_descriptors(), before);
    EXPECT_EQ(error_of([] { shared_memory::anonymous("test", PTRDIFF_MAX - 4096, layout); }).first,
              ENOMEM);
}

// "beyond RLIMIT_FSIZE it is EFBIG, without a signal"
TEST(shared_memory, a_file_beyond_the_limit_of_its_size_is_an_error_and_no_signal) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small{1 << 20, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const segment_name name;
    const int named = error_of([&] { shared_memory::create(name.text(), 4 << 20, layout); }).first;
    const int nameless = error_of([&] { shared_memory::anonymous("test", 4 << 20, layout); }).first;
    const int reserved =
        error_of([&] { regatta::detail::arena::reserve("test", 4 << 20, layout, false); }).first;
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(named, EFBIG);
    EXPECT_EQ(nameless, EFBIG);
    EXPECT_EQ(reserved, EFBIG);
    sigset_t signals;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &signals);
    EXPECT_EQ(::sigismember(&signals, SIGXFSZ), 0);
    ::sigpending(&signals);
    EXPECT_EQ(::sigismember(&signals, SIGXFSZ), 0);
}

TEST(shared_memory, all_its_pages_are_there_at_creation) {
    const auto memory = shared_memory::anonymous("test", 1 << 20, layout);
    struct stat status {};
    ASSERT_EQ(::fstat(memory.descriptor(), &status), 0);
    EXPECT_GE(status.st_blocks * 512, 1 << 20);
}

// The kernel gives up an allocation at any signal, and takes back what it had of it.
TEST(shared_memory, comes_to_be_under_a_periodic_signal) {
    const pid_t child = ::fork();
    if (child == 0) {
        struct sigaction noticed {};
        noticed.sa_handler = [](int) {};
        ::sigaction(SIGALRM, &noticed, nullptr);
        const itimerval every{{0, 1000}, {0, 1000}};
        ::setitimer(ITIMER_REAL, &every, nullptr);
        constexpr std::size_t size = std::size_t{128} << 20;
        bool whole = false;
        try {
            struct stat status {};
            const auto memory = shared_memory::anonymous("test", size, layout);
            whole = ::fstat(memory.descriptor(), &status) == 0 &&
                    status.st_blocks * 512 >= static_cast<std::int64_t>(size);
        } catch (...) { // Not into the tests, of which this is a copy.
        }
        ::_exit(whole ? 0 : 1);
    }
    ASSERT_GT(child, 0);
    const regatta::detail::unique_descriptor end(
        static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    if (!end) {
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        GTEST_SKIP() << "this kernel has no pidfd_open to wait with a deadline";
    }
    pollfd waited{end.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&waited, 1, 20'000), 1) << "128 MiB were not allocated within 20 s";
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(shared_memory, two_processes_share_a_named_segment) {
    const segment_name name;
    peer other({"create", name.text(), "4096", "test v1", "from the other"});
    ASSERT_EQ(other.answer(), "made " + name.text());
    const auto memory = shared_memory::open(name.text(), layout);
    EXPECT_STREQ(text_of(memory), "from the other");
    EXPECT_TRUE(other.finish().success());
    EXPECT_FALSE(name.exists());
    EXPECT_STREQ(text_of(memory), "from the other") << "the memory stays for who has it";
}

TEST(shared_memory, a_child_attaches_to_an_anonymous_segment) {
    const auto memory = shared_memory::anonymous("test", 4096, layout);
    std::strcpy(text_of(memory), "question");
    peer other({"attach", "5", "test v1", "reply"}, {{memory.descriptor(), 5}});
    EXPECT_EQ(other.answer(), "question");
    EXPECT_TRUE(other.finish().success());
    EXPECT_STREQ(text_of(memory), "reply");
}

// "a parent before its children", although numbers come round again.
TEST(shared_memory, its_users_are_listed_from_parent_to_child) {
    const segment_name name;
    const auto memory = shared_memory::create(name.text(), 4096, layout);
    std::vector<pid_t> numbers(3); // That are free.
    for (pid_t& number : numbers) {
        number = ::fork();
        if (number == 0) {
            ::_exit(0);
        }
        ASSERT_EQ(::waitpid(number, nullptr, 0), number);
    }
    std::sort(numbers.rbegin(), numbers.rend());
    pipe_ends ready;
    pipe_ends over;
    const pid_t child = nest(numbers, ready, over);
    ready.write.reset();
    const bool nested = child > 0 && ready.read_line() == "r";
    std::vector<pid_t> users;
    for (const auto& segment : regatta::list_segments(name.text())) {
        for (const auto& user : segment.users) {
            users.push_back(user.process);
        }
    }
    over.write.reset();
    if (child > 0) {
        EXPECT_EQ(::waitpid(child, nullptr, 0), child);
    }
    if (!nested) {
        GTEST_SKIP() << "no process can be given a number here";
    }
    numbers.insert(numbers.begin(), ::getpid());
    EXPECT_EQ(users, numbers);
}

TEST(shared_memory, attach_leaves_the_descriptor_to_its_owner) {
    const auto memory = shared_memory::anonymous("test", 4096, layout);
    const auto before = process_test::open_descriptors();
    {
        const auto attached = shared_memory::attach(memory.descriptor(), layout);
        EXPECT_NE(attached.descriptor(), memory.descriptor());
        EXPECT_EQ(attached.size(), 4096u);
        EXPECT_EQ(attached.name(), "");
    }
    EXPECT_EQ(process_test::open_descriptors(), before);
    EXPECT_GE(::fcntl(memory.descriptor(), F_GETFD), 0);
    EXPECT_EQ(error_of([] { shared_memory::attach(-1, layout); }).first, EBADF);
    EXPECT_EQ(error_of([] { shared_memory::attach(789, layout); }).first, EBADF);
    const process_test::pipe_ends no_memory;
    EXPECT_EQ(error_of([&] { shared_memory::attach(no_memory.read.get(), layout); }).first, EPROTO);
}

TEST(shared_memory, an_anonymous_segment_cannot_change_its_size) {
    const auto memory = shared_memory::anonymous("test", 4096, layout);
    EXPECT_NE(::ftruncate(memory.descriptor(), 100), 0);
    EXPECT_EQ(errno, EPERM);
    EXPECT_NE(::ftruncate(memory.descriptor(), 1 << 20), 0);
}

TEST(shared_memory, a_peer_with_another_layout_gets_an_error) {
    const segment_name name;
    const auto memory = shared_memory::create(name.text(), 4096, layout);
    peer named({"open", name.text(), "test v2"});
    const std::string text = named.answer();
    EXPECT_THAT(text, HasSubstr("error: open shared memory '" + name.text() + "': layout hash: "));
    EXPECT_THAT(text, HasSubstr("Protocol error"));
    EXPECT_EQ(named.finish().code(), 1);
    const auto anonymous = shared_memory::anonymous("test", 4096, layout);
    peer inheriting({"attach", "5", "test v2", "x"}, {{anonymous.descriptor(), 5}});
    EXPECT_THAT(inheriting.answer(), HasSubstr("descriptor 5: layout hash: expected 0x"));
    EXPECT_EQ(inheriting.finish().code(), 1);
}

TEST(shared_memory, each_wrong_field_is_named) {
    const segment_name name;
    const auto memory = shared_memory::create(name.text(), 4096, layout);
    const auto opening = [&] { shared_memory::open(name.text(), layout); };
    overwrite(name, offsetof(segment_header, total_size), std::uint64_t{77});
    EXPECT_THAT(error_of(opening).second, HasSubstr("total size (header: expected, file: found): "
                                                    "expected 77, found 4224"));
    overwrite(name, offsetof(segment_header, header_size), std::uint32_t{64});
    EXPECT_THAT(error_of(opening).second, HasSubstr("header size: expected 128, found 64"));
    overwrite(name, offsetof(segment_header, version), std::uint32_t{9});
    EXPECT_THAT(error_of(opening).second, HasSubstr("header version: expected 1, found 9"));
    overwrite(name, offsetof(segment_header, magic), std::uint64_t{0});
    EXPECT_THAT(error_of(opening).second, HasSubstr("magic (is it a segment of this library?)"));
    EXPECT_EQ(error_of(opening).first, EPROTO);
}

TEST(shared_memory, a_truncated_segment_is_refused) {
    const segment_name name;
    const auto memory = shared_memory::create(name.text(), 4096, layout);
    ASSERT_EQ(::truncate(name.path().c_str(), 200), 0);
    EXPECT_THAT(error_of([&] { shared_memory::open(name.text(), layout); }).second,
                HasSubstr("expected 4224, found 200"));
    ASSERT_EQ(::truncate(name.path().c_str(), 5), 0);
    EXPECT_THAT(error_of([&] { shared_memory::open(name.text(), layout); }).second,
                HasSubstr("size: expected at least 128, found 5"));
}

TEST(shared_memory, foreign_files_are_neither_opened_nor_replaced) {
    const segment_name name;
    const regatta::detail::unique_descriptor file(
        ::open(name.path().c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    ASSERT_EQ(::ftruncate(file.get(), 8192), 0);
    EXPECT_EQ(error_of([&] { shared_memory::open(name.text(), layout); }).first, EPROTO);
    const auto [number, text] = error_of([&] { shared_memory::replace(name.text(), 10, layout); });
    EXPECT_EQ(number, EPROTO);
    EXPECT_THAT(text, HasSubstr("belongs to a file that is not a segment"));
    EXPECT_TRUE(name.exists());
    EXPECT_EQ(regatta::remove_stale_segments(name.text()), std::vector<std::string>());
    EXPECT_TRUE(name.exists());
}

TEST(shared_memory, a_symbolic_link_is_not_followed) {
    const segment_name name;
    ASSERT_EQ(::symlink("/dev/null", name.path().c_str()), 0);
    EXPECT_EQ(error_of([&] { shared_memory::open(name.text(), layout); }).first, ELOOP);
}

#ifndef __SANITIZE_THREAD__ // It knows no threads after a fork.
namespace {

/// Calls `check` in a child of this process whose first thread has ended. @returns whether it was
/// true; nothing where that thread does not end alone, as under an emulator.
template<class Check>
std::optional<bool> without_the_first_thread(Check check) {
    const pid_t child = ::fork();
    if (child == 0) {
        const std::string own = "/proc/" + std::to_string(::getpid()) + "/stat";
        std::thread([check, own] {
            const auto ended = [&] {
                const auto stat = regatta::detail::read_small_file(own);
                return stat && stat->find(") Z") != std::string::npos;
            };
            const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
            while (!ended() && std::chrono::steady_clock::now() < deadline) {
                std::this_thread::yield();
            }
            ::_exit(!ended() ? 2 : check() ? 0 : 1);
        }).detach();
        ::syscall(SYS_exit, 0); // Its stack stays: the other one uses it.
    }
    int status = -1;
    const bool waited = child > 0 && ::waitpid(child, &status, 0) == child;
    return waited && WIFEXITED(status) && WEXITSTATUS(status) == 2
               ? std::nullopt
               : std::optional(waited && status == 0);
}

} // namespace

// "Made" where the name is free, and "lists all that this process may see": also when the first
// thread has ended, as after pthread_exit in main.
TEST(shared_memory, needs_no_first_thread) {
    const segment_name name;
    const auto works = without_the_first_thread([&] {
        const auto named = shared_memory::create(name.text(), 4096, layout);
        const auto all = regatta::list_segments(name.text());
        return all.size() == 1 && all[0].users.size() == 1 && all[0].users[0].process == ::getpid();
    });
    if (!works) {
        GTEST_SKIP() << "a first thread does not end alone here";
    }
    EXPECT_TRUE(*works);
}
#endif

TEST(shared_memory, what_others_could_write_to_is_refused) {
    const segment_name name;
    const auto memory = shared_memory::create(name.text(), 4096, layout);
    ASSERT_EQ(::chmod(name.path().c_str(), 0644), 0);
    auto [number, text] = error_of([&] { shared_memory::open(name.text(), layout); });
    EXPECT_EQ(number, EPERM);
    EXPECT_THAT(text, HasSubstr("mode: expected 0600, found 0644"));
    ASSERT_EQ(::chmod(name.path().c_str(), 0600), 0);
    if (::chown(name.path().c_str(), 65534, 65534) != 0) {
        GTEST_SKIP() << "only root can give a file away to test the owner";
    }
    std::tie(number, text) = error_of([&] { shared_memory::open(name.text(), layout); });
    EXPECT_EQ(number, EPERM);
    EXPECT_THAT(text, HasSubstr("found 65534"));
    EXPECT_EQ(error_of([&] { shared_memory::replace(name.text(), 10, layout); }).first, EPERM);
}

TEST(layout_hash, differs_by_text_size_and_alignment) {
    EXPECT_NE(layout_hash("a"), layout_hash("b"));
    EXPECT_NE(layout_hash<int>("a"), layout_hash<char>("a"));
    EXPECT_NE(layout_hash<double>("a"), layout_hash<char[8]>("a"));
    EXPECT_EQ(layout_hash<int>("a"), layout_hash<unsigned>("a"));
    static_assert(layout_hash("") == 0xcbf29ce484222325u);
    static_assert(layout_hash("a") == 0xaf63dc4c8601ec8cu); // The published value of FNV-1a.
}
