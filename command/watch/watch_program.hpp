// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The program that `regatta watch` starts.

#include "watch/watch_output.hpp"

#include <regatta/process/subprocess.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace regatta::command {

/// A program in a process group of its own, beside the view of it.
///
/// It has no keyboard: where standard input is a terminal, it gets /dev/null instead. Where the
/// view is to have the terminal, those of its output streams that are terminals go to a file that
/// `output` knows; otherwise its standard output goes to standard error, as this program's own
/// output takes the first. It is killed when this process is, but not
/// what it has started.
///
/// Threads: one, which has to outlive it.
class watch_program {
public:
    /// @param beside_view whether the view has the terminal.
    /// Failure: `std::system_error` with the reason why it cannot be run; `std::invalid_argument`
    /// for words that no program can have.
    watch_program(const std::vector<std::string>& words, bool beside_view);

    pid_t pid() const noexcept { return child_.pid(); }
    /// Readable when it has ended.
    int pidfd() const noexcept { return child_.pidfd(); }
    /// Sends a signal to it and to those of its children that stay in its group. One that was
    /// stopped, as by a look for the terminal's input, goes on to take it.
    void pass_on(int signal) noexcept;
    /// Its exit status, or 128 and the signal that ended it, as a shell says it; nothing while it
    /// runs.
    std::optional<int> status();
    /// "exited with status 3 after 1.25 s, with 2.40 s of CPU time". To be called when it has
    /// ended.
    std::string end_text() const;
    /// What it has written; null where that went its own way.
    watch_output* output() noexcept { return output_ ? &*output_ : nullptr; }

private:
    std::optional<watch_output> output_;
    std::chrono::steady_clock::time_point began_;
    std::chrono::steady_clock::time_point ended_{};
    subprocess child_;
};

} // namespace regatta::command
