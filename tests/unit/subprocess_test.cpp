// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "segment_fixture.hpp"
#include "support/process_peer.hpp"

#include <regatta/process/subprocess.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace {

using namespace std::chrono_literals;
using process_test::error_of;
using process_test::peer;
using process_test::pipe_ends;
using process_test::run;
using regatta::spawn;
using regatta::subprocess;
using testing::HasSubstr;

regatta::spawn_options shell(const std::string& script) {
    return {.program = "/bin/sh", .arguments = {"-c", script}};
}

void expect_no_children() {
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

} // namespace

TEST(subprocess, tells_how_the_child_ended) {
    auto good = spawn(shell("exit 0"));
    EXPECT_TRUE(good.wait().success());
    auto bad = spawn(shell("exit 3"));
    EXPECT_EQ(bad.wait().code(), 3);
    EXPECT_EQ(bad.wait().describe(), "exited with status 3");
    EXPECT_FALSE(bad.wait().success());
    EXPECT_FALSE(bad.wait().signaled());
    auto killed = spawn(shell("kill -TERM $$"));
    EXPECT_EQ(killed.wait().signal(), SIGTERM);
    EXPECT_EQ(killed.wait().code(), -1);
    EXPECT_EQ(killed.wait().describe(), "killed by signal 15 (SIGTERM)");
    EXPECT_EQ(killed.status(), killed.wait());
    expect_no_children();
}

TEST(subprocess, passes_arguments_as_they_are) {
    auto options = shell("for a in \"$@\"; do printf '[%s]' \"$a\"; done");
    for (const char* argument :
         {"zero", "with space", "with\nnewline", "", "*", "$HOME", "'\"\\"}) {
        options.arguments.push_back(argument);
    }
    EXPECT_EQ(run(options).output, "[with space][with\nnewline][][*][$HOME]['\"\\]");
}

TEST(subprocess, inherits_the_environment_with_changes) {
    ::setenv("REGATTA_TEST_KEPT", "kept", 1);
    ::setenv("REGATTA_TEST_GONE", "gone", 1);
    ::setenv("REGATTA_TEST_CHANGED", "old", 1);
    auto options = shell("printf '%s|%s|%s|%s' \"$REGATTA_TEST_KEPT\" "
                         "\"${REGATTA_TEST_GONE-unset}\" \"$REGATTA_TEST_CHANGED\" "
                         "\"$REGATTA_TEST_NEW\"");
    options.environment.unset("REGATTA_TEST_GONE")
        .set("REGATTA_TEST_CHANGED", "new = with\nnewline")
        .set("REGATTA_TEST_NEW", "");
    EXPECT_EQ(run(options).output, "kept|unset|new = with\nnewline|");
    EXPECT_STREQ(::getenv("REGATTA_TEST_CHANGED"), "old");
}

TEST(subprocess, gives_exactly_the_environment_that_was_asked_for) {
    regatta::spawn_options options{.program = "/usr/bin/env"};
    options.environment =
        regatta::process_environment::empty().set("A", "0").set("B", "2 3").set("A", "1");
    EXPECT_EQ(run(options).output, "A=1\nB=2 3\n");
    options.environment = regatta::process_environment::empty();
    EXPECT_EQ(run(options).output, "");
}

TEST(subprocess, starts_in_the_directory) {
    auto options = shell("pwd");
    options.directory = "/usr/bin";
    EXPECT_EQ(run(options).output, "/usr/bin\n");
}

TEST(subprocess, redirects_the_standard_streams) {
    pipe_ends input;
    pipe_ends output;
    pipe_ends errors;
    auto options = shell("cat; echo oops >&2");
    options.standard_input = input.read.get();
    options.standard_output = output.write.get();
    options.standard_error = errors.write.get();
    auto child = spawn(options);
    ASSERT_EQ(::write(input.write.get(), "hello", 5), 5);
    input.write.reset();
    EXPECT_EQ(output.read_all(), "hello");
    EXPECT_EQ(errors.read_all(), "oops\n");
    EXPECT_TRUE(child.wait().success());
}

// "-1: the parent's own", whatever its flags.
TEST(subprocess, passes_on_standard_streams_that_are_close_on_exec) {
    for (int number = 0; number < 3; ++number) {
        const int flags = ::fcntl(number, F_GETFD);
        ASSERT_NE(flags, -1) << number;
        ASSERT_EQ(::fcntl(number, F_SETFD, FD_CLOEXEC), 0);
        auto child = spawn(shell("[ -e /proc/$$/fd/" + std::to_string(number) + " ]"));
        EXPECT_TRUE(child.wait().success()) << number;
        EXPECT_EQ(::fcntl(number, F_GETFD), FD_CLOEXEC); // The parent keeps its own flags.
        ::fcntl(number, F_SETFD, flags);
    }
}

TEST(subprocess, gives_the_child_no_descriptor_but_those_asked_for) {
    pipe_ends passed;
    // Neither closed on exec nor asked for.
    const regatta::detail::unique_descriptor stray(::open("/dev/null", O_RDONLY));
    const regatta::detail::unique_descriptor high(::fcntl(stray.get(), F_DUPFD, 300));
    regatta::spawn_options options{.program = "ls", .arguments = {"-v", "/proc/self/fd"}};
    options.standard_input = stray.get();
    options.descriptors = {{passed.read.get(), 9}, {passed.write.get(), 57}};
    // 3 is how ls looks.
    EXPECT_EQ(run(options).output, "0\n1\n2\n3\n9\n57\n");
}

TEST(subprocess, gives_the_child_a_descriptor_under_the_highest_number) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit few{100, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    process_test::pipe_ends passed;
    regatta::spawn_options options{.program = "sh", .arguments = {"-c", "readlink /proc/$$/fd/99"}};
    options.descriptors = {{passed.read.get(), 98}, {passed.write.get(), 99}};
    const auto result = process_test::run(options);
    ::setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_THAT(result.output, HasSubstr("pipe:"));
}

TEST(subprocess, swaps_descriptors_that_stand_in_each_others_place) {
    pipe_ends one;
    pipe_ends two;
    const int a = one.write.get();
    const int b = two.write.get();
    auto options = shell("echo to a >&" + std::to_string(a) + "; echo to b >&" + std::to_string(b));
    if (a > 9 || b > 9) {
        GTEST_SKIP() << "the shell knows one-digit descriptors only";
    }
    options.descriptors = {{a, b}, {b, a}};
    auto child = spawn(options);
    EXPECT_EQ(one.read_all(), "to b\n");
    EXPECT_EQ(two.read_all(), "to a\n");
}

TEST(subprocess, starts_with_default_signals) {
    // What a parent ignores or blocks must not follow its children.
    struct sigaction ignore {};
    struct sigaction before {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGUSR1, &ignore, &before);
    sigset_t blocked;
    sigset_t mask;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGUSR2);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &mask);
    regatta::spawn_options options{.program = "grep",
                                   .arguments = {"-E", "^Sig(Blk|Ign):", "/proc/self/status"}};
    const auto result = run(options);
    sigset_t after;
    ::pthread_sigmask(SIG_SETMASK, &mask, &after);
    ::sigaction(SIGUSR1, &before, nullptr);
    EXPECT_EQ(result.output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
    EXPECT_TRUE(::sigismember(&after, SIGUSR2)) << "the parent keeps its own mask";
    EXPECT_FALSE(::sigismember(&after, SIGTERM));
}

// "Signals that this process ignores stay ignored in the child"
TEST(subprocess, keeps_ignored_signals_where_it_is_told_to) {
    struct sigaction ignore {};
    struct sigaction handle {};
    struct sigaction before[2] = {};
    ignore.sa_handler = SIG_IGN;
    handle.sa_handler = [](int) {};
    ::sigaction(SIGUSR1, &ignore, &before[0]);
    ::sigaction(SIGUSR2, &handle, &before[1]);
    const auto result = run({.program = "grep",
                             .arguments = {"-E", "^Sig(Ign|Cgt):", "/proc/self/status"},
                             .keep_ignored_signals = true});
    ::sigaction(SIGUSR1, &before[0], nullptr);
    ::sigaction(SIGUSR2, &before[1], nullptr);
    std::uint64_t ignored = 0;
    ASSERT_EQ(std::sscanf(result.output.c_str(), "SigIgn: %" SCNx64, &ignored), 1) << result.output;
    const auto bit = [&](int signal) { return ignored >> (signal - 1) & 1; };
    EXPECT_EQ(bit(SIGUSR1), 1u);
    EXPECT_EQ(bit(SIGUSR2), 0u);
    EXPECT_EQ(bit(SIGTERM), 0u);
}

TEST(subprocess, finds_programs_in_path_only) {
    EXPECT_TRUE(spawn({.program = "true"}).wait().success());
    EXPECT_EQ(spawn({.program = "false"}).wait().code(), 1);
    const auto [number, text] = error_of([] { spawn({.program = "no such program"}); });
    EXPECT_EQ(number, ENOENT);
    EXPECT_THAT(text, HasSubstr("spawn 'no such program': find it in PATH"));
}

// "a system call for each absolute folder of PATH": what is no program there is passed over, too.
TEST(subprocess, finds_programs_in_absolute_folders_only) {
    namespace fs = std::filesystem;
    const auto here = fs::current_path();
    const fs::path folder = testing::TempDir() + "find_" + std::to_string(::getpid());
    fs::create_directories(folder / "first" / "regatta_sh"); // A folder of that name.
    fs::create_directories(folder / "second");
    fs::create_symlink("/bin/sh", folder / "second" / "regatta_sh");
    const std::string before = ::getenv("PATH");
    fs::current_path(folder);
    ::setenv("PATH", "second:./second:.", 1);
    EXPECT_EQ(regatta::find_program("regatta_sh"), "");
    const std::string second = folder / "second";
    ::setenv("PATH", (":second:" + (folder / "first").string() + ":" + second).c_str(), 1);
    EXPECT_EQ(regatta::find_program("regatta_sh"), second + "/regatta_sh");
    ::setenv("PATH", before.c_str(), 1);
    fs::current_path(here);
    fs::remove_all(folder);
}

TEST(subprocess, takes_a_relative_path_from_the_parents_directory) {
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path("/bin");
    const auto result = run({.program = "./sh", .arguments = {"-c", "pwd"}, .directory = "/"});
    std::filesystem::current_path(here);
    EXPECT_EQ(result.output, "/\n");
}

// … and from no other where that one is gone.
TEST(subprocess, finds_no_relative_path_where_the_parents_directory_is_gone) {
    namespace fs = std::filesystem;
    const auto here = fs::current_path();
    const std::string folder = testing::TempDir() + "spawn_" + std::to_string(::getpid());
    fs::create_directories(folder + "/gone");
    fs::create_symlink("/bin/sh", folder + "/sh");
    fs::current_path(folder + "/gone");
    fs::remove(folder + "/gone");
    const auto [number, text] = error_of([&] {
        spawn({.program = "./sh", .arguments = {"-c", "exit 0"}, .directory = folder});
    });
    fs::current_path(here);
    fs::remove_all(folder);
    EXPECT_EQ(number, ENOENT);
    EXPECT_THAT(text, HasSubstr("spawn './sh': find this process's working directory"));
}

TEST(subprocess, reports_what_could_not_be_run) {
    const auto before = process_test::open_descriptors();
    auto [number, text] = error_of([] { spawn({.program = "/nonexistent/program"}); });
    EXPECT_EQ(number, ENOENT);
    EXPECT_THAT(text, HasSubstr("spawn '/nonexistent/program': run it"));
    std::tie(number, text) = error_of([] { spawn({.program = "/etc/passwd"}); });
    EXPECT_EQ(number, EACCES);
    std::tie(number, text) =
        error_of([] { spawn({.program = "true", .directory = "/nonexistent"}); });
    EXPECT_EQ(number, ENOENT);
    EXPECT_THAT(text, HasSubstr("enter directory '/nonexistent'"));
    std::tie(number, text) = error_of([] {
        spawn({.program = "true", .descriptors = {{987, 5}}});
    });
    EXPECT_EQ(number, EBADF);
    EXPECT_THAT(text, HasSubstr("spawn 'true': pass on descriptor 987 as 5"));
    std::tie(number, text) = error_of([] {
        spawn({.program = "true", .descriptors = {{0, 1 << 30}}});
    });
    EXPECT_EQ(number, EBADF);
    EXPECT_THAT(text, HasSubstr("pass on descriptor 0 as 1073741824"));
    std::tie(number, text) = error_of([] { spawn({.program = "true", .death_signal = 1000}); });
    EXPECT_EQ(number, EINVAL);
    EXPECT_THAT(text, HasSubstr("death signal 1000"));
    EXPECT_EQ(process_test::open_descriptors(), before);
    expect_no_children();
}

TEST(subprocess, refuses_options_that_make_no_sense) {
    const std::string zero("a\0b", 3);
    EXPECT_THROW(spawn({.program = ""}), std::invalid_argument);
    EXPECT_THROW(spawn({.program = zero}), std::invalid_argument);
    EXPECT_THROW(spawn({.program = "true", .arguments = {zero}}), std::invalid_argument);
    EXPECT_THROW(spawn({.program = "true", .directory = zero}), std::invalid_argument);
    EXPECT_THROW(spawn({.program = "true", .descriptors = {{0, -1}}}), std::invalid_argument);
    EXPECT_THROW(spawn({.program = "true", .descriptors = {{-1, 4}}}), std::invalid_argument);
    EXPECT_THROW(spawn({.program = "true", .descriptors = {{0, 4}, {1, 4}}}),
                 std::invalid_argument);
    regatta::process_environment environment;
    EXPECT_THROW(environment.set("", "x"), std::invalid_argument);
    EXPECT_THROW(environment.set("A=B", "x"), std::invalid_argument);
    EXPECT_THROW(environment.set("A", zero), std::invalid_argument);
    EXPECT_THROW(environment.unset(zero), std::invalid_argument);
}

TEST(subprocess, waits_no_longer_than_told) {
    auto child = spawn({.program = "sleep", .arguments = {"1000"}});
    EXPECT_EQ(child.wait_for(0s), std::nullopt);
    EXPECT_EQ(child.wait_for(-5s), std::nullopt);
    EXPECT_EQ(child.wait_for(std::chrono::hours::min()), std::nullopt);
    EXPECT_EQ(child.wait_for(std::chrono::duration<double>(std::nan(""))), std::nullopt);
    EXPECT_EQ(child.wait_for(2ms), std::nullopt);
    EXPECT_EQ(child.status(), std::nullopt);
    EXPECT_TRUE(child.kill(SIGKILL));
    const auto status = child.wait_for(std::chrono::hours::max());
    ASSERT_TRUE(status.has_value());
    EXPECT_EQ(status->describe(), "killed by signal 9 (SIGKILL)");
    EXPECT_EQ(child.wait_for(0s), status);
    EXPECT_FALSE(child.kill(SIGKILL)) << "its number may be another's by now";
    expect_no_children();
}

TEST(subprocess, its_pidfd_becomes_readable_at_the_end) {
    peer child({"open", "nothing"});
    EXPECT_GE(child.process.pidfd(), 0);
    pollfd end{child.process.pidfd(), POLLIN, 0};
    child.finish();
    EXPECT_EQ(::poll(&end, 1, -1), 1);
}

TEST(subprocess, kills_and_waits_when_destroyed) {
    pipe_ends output;
    const auto before = process_test::open_descriptors();
    {
        regatta::spawn_options options{.program = "sleep", .arguments = {"1000"}};
        options.standard_output = output.write.get();
        const auto child = spawn(options);
        EXPECT_EQ(process_test::open_descriptors(), before + 1);
    }
    expect_no_children();
    EXPECT_EQ(process_test::open_descriptors(), before);
    EXPECT_EQ(output.read_all(), "") << "ends, because nobody has the pipe any more";
}

TEST(subprocess, moves) {
    auto one = spawn({.program = "sleep", .arguments = {"1000"}});
    const pid_t pid = one.pid();
    subprocess two = std::move(one);
    EXPECT_EQ(two.pid(), pid);
    EXPECT_EQ(one.pid(), -1);        // NOLINT: what is moved from is defined
    EXPECT_FALSE(one.kill(SIGKILL)); // NOLINT
    EXPECT_THROW(one.wait(), std::logic_error);
    EXPECT_THROW(one.wait_for(1h), std::logic_error);
    two = spawn(shell("exit 4"));
    EXPECT_NE(::kill(pid, 0), 0) << "the first child was waited for";
    EXPECT_EQ(two.wait().code(), 4);
    two = subprocess();
    EXPECT_EQ(two.pid(), -1);
    expect_no_children();
}

TEST(subprocess, says_when_the_end_was_lost) {
    auto child = spawn(shell("exit 1"));
    ASSERT_EQ(::waitpid(child.pid(), nullptr, 0), child.pid());
    const auto [number, text] = error_of([&] { child.wait(); });
    EXPECT_EQ(number, ECHILD);
    EXPECT_THAT(text, HasSubstr("wait for process " + std::to_string(child.pid())));
    EXPECT_FALSE(child.kill(SIGKILL));
}

// … also where another child of this process has the number by then.
TEST(subprocess, leaves_the_child_that_has_its_number_now) {
    for (const bool waits : {true, false}) {
        std::optional<subprocess> child = spawn(shell("exit 1"));
        const pid_t number = child->pid();
        ASSERT_EQ(::waitpid(number, nullptr, 0), number);
        clone_args wanted{};
        wanted.exit_signal = SIGCHLD;
        wanted.set_tid = reinterpret_cast<std::uintptr_t>(&number);
        wanted.set_tid_size = 1;
        const long other = ::syscall(SYS_clone3, &wanted, sizeof wanted);
        if (other == 0) {
            ::_exit(42);
        }
        if (other < 0) {
            GTEST_SKIP() << "no process can be given a number here: " << std::strerror(errno);
        }
        if (waits) {
            EXPECT_EQ(error_of([&] { child->wait(); }).first, ECHILD);
        }
        child.reset();
        int status = 0;
        ASSERT_EQ(::waitpid(number, &status, 0), number) << waits;
        EXPECT_EQ(WEXITSTATUS(status), 42);
    }
}

TEST(subprocess, leaves_the_child_alone_in_a_fork_of_its_parent) { // "In a fork … alone"
    auto child = spawn({.program = "sleep", .arguments = {"1000"}});
    const pid_t fork = ::fork();
    if (fork == 0) {
        child = subprocess(); // As at the end of its scope.
        ::_exit(0);
    }
    ASSERT_GT(fork, 0);
    int status = -1;
    ASSERT_EQ(::waitpid(fork, &status, 0), fork);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(child.wait_for(20ms), std::nullopt);
}

TEST(subprocess, counts_the_childs_cpu_time) {
    auto child = spawn(shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"));
    EXPECT_TRUE(child.wait().success());
    EXPECT_GT((child.times().user + child.times().system).count(), 0);
}

TEST(subprocess, may_have_a_process_group_of_its_own) {
    auto options = shell("ps -o pgid= -p $$ 2>/dev/null || cut -d' ' -f5 /proc/$$/stat");
    options.own_process_group = true;
    pipe_ends output;
    options.standard_output = output.write.get();
    auto child = spawn(options);
    EXPECT_EQ(std::stol(output.read_all()), child.pid());
    options.own_process_group = false;
    EXPECT_EQ(std::stol(run(options).output), ::getpgrp());
}

TEST(death_signal, reaches_the_child_when_the_thread_that_started_it_ends) {
    subprocess child;
    std::thread([&] {
        child = spawn({.program = "sleep", .arguments = {"1000"}, .death_signal = SIGTERM});
    }).join();
    EXPECT_EQ(child.wait().signal(), SIGTERM);
}

TEST(death_signal, is_sent_to_no_child_that_wants_none) {
    subprocess child;
    std::thread([&] {
        child = spawn({.program = "sleep", .arguments = {"1000"}, .death_signal = 0});
    }).join();
    EXPECT_EQ(child.wait_for(20ms), std::nullopt);
}

TEST(death_signal, leaves_no_orphan_of_a_killed_parent) {
    peer parent({"grandchild", std::to_string(SIGKILL)});
    ASSERT_THAT(parent.answer(), testing::MatchesRegex("[0-9]+"));
    EXPECT_TRUE(parent.process.kill(SIGKILL));
    EXPECT_EQ(parent.process.wait().signal(), SIGKILL);
    // The grandchild holds the pipe too: this ends when it is gone.
    EXPECT_EQ(parent.answer(), "");
}

TEST(exit_status, describes_itself) {
    using regatta::exit_status;
    EXPECT_EQ(exit_status(0).describe(), "exited with status 0");
    EXPECT_EQ(exit_status(255 << 8).describe(), "exited with status 255");
    EXPECT_EQ(exit_status(SIGSEGV | 0x80).describe(), "killed by signal 11 (SIGSEGV), core dumped");
    EXPECT_TRUE(exit_status(SIGSEGV | 0x80).core_dumped());
    EXPECT_EQ(exit_status(40).describe(), "killed by signal 40");
    EXPECT_EQ(exit_status(3 << 8), exit_status(3 << 8));
    EXPECT_NE(exit_status(3 << 8), exit_status(3));
}
