// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "segment_fixture.hpp"
#include "support/eventually.hpp"
#include "support/process_peer.hpp"

#include <regatta/process/shared_memory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace {

using process_test::error_of;
using process_test::peer;
using process_test::segment_name;
using process_test::text_of;
using regatta::layout_hash;
using regatta::shared_memory;
using testing::HasSubstr;

constexpr std::uint64_t layout = layout_hash("test v1");

/// How many descriptors of this process have the file of the segment open.
std::size_t holders(const segment_name& name) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        count += std::filesystem::read_symlink(entry.path(), gone) == name.path() ? 1 : 0;
    }
    return count;
}

/// Runs `act` in a thread while another look has the segment, which ends once `act` has opened it.
template<class Act>
void during_another_look(const segment_name& name, Act act) {
    regatta::detail::unique_descriptor looking(::open(name.path().c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::flock(looking.get(), LOCK_EX), 0);
    std::atomic<bool> over{false};
    std::thread acting([&] {
        act();
        over = true;
    });
    library_test::await([&] { return over || holders(name) >= 2; });
    looking.reset();
    acting.join();
}

} // namespace

TEST(shared_memory, opens_the_new_segment_where_the_name_was_given_away_meanwhile) {
    const segment_name name;
    shared_memory::create(name.text(), 10, layout).keep_name();
    // What a `replace` does, made slow: the lock first …
    regatta::detail::unique_descriptor replacing(::open(name.path().c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_EQ(::flock(replacing.get(), LOCK_EX), 0);
    std::size_t size = 0;
    std::thread opener([&] { size = shared_memory::open(name.text(), layout).size(); });
    // … until the other has the old file open and can only wait for the lock …
    library_test::await([&] { return holders(name) >= 2; });
    // … then another segment under the name.
    ASSERT_EQ(::unlink(name.path().c_str()), 0);
    const auto made = shared_memory::create(name.text(), 20, layout);
    replacing.reset();
    opener.join();
    EXPECT_EQ(size, 20u);
}

// "EBUSY if another process … does not end that within a second."
TEST(shared_memory, that_stays_locked_is_busy) {
    const library_test::time_limit limit("an open of a segment that stays locked");
    const segment_name name;
    shared_memory::create(name.text(), 10, layout).keep_name();
    regatta::detail::unique_descriptor stopped(::open(name.path().c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_EQ(::flock(stopped.get(), LOCK_EX), 0);
    const auto [number, text] = error_of([&] { shared_memory::open(name.text(), layout); });
    EXPECT_EQ(number, EBUSY);
    EXPECT_THAT(text, HasSubstr("open shared memory '" + name.text() +
                                "': another process keeps it locked"));
    stopped.reset();
    EXPECT_EQ(shared_memory::open(name.text(), layout).size(), 10u);
}

// "Where a signal has stopped that one in it, the name stays."
TEST(shared_memory, leaves_its_name_where_another_removal_does_not_end) {
    const library_test::time_limit limit("the end of a segment whose name another one removes");
    const segment_name name;
    regatta::detail::unique_descriptor stopped;
    {
        const auto memory = shared_memory::create(name.text(), 10, layout);
        stopped.reset(::open(name.path().c_str(), O_RDWR | O_CLOEXEC));
        struct flock turn {};
        turn.l_type = F_WRLCK;
        turn.l_start = 1;
        turn.l_len = 1;
        ASSERT_EQ(::fcntl(stopped.get(), F_OFD_SETLK, &turn), 0);
    }
    EXPECT_TRUE(name.exists());
    stopped.reset();
    EXPECT_EQ(regatta::remove_stale_segments(name.text()), std::vector<std::string>{name.text()});
}

TEST(replace, refuses_a_segment_in_use) {
    const segment_name name;
    peer other({"create", name.text(), "4096", "test v1", "mine"});
    ASSERT_EQ(other.answer(), "made " + name.text());
    const auto [number, text] = error_of([&] { shared_memory::replace(name.text(), 10, layout); });
    EXPECT_EQ(number, EBUSY);
    EXPECT_THAT(text, HasSubstr("replace shared memory '" + name.text() + "': it is in use"));
    EXPECT_STREQ(text_of(shared_memory::open(name.text(), layout)), "mine");
}

// "A process that looks … keeps it locked for an instant": nobody uses the segment then.
TEST(replace, waits_for_a_look_to_end) {
    const library_test::time_limit limit("a replace of a segment at which another process looks");
    const segment_name name;
    shared_memory::create(name.text(), 10, layout).keep_name();
    std::size_t size = 0;
    during_another_look(name,
                        [&] { size = shared_memory::replace(name.text(), 20, layout).size(); });
    EXPECT_EQ(size, 20u);
}

// "EBUSY … also if another process … does not end that within a second."
TEST(replace, says_that_a_look_does_not_end) {
    const library_test::time_limit limit("a replace of a segment that stays locked");
    const segment_name name;
    shared_memory::create(name.text(), 10, layout).keep_name();
    regatta::detail::unique_descriptor stopped(::open(name.path().c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::flock(stopped.get(), LOCK_EX), 0);
    const auto [number, text] = error_of([&] { shared_memory::replace(name.text(), 20, layout); });
    EXPECT_EQ(number, EBUSY);
    EXPECT_THAT(text, HasSubstr("replace shared memory '" + name.text() +
                                "': another process keeps it locked"));
    stopped.reset();
    EXPECT_EQ(shared_memory::replace(name.text(), 20, layout).size(), 20u);
}

TEST(replace, refuses_a_segment_whose_creator_died_but_not_its_user) {
    const segment_name name;
    peer creator({"create", name.text(), "4096", "test v1", "mine"});
    ASSERT_EQ(creator.answer(), "made " + name.text());
    const auto user = shared_memory::open(name.text(), layout);
    creator.process.kill(SIGKILL);
    creator.process.wait();
    EXPECT_EQ(error_of([&] { shared_memory::replace(name.text(), 10, layout); }).first, EBUSY);
    EXPECT_EQ(regatta::stale_segments(name.text()), std::vector<std::string>());
}

TEST(replace, takes_over_from_a_killed_owner_at_once) {
    const segment_name name;
    peer other({"create", name.text(), "4096", "test v1", "lost"});
    ASSERT_EQ(other.answer(), "made " + name.text());
    other.process.kill(SIGKILL);
    other.process.wait();
    ASSERT_TRUE(name.exists()) << "a killed process removes nothing";
    const auto memory = shared_memory::replace(name.text(), 64, layout_hash("test v2"));
    EXPECT_EQ(memory.size(), 64u);
    EXPECT_STREQ(text_of(memory), "");
    EXPECT_EQ(error_of([&] { shared_memory::open(name.text(), layout); }).first, EPROTO);
}

TEST(replace, makes_what_is_not_there) {
    const segment_name name;
    EXPECT_EQ(shared_memory::replace(name.text(), 64, layout).size(), 64u);
}

TEST(shared_memory, says_what_a_foreign_file_is) { // "a directory is EISDIR, …"
    const segment_name name;
    const auto expect = [&name](int number) {
        EXPECT_EQ(error_of([&] { shared_memory::open(name.text(), layout); }).first, number);
        EXPECT_EQ(error_of([&] { shared_memory::replace(name.text(), 10, layout); }).first, number);
    };
    ASSERT_EQ(::mkdir(name.path().c_str(), 0700), 0);
    expect(EISDIR);
    ASSERT_EQ(::rmdir(name.path().c_str()), 0);
    ASSERT_EQ(::symlink("/dev/null", name.path().c_str()), 0);
    expect(ELOOP);
    ASSERT_EQ(::unlink(name.path().c_str()), 0);
    ASSERT_EQ(::mknod(name.path().c_str(), S_IFSOCK | 0600, 0), 0);
    expect(ENXIO);
}

TEST(shared_memory, of_another_user_is_refused_as_such) { // "EPERM if it belongs to another user"
    const segment_name name;
    const auto memory = shared_memory::create(name.text(), 10, layout);
    const auto user = ::geteuid();
    if (::seteuid(65534) != 0) {
        GTEST_SKIP() << "only root can become another user";
    }
    const auto opened = error_of([&] { shared_memory::open(name.text(), layout); });
    const auto replaced = error_of([&] { shared_memory::replace(name.text(), 10, layout); });
    ASSERT_EQ(::seteuid(user), 0);
    for (const auto& [number, text] : {opened, replaced}) {
        EXPECT_EQ(number, EPERM) << text;
        EXPECT_THAT(text, HasSubstr("owner: expected user 65534, found " + std::to_string(user)));
    }
}

// "EPERM if it … is open to others", "EACCES if its mode keeps its own user out"
TEST(shared_memory, whose_mode_keeps_its_own_user_out_is_refused) {
    const auto user = ::geteuid();
    if (user == 0 && ::seteuid(65534) != 0) {
        GTEST_SKIP() << "root may open any file";
    }
    const segment_name name;
    const auto expect = [&name](mode_t mode, int expected, const std::string& words) {
        regatta::detail::unique_descriptor made(
            ::open(name.path().c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        EXPECT_EQ(::fchmod(made.get(), mode), 0);
        for (const auto& [number, text] :
             {error_of([&] { shared_memory::open(name.text(), layout); }),
              error_of([&] { shared_memory::replace(name.text(), 10, layout); })}) {
            EXPECT_EQ(number, expected) << text;
            EXPECT_THAT(text, HasSubstr(words));
        }
        EXPECT_EQ(::unlink(name.path().c_str()), 0);
    };
    expect(0044, EPERM, "mode: expected 0600, found 0044");
    expect(0400, EACCES, name.text());
    ASSERT_EQ(::seteuid(user), 0);
}

TEST(stale_segments, are_those_that_a_crash_left) {
    const segment_name name;
    const auto living = shared_memory::create(name.text() + "_living", 10, layout);
    peer other({"create", name.text(), "4096", "test v1", "lost"});
    ASSERT_EQ(other.answer(), "made " + name.text());
    EXPECT_EQ(regatta::stale_segments(name.text()), std::vector<std::string>());
    other.process.kill(SIGKILL);
    other.process.wait();
    const std::vector<std::string> expected{name.text()};
    EXPECT_EQ(regatta::stale_segments(name.text()), expected);
    EXPECT_EQ(regatta::stale_segments(name.text().substr(1)), expected) << "the '/' is optional";
    EXPECT_TRUE(name.exists()) << "looking removes nothing";
    EXPECT_EQ(regatta::remove_stale_segments(name.text()), expected);
    EXPECT_FALSE(name.exists());
    EXPECT_EQ(regatta::remove_stale_segments(name.text()), std::vector<std::string>());
    EXPECT_EQ(shared_memory::open(living.name(), layout).size(), 10u);
}

// Looks at the same time exclude one another for an instant, and none takes another for a user.
TEST(stale_segments, are_seen_by_each_of_several_looks) {
    const library_test::time_limit limit("looks at a segment at which another process looks");
    const segment_name name;
    shared_memory::create(name.text(), 10, layout).keep_name();
    const std::vector<std::string> expected{name.text()};
    std::vector<std::string> stale;
    during_another_look(name, [&] { stale = regatta::stale_segments(name.text()); });
    EXPECT_EQ(stale, expected);
    std::vector<regatta::segment_record> listed;
    during_another_look(name, [&] { listed = regatta::list_segments(name.text()); });
    ASSERT_EQ(listed.size(), 1u);
    EXPECT_TRUE(listed[0].stale);
    std::vector<std::string> removed;
    during_another_look(name, [&] { removed = regatta::remove_stale_segments(name.text()); });
    EXPECT_EQ(removed, expected);
    EXPECT_FALSE(name.exists());
}

// In a program without standard error the look has its number, to which other threads print.
TEST(stale_segments, are_looked_for_without_a_write_into_any_segment) {
    if (REGATTA_THREAD_SANITIZER) {
        GTEST_SKIP() << "under the thread sanitizer a fork starts no threads";
    }
    const segment_name name;
    const auto living = shared_memory::create(name.text(), 10, layout);
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(30);
        ::close(STDERR_FILENO);
        std::atomic<bool> begun{false};
        std::atomic<bool> over{false};
        std::thread printing([&] {
            while (!over) {
                static_cast<void>(!::write(STDERR_FILENO, "words", 5));
                begun = true;
            }
        });
        while (!begun) {
            std::this_thread::yield();
        }
        for (int i = 0; i < 20'000; ++i) {
            static_cast<void>(regatta::stale_segments(name.text()));
        }
        over = true;
        printing.join();
        ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(error_of([&] { shared_memory::open(name.text(), layout); }).first, 0);
}
