// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Starting a child process, and the child as an object.

#include "process/start_program.hpp"
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/base/error.hpp>
#include <regatta/process/exit_status.hpp>
#include <regatta/process/spawn_options.hpp>

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace regatta {

/// CPU time that a process used, with its own children for which it waited.
struct process_times {
    std::chrono::microseconds user{0};
    std::chrono::microseconds system{0};
};

/// A child process that `spawn` started. Its end leaves nothing: whatever happens, the child is
/// waited for and its descriptor closed.
///
/// Threads: like an int; different children may be handled by different threads at once.
/// Blocks: `wait` and the destructor, until the child has ended.
/// Failure: `std::system_error` naming the process; ECHILD if something else in this process waited
/// for the child or SIGCHLD is ignored, so that its end is lost. `std::logic_error` for waiting
/// without a child.
class subprocess {
public:
    /// No child; what a moved-from object is.
    subprocess() = default;
    /// Takes a child of this process that nobody has waited for yet, and its pidfd.
    subprocess(pid_t pid, detail::unique_descriptor pidfd) noexcept
        : pid_(pid)
        , pidfd_(std::move(pidfd))
        , state_(state::running) {}
    subprocess(subprocess&& other) noexcept { swap(other); }
    subprocess& operator=(subprocess&& other) noexcept {
        subprocess taken(std::move(other));
        swap(taken);
        return *this;
    }
    /// Kills the child with SIGKILL if it still runs, and waits for it.
    ~subprocess() {
        if (state_ == state::running) {
            kill(SIGKILL);
            int status = 0;
            while (::wait4(pid_, &status, 0, nullptr) < 0 && errno == EINTR) {
            }
        }
    }

    /// The child's process number; -1 where there is no child. Another process may have it once the
    /// child was waited for.
    pid_t pid() const noexcept { return pid_; }
    /// A descriptor that poll(2) reports as readable when the child has ended; see pidfd_open(2).
    /// Stays this object's, until it is destroyed.
    int pidfd() const noexcept { return pidfd_.get(); }

    /// Sends a signal to the child. Never reaches another process.
    /// @returns false if the child has already been waited for, or may not be sent to.
    bool kill(int signal) noexcept {
        return state_ == state::running &&
               ::syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0) == 0;
    }

    /// Waits until the child has ended. May be called again: the answer stays.
    exit_status wait() {
        if (must_wait()) {
            reap();
        }
        return exit_status(wait_status_);
    }

    /// Waits at most `timeout`, which may be 0: just look.
    /// @returns nothing if the child still runs then.
    template<class Rep, class Period>
    std::optional<exit_status> wait_for(std::chrono::duration<Rep, Period> timeout) {
        if (must_wait() && becomes_readable(timeout)) {
            reap();
        }
        return status();
    }

    /// How it ended, if it was waited for.
    std::optional<exit_status> status() const noexcept {
        return state_ == state::ended ? std::optional(exit_status(wait_status_)) : std::nullopt;
    }
    /// What it used, once it was waited for.
    const process_times& times() const noexcept { return times_; }

private:
    enum class state {
        none,
        running, ///< Not yet waited for.
        ended,
        lost ///< Something else waited for it.
    };

    template<class Duration>
    bool becomes_readable(Duration timeout) {
        using clock = std::chrono::steady_clock;
        // Longer than a few decades is for ever, and would overflow the clock; so would as long
        // ago. What is no number is no time, either.
        std::chrono::duration<double> seconds(timeout);
        if (!(seconds.count() > 0)) {
            seconds = std::chrono::duration<double>::zero();
        }
        const bool for_ever = seconds.count() > 1e9;
        const auto deadline =
            for_ever ? clock::time_point::max()
                     : clock::now() + std::chrono::duration_cast<clock::duration>(seconds);
        for (;;) {
            timespec rest{};
            if (!for_ever) {
                const auto left = deadline - clock::now();
                if (left > clock::duration::zero()) {
                    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
                    rest.tv_sec = static_cast<time_t>(whole.count());
                    rest.tv_nsec = static_cast<long>(
                        std::chrono::duration_cast<std::chrono::nanoseconds>(left - whole).count());
                }
            }
            pollfd waited{pidfd_.get(), POLLIN, 0};
            const int ready = ::ppoll(&waited, 1, for_ever ? nullptr : &rest, nullptr);
            if (ready >= 0) {
                return ready > 0;
            }
            if (errno != EINTR) {
                fail_system(errno, "wait for process " + std::to_string(pid_));
            }
        }
    }

    /// Whether the end is not known yet.
    bool must_wait() const {
        if (state_ == state::none || state_ == state::lost) {
            fail_state("subprocess: wait without a child, or for one whose end was lost");
        }
        return state_ == state::running;
    }

    void reap() {
        rusage usage{};
        while (::wait4(pid_, &wait_status_, 0, &usage) < 0) {
            if (errno != EINTR) {
                state_ = state::lost; // Its number may be another's by now.
                fail_system(errno, "wait for process " + std::to_string(pid_));
            }
        }
        state_ = state::ended;
        times_ = {to_duration(usage.ru_utime), to_duration(usage.ru_stime)};
    }

    static std::chrono::microseconds to_duration(const timeval& time) noexcept {
        return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
    }

    void swap(subprocess& other) noexcept {
        std::swap(pid_, other.pid_);
        std::swap(pidfd_, other.pidfd_);
        std::swap(state_, other.state_);
        std::swap(wait_status_, other.wait_status_);
        std::swap(times_, other.times_);
    }

    pid_t pid_ = -1;
    detail::unique_descriptor pidfd_;
    state state_ = state::none;
    int wait_status_ = 0; ///< Of wait4(2); means something once the child has ended.
    process_times times_;
};

/// Starts a program and returns once it runs.
///
/// The child begins with default signal dispositions, no blocked signal, and no descriptor except
/// its standard streams and those that were asked for: also those that another thread opens at that
/// very moment stay out.
///
/// Threads: any, at once. But the death signal fires when the *thread* that called ends.
/// Blocks: until the child runs its program, about 0.2 ms, whatever the size of the parent: its
/// page tables are not copied.
/// Failure: `std::system_error` naming the program and what went wrong, also when the child could
/// not run it; `std::invalid_argument` for options that make no sense. No child is left then.
/// Source: clone(2) with CLONE_VM and CLONE_VFORK, close_range(2), Linux 5.11.
inline subprocess spawn(const spawn_options& options) {
    auto [pid, pidfd] = detail::start_program(options);
    return subprocess(pid, std::move(pidfd));
}

} // namespace regatta
