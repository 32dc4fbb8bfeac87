// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a process ended, as a value.

#include <sys/wait.h>

#include <cstring>
#include <string>

namespace regatta {

/// How a process ended: by itself with a code, or by a signal.
///
/// Threads: like an int. Source: wait(2).
class exit_status {
public:
    /// From the status word of waitpid(2) for a process that ended.
    explicit exit_status(int wait_status) noexcept : status_(wait_status) {}

    /// Whether it ended by itself, through `exit` or the end of `main`.
    bool exited() const noexcept { return WIFEXITED(status_); }
    /// What it returned, 0..255; -1 if a signal ended it.
    int code() const noexcept { return exited() ? WEXITSTATUS(status_) : -1; }
    /// Whether a signal ended it.
    bool signaled() const noexcept { return WIFSIGNALED(status_); }
    /// The signal that ended it; 0 if it ended by itself.
    int signal() const noexcept { return signaled() ? WTERMSIG(status_) : 0; }
    bool core_dumped() const noexcept { return signaled() && WCOREDUMP(status_); }
    /// Whether it returned 0.
    bool success() const noexcept { return exited() && code() == 0; }

    /// "exited with status 3", "killed by signal 9 (SIGKILL)", "… , core dumped".
    std::string describe() const {
        if (exited()) {
            return "exited with status " + std::to_string(code());
        }
        std::string text = "killed by signal " + std::to_string(signal());
        if (const char* name = ::sigabbrev_np(signal())) {
            text += std::string(" (SIG") + name + ")";
        }
        if (core_dumped()) {
            text += ", core dumped";
        }
        return text;
    }

    bool operator==(const exit_status&) const = default;

private:
    int status_;
};

} // namespace regatta
