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
/// CPU time of a process and of its children that it waited for.
struct process_times {
    std::chrono::microseconds user{0};
    std::chrono::microseconds system{0};
};

/// A child process that `spawn` started. Destruction leaves neither a zombie nor an open
/// descriptor: the child is always waited for and its descriptor closed.
///
/// Threads: like an int; different threads may handle different children concurrently.
/// Blocks: `wait` and the destructor, until the child has ended.
/// Failure: `std::system_error`, which names the process. ECHILD if other code in this process
/// waited for the child or SIGCHLD is ignored: the exit status is lost. `std::logic_error` for
/// waiting without a child.
class REGATTA_SYSTEM_API subprocess {
public:
    /// No child; the state of a moved-from object.
    subprocess() = default;
    /// Takes a child of this process that has not been waited for yet, and its pidfd.
    subprocess(pid_t pid, detail::unique_descriptor pidfd) noexcept;
    subprocess(subprocess&& other) noexcept;
    subprocess& operator=(subprocess&& other) noexcept;
    /// Kills the child with SIGKILL if it still runs, and waits for it.
    ~subprocess();

    /// The child's process ID; -1 without a child. Once the child was waited for, another process
    /// may get this ID.
    pid_t pid() const noexcept { return pid_; }
    /// A descriptor that poll(2) reports as readable when the child has ended; see pidfd_open(2).
    /// Where the kernel has none, an eventfd(2) that a thread writes to at that moment. Owned by
    /// this object.
    int pidfd() const noexcept { return pidfd_.get(); }

    /// Sends a signal to the child. Never reaches another process.
    /// @returns false if the child was already waited for, or the signal was refused.
    bool kill(int signal) noexcept;

    /// Waits until the child has ended. Further calls return the same status.
    exit_status wait();

    /// Waits for at most `timeout`; 0 only checks.
    /// @returns nothing if the child still runs.
    template<class Rep, class Period>
    std::optional<exit_status> wait_for(std::chrono::duration<Rep, Period> timeout) {
        return wait_at_most(std::chrono::duration<double>(timeout));
    }

    /// Its exit status, once it was waited for.
    std::optional<exit_status> status() const noexcept;
    /// The CPU time it used, once it was waited for.
    const process_times& times() const noexcept { return times_; }

private:
    enum class state {
        none,
        running, ///< Not yet waited for.
        ended,
        lost ///< Other code waited for it.
    };

    std::optional<exit_status> wait_at_most(std::chrono::duration<double> seconds);
    bool becomes_readable(std::chrono::duration<double> seconds);

    /// Whether the exit status is still unknown.
    bool must_wait() const;
    void reap();
    void swap(subprocess& other) noexcept;

    pid_t pid_ = -1;
    detail::unique_descriptor pidfd_;
    state state_ = state::none;
    int wait_status_ = 0; ///< Of wait4(2); valid once the child has ended.
    process_times times_;
};

/// Starts a program and returns once it runs.
///
/// The child starts with default signal dispositions, no blocked signals, and only its standard
/// streams and the requested descriptors. Descriptors that another thread opens during the call
/// stay out, too.
///
/// Threads: any, concurrently. The death signal fires when the *thread* that called ends.
/// Blocks: until the child runs its program, about 0.2 ms whatever the size of the parent: the
/// parent's page tables are not copied.
/// Failure: `std::system_error`, which names the program and the step that failed, also if the
/// child could not run it. `std::invalid_argument` for invalid options. No child is left behind.
/// Source: clone(2) with CLONE_VM and CLONE_VFORK; close_range(2), or procfs before Linux 5.11.
REGATTA_SYSTEM_API subprocess spawn(const spawn_options& options);

} // namespace regatta
