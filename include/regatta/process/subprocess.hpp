// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Starting a child process, and the child as an object.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/process/exit_status.hpp>
#include <regatta/process/spawn_options.hpp>

#include <sys/types.h>

#include <chrono>
#include <optional>

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
class REGATTA_SYSTEM_API subprocess {
public:
    /// No child; what a moved-from object is.
    subprocess() = default;
    /// Takes a child of this process that nobody has waited for yet, and its pidfd.
    subprocess(pid_t pid, detail::unique_descriptor pidfd) noexcept;
    subprocess(subprocess&& other) noexcept;
    subprocess& operator=(subprocess&& other) noexcept;
    /// Kills the child with SIGKILL if it still runs, and waits for it.
    ~subprocess();

    /// The child's process number; -1 where there is no child. Another process may have it once the
    /// child was waited for.
    pid_t pid() const noexcept { return pid_; }
    /// A descriptor that poll(2) reports as readable when the child has ended; see pidfd_open(2).
    /// Stays this object's, until it is destroyed.
    int pidfd() const noexcept { return pidfd_.get(); }

    /// Sends a signal to the child. Never reaches another process.
    /// @returns false if the child has already been waited for, or may not be sent to.
    bool kill(int signal) noexcept;

    /// Waits until the child has ended. May be called again: the answer stays.
    exit_status wait();

    /// Waits at most `timeout`, which may be 0: just look.
    /// @returns nothing if the child still runs then.
    template<class Rep, class Period>
    std::optional<exit_status> wait_for(std::chrono::duration<Rep, Period> timeout) {
        return wait_at_most(std::chrono::duration<double>(timeout));
    }

    /// How it ended, if it was waited for.
    std::optional<exit_status> status() const noexcept;
    /// What it used, once it was waited for.
    const process_times& times() const noexcept { return times_; }

private:
    enum class state {
        none,
        running, ///< Not yet waited for.
        ended,
        lost ///< Something else waited for it.
    };

    std::optional<exit_status> wait_at_most(std::chrono::duration<double> seconds);
    bool becomes_readable(std::chrono::duration<double> seconds);

    /// Whether the end is not known yet.
    bool must_wait() const;
    void reap();
    void swap(subprocess& other) noexcept;

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
REGATTA_SYSTEM_API subprocess spawn(const spawn_options& options);

} // namespace regatta
