// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The program to start, and what the child inherits from its parent.

#include <regatta/process/process_environment.hpp>

#include <signal.h>

#include <string>
#include <vector>

namespace regatta {

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
    /// The child's standard streams; -1: the parent's own.
    int standard_input = -1;
    int standard_output = -1;
    int standard_error = -1;
    /// Further descriptors. The child inherits no others, whatever their flags.
    std::vector<inherited_descriptor> descriptors = {};
    /// The signal that the kernel sends the child when the **thread** that started it ends, in any
    /// way; 0: none. So start children from a thread that outlives them. A child that changes its
    /// user (a set-user-id program) loses it.
    int death_signal = SIGKILL;
    /// Puts the child into its own process group, which Ctrl-C on the terminal does not reach.
    bool own_process_group = false;
};

} // namespace regatta
