// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Any program as an entrant of a race.

#include "schemes/scheme.hpp"
#include "workloads/workload.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// A program of the user's and the name under which it takes part.
struct program_command {
    std::string name;
    std::string text;               ///< As it was typed, behind the name.
    std::vector<std::string> words; ///< The program and its arguments.
};

/// Takes "NAME=COMMAND {workers}" apart. Words are parted by blanks and quoted as in a shell ('…',
/// "…", \), but no shell reads them: there are no variables, patterns, pipes and redirections.
///
/// Failure: `std::invalid_argument` for a text without a name or a command, for a quote without its
/// end, and for what only a shell could do; it says how to get a shell.
program_command parse_program(std::string_view text);

/// Every "{workers}" replaced by the number.
std::string with_workers(std::string text, unsigned workers);

/// Why a program of that name (or path) cannot be started; empty: as far as can be told it can.
std::string why_not_startable(const std::string& program);

/// The program as a scheme: a run is one execution, from its start to its end. Its standard input
/// and output are /dev/null; what it writes on standard error is kept for the case that it fails.
/// It has failed if it returns anything but 0 or is ended by a signal.
///
/// At the end of a run all that the program started is killed. Where the run is stopped or this
/// process is killed, that is its process group: what has left the group goes on.
scheme_info program_scheme(const program_command& program, unsigned workers);

/// What a race of nothing but programs runs: a workload without a name and without items.
const workload_info& no_workload();

} // namespace regatta::race
