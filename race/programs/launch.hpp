// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// One execution of a program of the user's.

#include "programs/launch_record.hpp"

#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/process/subprocess.hpp>

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace regatta::race {

/// A launcher that waits for the word, and then starts the program in its own process group.
/// Standard input and output of the program are /dev/null. At the end of this object the group is
/// killed, and the same happens where this process is killed.
///
/// Threads: one, which has to outlive it. Failure: `std::system_error` where the launcher cannot be
/// started, `scheme_failure` where it is not installed.
class program_launch {
public:
    /// @param words the program and its arguments.
    explicit program_launch(const std::vector<std::string>& words);
    program_launch(const program_launch&) = delete;
    program_launch& operator=(const program_launch&) = delete;
    ~program_launch();

    /// The launcher, from which the program inherits its CPUs and control groups.
    pid_t pid() const noexcept { return process_.pid(); }

    /// Starts the program and waits for its end. To be called once.
    /// Blocks: for as long as the program runs. Failure: `scheme_failure` where it cannot be
    /// started, does not return 0, is ended by a signal or stopped for the terminal, and where
    /// `stop` says so.
    /// @param stop asked every 50 ms; true ends the program.
    launch_record run(const std::function<bool()>& stop);

private:
    bool answers(int within_ms) const;
    launch_record read();
    void kill_group() noexcept;

    detail::unique_descriptor socket_;
    subprocess process_;
};

} // namespace regatta::race
