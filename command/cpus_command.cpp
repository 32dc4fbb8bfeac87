// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "cpus_command.hpp"

namespace regatta::command {

void add_cpus_command(CLI::App& app, action& chosen) {
    CLI::App* const cpus = app.add_subcommand("cpus", "The CPUs of this machine, and own ones");
    // One line for each command below it, each in a file cpus_NAME.cpp.
    static_cast<void>(cpus);
    static_cast<void>(chosen);
}

} // namespace regatta::command
