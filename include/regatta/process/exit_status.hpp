// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a process ended.

#include <regatta/base/config.hpp>

#include <string>

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

} // namespace regatta
