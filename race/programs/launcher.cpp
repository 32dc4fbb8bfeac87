// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Starts a program for a race, waits for it and tells what it took. A process of its own for two
// reasons: a program's peak of memory is never below that of the process which started it, so that
// one has to be small; and whatever ends the race, somebody is left who ends the program.

#include "machine/thread_usage.hpp"
#include "programs/last_line.hpp"
#include "programs/launch_record.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>
#include <regatta/base/error.hpp>
#include <regatta/process/subprocess.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace regatta;
using race::launch_descriptor;
using race::launch_record;

template<std::size_t Size>
void copy(std::string_view text, char (&to)[Size]) noexcept {
    text.copy(to, Size - 1);
}

/// The race has ended, in whatever way: so does everything that was started for it.
[[noreturn]] void end_all() {
    ::kill(0, SIGKILL);
    ::_exit(0);
}

/// Ends what the program left behind, in whatever process group, and waits for it, so that its CPU
/// time counts. What forks faster than this ends it is left to the end of the group.
void end_rest() {
    constexpr int most_passes = 100; // Children of those that end become this process's.
    bool some = true;
    for (int pass = 0; some && pass < most_passes; ++pass) {
        some = false;
        std::ifstream children("/proc/thread-self/children");
        for (pid_t child = 0; children >> child;) {
            // Not one that changed its user: it goes on.
            some = (::kill(child, SIGKILL) == 0 && ::waitpid(child, nullptr, 0) == child) || some;
        }
    }
}

/// Reads a little of what is there, without waiting. @returns what `read` does: 0 at the end of it.
ssize_t read_some(int descriptor, race::last_line& line) {
    char bytes[4096];
    const ssize_t got = ::read(descriptor, bytes, sizeof bytes);
    line.add({bytes, static_cast<std::size_t>(std::max<ssize_t>(0, got))});
    return got;
}

/// Waits, and reads meanwhile what the program has to say: a little at a time, as whoever writes
/// without an end must not hide the program's end or that of the race.
void wait_for_end(const subprocess& program, int errors, race::last_line& line) {
    pollfd watched[] = {
        {program.pidfd(), POLLIN, 0}, {launch_descriptor, POLLIN, 0}, {errors, POLLIN, 0}};
    for (;;) {
        if (::poll(watched, 3, -1) < 0) {
            if (errno != EINTR) {
                fail_system(errno, "wait for the program");
            }
            continue;
        }
        if (watched[0].revents != 0) {
            return;
        }
        if (watched[1].revents != 0) {
            end_all();
        }
        if (watched[2].revents != 0 && read_some(errors, line) == 0) {
            watched[2].fd = -1; // poll skips it
        }
    }
}

/// Reads what the program left in the pipe, and no more: its children may go on writing.
void read_rest(int errors, race::last_line& line) {
    ssize_t left = ::fcntl(errors, F_GETPIPE_SZ);
    for (ssize_t got = 1; left > 0 && got > 0; left -= got) {
        got = read_some(errors, line);
    }
}

void run(const std::vector<std::string>& words, launch_record& record) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        fail_system(errno, "make a pipe for its standard error");
    }
    const detail::unique_descriptor errors(ends[0]);
    detail::unique_descriptor report(ends[1]);
    ::fcntl(report.get(), F_SETFL, 0); // Only this side must not wait.
    record.begin_ns = detail::monotonic_ns();
    subprocess program = spawn({.program = words.front(),
                                .arguments = {words.begin() + 1, words.end()},
                                .standard_error = report.get()});
    report.reset();
    race::last_line line;
    wait_for_end(program, errors.get(), line);
    record.end_ns = detail::monotonic_ns();
    const exit_status status = program.wait();
    end_rest();
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    read_rest(errors.get(), line);
    record.user_ns = race::nanoseconds_of(used.ru_utime);
    record.system_ns = race::nanoseconds_of(used.ru_stime);
    record.voluntary_switches = used.ru_nvcsw;
    record.involuntary_switches = used.ru_nivcsw;
    record.peak_bytes = std::int64_t{used.ru_maxrss} * 1024;
    record.success = status.success();
    copy(status.describe(), record.how);
    copy(line.text(), record.last_line);
}

/// Whether the other side said "go"; otherwise it has ended.
bool wait_for_go() {
    char byte = 0;
    ssize_t got = -1;
    while ((got = ::recv(launch_descriptor, &byte, 1, 0)) < 0 && errno == EINTR) {
    }
    if (got < 0) {
        std::fputs("regatta-launcher is started by regatta itself\n", stderr);
        ::_exit(2);
    }
    return got == 1;
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    if (!wait_for_go()) {
        return 0;
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL); // Adopts what the program leaves behind.
    launch_record record;
    try {
        if (words.empty()) {
            fail_argument("there is no program to start");
        }
        run(words, record);
    } catch (const std::exception& error) {
        record.success = false;
        copy(error.what(), record.last_line);
    }
    ::send(launch_descriptor, &record, sizeof record, MSG_NOSIGNAL);
    // What `end_rest` did not end, it ends together with this process.
    char byte = 0;
    while (::recv(launch_descriptor, &byte, 1, 0) < 0 && errno == EINTR) {
    }
    end_all();
}
