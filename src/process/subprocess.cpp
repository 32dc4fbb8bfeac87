// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/process/subprocess.hpp>

#include "process/poll_descriptors.hpp"
#include "process/start_program.hpp"
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/base/error.hpp>

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace regatta {
namespace {

std::chrono::microseconds to_duration(const timeval& time) noexcept {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

/// Waits for the end of a child, by its pidfd where there is one: if something else has waited for
/// it, the number may be another child's by now.
/// @returns whether it has; errno says why not.
bool wait_for_child(pid_t pid, int pidfd, int& status, rusage& usage) noexcept {
    constexpr int by_pidfd = 3; // P_PIDFD, which the headers of older C libraries lack.
    siginfo_t how{};
    long result = 0;
    do { // waitid(2) of the C library has no place for the usage.
        result = ::syscall(SYS_waitid, by_pidfd, pidfd, &how, WEXITED, &usage);
    } while (result != 0 && errno == EINTR);
    if (result == 0) {
        // As wait4(2) has it.
        status = how.si_code == CLD_EXITED ? how.si_status << 8
                                           : how.si_status | (how.si_code == CLD_DUMPED ? 0x80 : 0);
        return true;
    }
    // Without pidfds it is another descriptor; emulators and sandboxes may not know the call.
    if (errno != EBADF && errno != EINVAL && errno != ENOSYS && errno != EPERM) {
        return false;
    }
    pid_t waited = 0;
    do {
        waited = ::wait4(pid, &status, 0, &usage);
    } while (waited < 0 && errno == EINTR);
    return waited == pid;
}

/// Whether the process is a child of this one that nobody has waited for: not in a fork of its
/// parent.
bool is_own_child(pid_t pid) noexcept {
    siginfo_t how{};
    return ::waitid(P_PID, static_cast<id_t>(pid), &how, WEXITED | WNOHANG | WNOWAIT) == 0;
}

} // namespace

subprocess::subprocess(pid_t pid, detail::unique_descriptor pidfd) noexcept
    : pid_(pid)
    , pidfd_(std::move(pidfd))
    , state_(state::running) {}

subprocess::subprocess(subprocess&& other) noexcept {
    swap(other);
}

subprocess& subprocess::operator=(subprocess&& other) noexcept {
    subprocess taken(std::move(other));
    swap(taken);
    return *this;
}

subprocess::~subprocess() {
    if (state_ == state::running && is_own_child(pid_)) {
        kill(SIGKILL);
        rusage usage{};
        wait_for_child(pid_, pidfd_.get(), wait_status_, usage);
    }
}

bool subprocess::kill(int signal) noexcept {
    if (state_ != state::running) {
        return false;
    }
    if (::syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0) == 0) {
        return true;
    }
    // Without pidfds, or where a sandbox forbids the call: the number is the child's as long as
    // nobody has waited for it.
    return (errno == ENOSYS || errno == EBADF || errno == EPERM) && is_own_child(pid_) &&
           ::kill(pid_, signal) == 0;
}

exit_status subprocess::wait() {
    if (must_wait()) {
        reap();
    }
    return exit_status(wait_status_);
}

std::optional<exit_status> subprocess::status() const noexcept {
    return state_ == state::ended ? std::optional(exit_status(wait_status_)) : std::nullopt;
}

std::optional<exit_status> subprocess::wait_at_most(std::chrono::duration<double> seconds) {
    if (must_wait() && becomes_readable(seconds)) {
        reap();
    }
    return status();
}

bool subprocess::becomes_readable(std::chrono::duration<double> seconds) {
    using clock = std::chrono::steady_clock;
    // A very long time would overflow the clock: more than 1e9 seconds counts as no limit. A
    // negative time or NaN counts as zero.
    if (!(seconds.count() > 0)) {
        seconds = std::chrono::duration<double>::zero();
    }
    const bool unlimited = seconds.count() > 1e9;
    const auto deadline = unlimited
                              ? clock::time_point::max()
                              : clock::now() + std::chrono::duration_cast<clock::duration>(seconds);
    for (;;) {
        timespec rest{};
        if (!unlimited) {
            const auto left = deadline - clock::now();
            if (left > clock::duration::zero()) {
                const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
                rest.tv_sec = static_cast<time_t>(whole.count());
                rest.tv_nsec = static_cast<long>(
                    std::chrono::duration_cast<std::chrono::nanoseconds>(left - whole).count());
            }
        }
        pollfd waited{pidfd_.get(), POLLIN, 0};
        const int ready = detail::poll_descriptors({&waited, 1}, unlimited ? nullptr : &rest);
        if (ready >= 0) {
            return ready > 0;
        }
        if (errno != EINTR) {
            fail_system(errno, "wait for process " + std::to_string(pid_));
        }
    }
}

bool subprocess::must_wait() const {
    if (state_ == state::none || state_ == state::lost) {
        fail_state(
            "subprocess: cannot wait without a child, or for one whose exit status was lost");
    }
    return state_ == state::running;
}

void subprocess::reap() {
    rusage usage{};
    if (!wait_for_child(pid_, pidfd_.get(), wait_status_, usage)) {
        state_ = state::lost; // Another process may have its ID now.
        fail_system(errno, "wait for process " + std::to_string(pid_));
    }
    state_ = state::ended;
    times_ = {to_duration(usage.ru_utime), to_duration(usage.ru_stime)};
}

void subprocess::swap(subprocess& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(pidfd_, other.pidfd_);
    std::swap(state_, other.state_);
    std::swap(wait_status_, other.wait_status_);
    std::swap(times_, other.times_);
}

subprocess spawn(const spawn_options& options) {
    auto [pid, pidfd] = detail::start_program(options);
    return subprocess(pid, std::move(pidfd));
}

} // namespace regatta
