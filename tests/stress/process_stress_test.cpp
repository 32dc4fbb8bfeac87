// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/segment_file.hpp"
#include "process/segment_name.hpp"
#include "support/process_peer.hpp"
#include "support/threads.hpp"

#include <regatta/process/shared_memory.hpp>
#include <regatta/process/subprocess.hpp>

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace {

constexpr int spawns = 300;

void expect_no_children() {
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

} // namespace

TEST(process_stress, hundreds_of_children_leave_no_descriptor_and_no_zombie) {
    const auto before = process_test::open_descriptors();
    for (int i = 0; i < spawns; ++i) {
        switch (i % 4) {
        case 0:
            EXPECT_TRUE(regatta::spawn({.program = "true"}).wait().success());
            break;
        case 1: { // Killed at any moment of its start.
            auto child = regatta::spawn({.program = "sleep", .arguments = {"1000"}});
            child.kill(SIGKILL);
            EXPECT_EQ(child.wait().signal(), SIGKILL);
            break;
        }
        case 2:
            regatta::spawn({.program = "sleep", .arguments = {"1000"}});
            break;
        default:
            EXPECT_THROW(regatta::spawn({.program = "/nonexistent"}), std::system_error);
        }
    }
    EXPECT_EQ(process_test::open_descriptors(), before);
    expect_no_children();
}

TEST(process_stress, children_started_at_once_do_not_get_each_others_descriptors) {
    const auto before = process_test::open_descriptors();
    constexpr int threads = 4;
    const regatta::detail::unique_descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    std::vector<std::thread> starters;
    for (int t = 0; t < threads; ++t) {
        starters.emplace_back([&null, t] {
            for (int i = 0; i < spawns / threads; ++i) {
                process_test::pipe_ends passed;
                // Open to every exec of this process: only the discipline of spawn keeps it out.
                const regatta::detail::unique_descriptor stray(::dup(null.get()));
                const int number = 10 + t;
                const auto result =
                    process_test::run({.program = "ls",
                                       .arguments = {"-v", "/proc/self/fd"},
                                       .standard_input = null.get(),
                                       .descriptors = {{passed.write.get(), number}}});
                ASSERT_EQ(result.output, "0\n1\n2\n3\n" + std::to_string(number) + "\n");
                // The pipe ends at once, so no other child has it.
                ASSERT_EQ(passed.read_all(), "");
            }
        });
    }
    for (auto& starter : starters) {
        starter.join();
    }
    EXPECT_EQ(process_test::open_descriptors(), before + 1);
    expect_no_children();
}

/// Whether a child of vfork shares its parent's memory: on a kernel it does, and not where an
/// emulator of user programs makes a fork of it.
bool vfork_shares_memory() {
    volatile bool shared = false;
    const pid_t pid = ::vfork();
    if (pid == 0) {
        shared = true;
        ::_exit(0);
    }
    EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
    return shared;
}

// "Blocks: until the child runs its program", and not until the children of fork have ended that
// got this process's descriptors in the middle of that.
TEST(process_stress, children_that_others_fork_do_not_hold_up_a_start) {
    if (!vfork_shares_memory()) {
        GTEST_SKIP() << "Here vfork is emulated by fork: the start is told by the end of a pipe.";
    }
    process_test::pipe_ends held;
    std::atomic<int> started{0};
    std::atomic<bool> over{false};
    std::vector<pid_t> forked;
    std::thread forks([&] {
        while (!over && forked.size() < 3000) {
            const pid_t pid = ::fork();
            if (pid == 0) { // Lives until the pipe ends.
                char none = 0;
                ::close(held.write.get());
                ::_exit(::read(held.read.get(), &none, 1) == 0 ? 0 : 1);
            }
            if (pid > 0) {
                forked.push_back(pid);
            }
        }
    });
    std::thread starts([&] {
        for (; started < 100; ++started) {
            regatta::spawn({.program = "true"}).wait();
        }
        over = true;
    });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!over && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::yield();
    }
    EXPECT_EQ(started.load(), 100);
    over = true;
    forks.join();
    held.write.reset(); // All of them end.
    starts.join();
    for (const pid_t pid : forked) {
        EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
    }
    expect_no_children();
}

TEST(process_stress, a_reader_sees_a_whole_segment_or_none_while_it_is_replaced) {
    const std::string name = "/regatta_stress_" + std::to_string(::getpid());
    constexpr std::uint64_t layout = regatta::layout_hash("stress");
    std::atomic<bool> done{false};
    std::atomic<int> opened{0};
    std::atomic<int> attempts{0};
    std::vector<std::thread> readers;
    for (int t = 0; t < 2; ++t) {
        readers.emplace_back([&] {
            while (!done.load()) {
                const int before = attempts.load();
                try {
                    const auto memory = regatta::shared_memory::open(name, layout);
                    ASSERT_EQ(memory.size() % 1000, 0u);
                    ++opened;
                } catch (const std::system_error& error) {
                    ASSERT_EQ(error.code().value(), ENOENT) << error.what();
                    continue;
                }
                // A segment that is open cannot be replaced: waits for the next attempt.
                while (attempts.load() == before && !done.load()) {
                    std::this_thread::yield();
                }
            }
        });
    }
    const int most = library_test::rounds(20000);
    int replaced = 0;
    for (int i = 0; i < most && (replaced < most / 3 || opened.load() < most / 7); ++i) {
        ++attempts;
        try {
            auto memory = regatta::shared_memory::replace(
                name, static_cast<std::size_t>(1000 * (1 + i % 5)), layout);
            if (i % 2 == 0) {
                memory.keep_name();
            }
            ++replaced;
            std::this_thread::yield();
        } catch (const std::system_error& error) {
            ASSERT_EQ(error.code().value(), EBUSY) << error.what();
        }
    }
    done.store(true);
    for (auto& reader : readers) {
        reader.join();
    }
    EXPECT_GT(replaced, 0);
    ::unlink(regatta::detail::segment_path(name).c_str());
}

TEST(process_stress, who_replaced_a_segment_has_its_name) {
    const std::string name = "/regatta_stress_name_" + std::to_string(::getpid());
    const std::string path = regatta::detail::segment_path(name);
    constexpr std::uint64_t layout = regatta::layout_hash("stress");
    std::vector<std::thread> replacers;
    for (int t = 0; t < 3; ++t) {
        replacers.emplace_back([&] {
            for (int i = 0; i < library_test::rounds(3000); ++i) {
                try {
                    auto mine = regatta::shared_memory::replace(name, 10, layout);
                    mine.keep_name(); // So that the next one finds it, unused.
                    for (int look = 0; look < 3; ++look) {
                        ASSERT_TRUE(regatta::detail::is_file_of(path.c_str(), mine.descriptor()));
                        std::this_thread::yield();
                    }
                } catch (const std::system_error& error) {
                    const int number = error.code().value();
                    ASSERT_TRUE(number == EBUSY || number == EEXIST) << error.what();
                }
            }
        });
    }
    for (auto& replacer : replacers) {
        replacer.join();
    }
    ::unlink(path.c_str());
}

TEST(process_stress, a_killed_owner_never_blocks_the_next_one) {
    const std::string name = "/regatta_stress_owner_" + std::to_string(::getpid());
    for (int i = 0; i < 40; ++i) {
        process_test::peer owner({"replace", name, "4096", "stress", "text"});
        if (i % 2 == 0) { // Otherwise killed at any moment, while it makes the segment too.
            ASSERT_EQ(owner.answer(), "made " + name);
        }
        owner.process.kill(SIGKILL);
        ASSERT_EQ(owner.process.wait().signal(), SIGKILL);
    }
    auto last = regatta::shared_memory::replace(name, 64, regatta::layout_hash("stress"));
    EXPECT_EQ(last.size(), 64u);
}
