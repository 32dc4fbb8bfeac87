// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What to start, and what the child gets of its parent.

#include <regatta/process/process_environment.hpp>

#include <signal.h>

#include <string>
#include <vector>

namespace regatta {

/// A descriptor that the child gets, and under which number.
struct inherited_descriptor {
    int parent = -1; ///< Open in this process; may be closed on exec here.
    int child = -1;  ///< What the child sees.
};

/// What `spawn` starts. Only `program` is needed.
struct spawn_options {
    /// A path, or a name to be found in this process's PATH. A relative path starts at this
    /// process's working directory, also where `directory` is given.
    std::string program;
    /// What follows the program's name; passed as they are, no shell sees them.
    std::vector<std::string> arguments = {};
    process_environment environment = {};
    /// The child's working directory; empty: the parent's.
    std::string directory = {};
    /// What becomes the child's standard streams; -1: the parent's own.
    int standard_input = -1;
    int standard_output = -1;
    int standard_error = -1;
    /// Further descriptors. Every other one is closed in the child, whatever its flags.
    std::vector<inherited_descriptor> descriptors = {};
    /// What the kernel sends the child when the **thread** that started it ends, in whatever way;
    /// 0: nothing. So start children from a thread that outlives them. A child that changes its
    /// user (a set-user-id program) loses it.
    int death_signal = SIGKILL;
    /// Puts the child into a process group of its own, which Ctrl-C on the terminal does not reach.
    bool own_process_group = false;
};

} // namespace regatta
