// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the parser knows of the command line, as data: what the man pages and completions show.

#include <string>
#include <vector>

namespace regatta::command {

/// An option or an argument of a command.
struct option_entry {
    std::vector<std::string> names; ///< "-h", "--help"; of an argument one name without dashes
    std::string value;              ///< what the help calls its value, "FILE"; of a flag empty
    std::string preset;             ///< the value where it is not typed; empty: none is shown
    std::string purpose;
    std::vector<std::string> excludes; ///< options that cannot be typed with it
    bool several = false;              ///< takes several values
    bool required = false;
};

/// A command with its options, and those below it.
struct command_entry {
    std::string name;
    std::string purpose;
    std::string footer;
    std::vector<option_entry> options;
    std::vector<option_entry> arguments;
    std::vector<command_entry> commands;
};

} // namespace regatta::command
