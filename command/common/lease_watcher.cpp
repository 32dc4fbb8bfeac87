// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/lease_watcher.hpp"

#include "common/terminal.hpp"

#include <regatta/base/error.hpp>
#include <regatta/lease/exclusive_leases.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace regatta::command {
namespace {

/// Whether a process has a lease and lives.
bool owns_cpus(pid_t process) {
    const std::vector<exclusive_lease> leases = exclusive_status();
    return std::any_of(leases.begin(), leases.end(), [&](const exclusive_lease& lease) {
        return lease.process == process && !lease.numbered_elsewhere && !lease.stale;
    });
}

/// Waits for the end of the process that is the only one who can write into the pipe `life`.
void wait_for_end_of(pid_t watched, int life) {
    char byte = 0;
    while (::read(life, &byte, 1) < 0 && errno == EINTR) {
    }
    // Its files are closed some time before it counts as dead, and it hands over its children an
    // instant before.
    while (::getppid() == watched) {
        ::usleep(1000);
    }
    for (int attempt = 0; attempt < 1000 && owns_cpus(watched); ++attempt) {
        ::usleep(1000);
    }
}

/// @returns false where another program keeps the journal locked.
bool undo_what_is_left() {
    try {
        for (const std::string& problem : release_stale().problems) {
            tell("give back CPUs: " + problem);
        }
    } catch (const std::system_error& error) {
        tell(error.what());
        return error.code().value() != EWOULDBLOCK;
    }
    return true;
}

/// What the watcher does until the process is dead; then what is left of it is undone.
/// @param program a pidfd of a program that has to die first. The kernel kills it, too, but not if
/// it has changed its user. -1: none.
[[noreturn]] void watch(pid_t watched, int life, int program) {
    ::setsid(); // It is not of the terminal that hangs up.
    ::prctl(PR_SET_NAME, "regatta-undo", 0, 0, 0);
    // Who reads this process's output must not wait for the watcher.
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(nowhere, STDIN_FILENO);
    ::dup2(nowhere, STDOUT_FILENO);
    wait_for_end_of(watched, life);
    if (program >= 0) {
        ::syscall(SYS_pidfd_send_signal, program, SIGKILL, nullptr, 0);
    }
    while (!undo_what_is_left()) {
        // It was said once, and who reads the errors need not wait either.
        ::dup2(nowhere, STDERR_FILENO);
    }
    ::_exit(0);
}

} // namespace

lease_watcher::lease_watcher(int program) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        fail_system(errno, "make a pipe");
    }
    const detail::unique_descriptor reading(ends[0]);
    detail::unique_descriptor writing(ends[1]);
    const pid_t self = ::getpid();
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, &before); // None but SIGKILL ends it.
    pid_ = ::fork();
    if (pid_ == 0) {
        writing.reset();
        watch(self, reading.get(), program);
    }
    const int error = errno;
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (pid_ < 0) {
        tell("no process could be started that gives back the CPUs if this one is killed: " +
             std::generic_category().message(error) + "; then `regatta cpus release --stale` does");
    }
    life_ = std::move(writing);
}

lease_watcher::~lease_watcher() {
    const std::vector<exclusive_lease> leases = exclusive_status();
    const bool left = std::any_of(leases.begin(), leases.end(), [](const exclusive_lease& lease) {
        return lease.process == ::getpid();
    });
    if (left) {
        life_.release(); // Until the end of the process: before, its lease may count as alive.
    } else if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
}

} // namespace regatta::command
