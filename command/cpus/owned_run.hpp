// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Running a program on CPUs that it owns, whatever ends it.

#include <regatta/base/detail/unique_descriptor.hpp>

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace regatta::command {

/// A program that is started in two steps, so that it is on its CPUs before its first instruction.
/// It gets this process's descriptors and terminal, and is killed when this process is.
///
/// While it lives, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 are passed on to it, and SIGINT and SIGQUIT
/// unless they come from the terminal, which sends them to both. Signals that this process was
/// started to ignore both ignore.
class held_program {
public:
    /// Failure: `std::system_error` where there can be no process.
    explicit held_program(const std::vector<std::string>& words);
    held_program(const held_program&) = delete;
    held_program& operator=(const held_program&) = delete;
    ~held_program();

    pid_t pid() const noexcept { return pid_; }
    /// -1 where the kernel is too old for it.
    int pidfd() const noexcept { return pidfd_.get(); }
    /// Lets it run. @returns 0, or why the program could not be started.
    int start();
    /// Waits for it, and calls `look` about once a second meanwhile.
    /// @returns its exit status, or 128 and the signal that ended it, as a shell says it.
    template<class Look>
    int wait(Look look) {
        while (!ended_within(std::chrono::seconds(1))) {
            look();
        }
        return status_;
    }

    /// Whether it is over; looked at for so long, or until a signal comes.
    bool ended_within(std::chrono::milliseconds time);

private:
    pid_t pid_ = -1;
    detail::unique_descriptor pidfd_;
    detail::unique_descriptor go_;      ///< The child waits for a byte here.
    detail::unique_descriptor failure_; ///< The child says here why it could not start.
    bool waited_for_ = false;
    int status_ = 0;
};

} // namespace regatta::command
