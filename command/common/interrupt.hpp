// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Ctrl-C and SIGTERM: the first one ends the race in order, the second one at once.

#include "sampling/race_control.hpp"

#include <sys/types.h>

#include <array>
#include <csignal>

namespace regatta::command {

/// While it lives, SIGINT, SIGTERM, SIGHUP and SIGQUIT stop the race of `control`; a second one
/// ends the process at once, the progress bar and files without content removed. After 3 s a hint
/// says so; after 20 s and twice the longest run it gives up, unless what was measured is being
/// evaluated. Those that were ignored before stay ignored.
///
/// Threads: one object at a time, made and destroyed by the main thread.
class interrupt_guard {
public:
    explicit interrupt_guard(race::race_control& control);
    interrupt_guard(const interrupt_guard&) = delete;
    interrupt_guard& operator=(const interrupt_guard&) = delete;
    ~interrupt_guard();

    /// What was to be measured is: from now on nothing limits how long the writing takes. A first
    /// signal is only kept for `signal`.
    static void measured() noexcept;
    /// That child measures from now on, and gives up by itself; 0: none. A second signal kills it.
    static void measured_by(pid_t process) noexcept;
    /// The signal that came; 0: none.
    static int signal() noexcept;
    /// 128 and the signal that came, as a shell says it; without one `status`.
    static int exit_status(int status) noexcept { return signal() != 0 ? 128 + signal() : status; }
    /// The race that is being measured; null: none.
    /// Threads: any; may be called from a signal handler.
    static const race::race_control* measuring() noexcept;
    /// Removes the progress bar and files without content: for an end without destructors.
    /// Threads: any; may be called from a signal handler.
    static void clean_up() noexcept;
    /// Whether a line stands on standard error that must be removed at a hard end.
    static void line_drawn(bool drawn) noexcept;

private:
    std::array<struct sigaction, 4> before_{}; ///< Of the four.
    struct sigaction alarm_before_ {};
};

/// From now on a call of `exit` in a measurement, or in code of the user's that is being loaded,
/// ends the program with a word and as a failure.
void tell_of_exits();

/// Where this process was started to ignore the ends of its children (SIGCHLD), the system would
/// keep no status of any: nobody could wait for them. From now on it does.
void keep_ends_of_children() noexcept;
/// Whether it was started so.
bool ignored_children() noexcept;

/// Makes writing to a closed pipe, or beyond the limit of a file's size, an error instead of the
/// process's death. Programs that take its place, or that `cpus run` starts, get back what it was
/// started with.
void outlive_failed_writes();

} // namespace regatta::command
