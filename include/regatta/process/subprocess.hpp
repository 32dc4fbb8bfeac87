// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Starting a child process, and the child as an object.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/unique_descriptor.hpp>

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta {

/// How a process ended: by itself with a code, or by a signal.
///
/// Threads: like an int.
/// Source: wait(2).
class REGATTA_SYSTEM_API exit_status {
public:
    /// Decodes the status word of waitpid(2) for a process that has ended.
    explicit exit_status(int wait_status) noexcept : status_(wait_status) {}

    /// Whether it ended by itself: `exit`, or a return from `main`.
    bool exited() const noexcept;
    /// Its exit code, 0..255; -1 if a signal ended it.
    int code() const noexcept;
    /// Whether a signal ended it.
    bool signaled() const noexcept;
    /// The signal that ended it; 0 if it ended by itself.
    int signal() const noexcept;
    bool core_dumped() const noexcept;
    /// Whether it exited with code 0.
    bool success() const noexcept;

    /// "exited with status 3", "killed by signal 9 (SIGKILL)", "… , core dumped".
    std::string describe() const;

    bool operator==(const exit_status&) const = default;

private:
    int status_;
};

/// The environment of a child: a copy of this process's environment, or an empty one, with changes.
///
/// Threads: like a string. This process's environment is read when the child is started; no other
/// thread may change it then (setenv(3) is not thread-safe).
/// Failure: `std::invalid_argument` for a name that is empty or contains '=', and for zero bytes.
class REGATTA_SYSTEM_API process_environment {
public:
    /// Starts from this process's environment (the default).
    static process_environment inherited() { return process_environment(true); }
    /// Starts from no variables.
    static process_environment empty() { return process_environment(false); }

    process_environment() = default;

    /// Adds a variable or replaces its value.
    process_environment& set(std::string name, std::string value);
    /// Removes a variable.
    process_environment& unset(std::string name);

    /// The "NAME=value" entries, as execve(2) takes them.
    std::vector<std::string> entries() const;

private:
    explicit process_environment(bool inherit) : inherit_(inherit) {}

    /// A variable that is set or, without a value, removed.
    struct change {
        std::string name;
        std::optional<std::string> value;
    };

    static void check(const std::string& name);
    void put(change made);

    bool inherit_ = true;
    std::vector<change> changes_; ///< Sorted by name; each name once.
};

/// The path that `spawn` starts for `program`. A name with a '/' is returned as it is; any other
/// name is looked up in this process's PATH. Returns an empty string if no folder of PATH has it.
///
/// Threads: any; no other thread may change the environment during the call.
/// Cost: up to two system calls for each absolute folder of PATH.
REGATTA_SYSTEM_API std::string find_program(const std::string& program);

/// A descriptor that the child inherits, and its number there.
struct inherited_descriptor {
    int parent = -1; ///< Open in this process; may be close-on-exec here.
    int child = -1;  ///< Its number in the child.
};

/// What `spawn` starts. Only `program` is required.
struct spawn_options {
    /// A path, or a name to look up in this process's PATH. A relative path is relative to this
    /// process's working directory, even if `directory` is given.
    std::string program;
    /// The arguments after the program's name. No shell interprets them.
    std::vector<std::string> arguments = {};
    process_environment environment = {};
    /// The child's working directory; empty: the parent's.
    std::string directory = {};
    /// The child's standard streams; -1: the parent's own, close-on-exec or not.
    int standard_input = -1;
    int standard_output = -1;
    int standard_error = -1;
    /// Further descriptors. The child inherits no others, whatever their flags.
    std::vector<inherited_descriptor> descriptors = {};
    /// The signal that the kernel sends the child when the **thread** that started it ends, in any
    /// way; 0: none. So start children from a thread that outlives them. A child that changes its
    /// user or group loses it, and so does a program that is set-user-id or set-group-id or has
    /// file capabilities.
    int death_signal = SIGKILL;
    /// Puts the child into its own process group, which Ctrl-C on the terminal does not reach.
    bool own_process_group = false;
    /// Signals that this process ignores stay ignored in the child, as nohup(1) and a shell's
    /// background jobs need it. Otherwise the child begins with the default for all.
    bool keep_ignored_signals = false;
};

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
    /// Kills the child with SIGKILL if it still runs, and waits for it. One that this process may
    /// not kill, as one that has changed its real user (sudo does), it waits for until that ends by
    /// itself.
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
    int wait_status_ = 0; ///< As of wait4(2); valid once the child has ended.
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
/// parent's page tables are not copied. Under an emulator of user programs (qemu-user), which forks
/// instead, also until children have ended that other threads forked meanwhile.
/// Failure: `std::system_error`, which names the program and the step that failed, also if the
/// child could not run it. `std::invalid_argument` for invalid options, except for those that the
/// kernel checks: a signal or a descriptor that does not exist is `std::system_error`. No child is
/// left behind.
/// Source: clone(2) with CLONE_VM and CLONE_VFORK; close_range(2), or procfs before Linux 5.11.
REGATTA_SYSTEM_API subprocess spawn(const spawn_options& options);

/// Something that the kernel, or a sandbox around this process, refuses.
struct kernel_gap {
    std::string_view what;    ///< The system call or the flag.
    std::string_view instead; ///< What is done in its place, and what that costs.
};

/// Tries what `process/` would like to use. Empty on Linux 5.11 or later without a sandbox; no gap
/// keeps `spawn`, `shared_memory` or `process_pool` from working.
///
/// A lack of descriptors or memory is no refusal: the calls that it keeps from being tried are not
/// named.
///
/// Threads: any.
/// Cost: some system calls; nothing is remembered.
REGATTA_SYSTEM_API std::vector<kernel_gap> kernel_gaps();

} // namespace regatta
