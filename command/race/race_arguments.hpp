// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The words behind `regatta race`.

#include "common/measure_arguments.hpp"
#include "common/result_files.hpp"
#include "race/race_programs.hpp"
#include "sampling/sweep.hpp"

#include <optional>
#include <string>
#include <vector>

namespace regatta::command {

/// As they were typed; what was not typed is absent.
struct race_arguments : measure_arguments {
    std::optional<std::string> workload;
    std::vector<std::string> schemes;
    std::vector<std::string> commands; ///< NAME=COMMAND each.
    race::sweep_axes axes;             ///< An axis of one value is that of the race.
    std::string kill_every;
    std::string baseline;
    result_paths files;
    std::optional<unsigned> launches;
    bool list = false;
    bool reuse = false;

    /// It is a race in each of several cells.
    bool is_sweep() const noexcept { return axes.cells() > 1; }
    /// Only programs take part: there are some, and neither a workload nor a scheme was named.
    bool programs_only() const noexcept {
        return !commands.empty() && !workload && schemes.empty();
    }
};

/// Adds the options of `regatta race` to its subcommand.
void add_race_options(subcommand command, race_arguments& arguments);

/// The workload of that name; matmul where none was named, and none at all for programs only.
/// Throws `usage_error`, with the nearest name, where there is no such one.
const race::workload_info& chosen_workload(const race_arguments& arguments);

/// Who takes part: the schemes named, as NAME or ALIAS=NAME, or all, and the programs, which have
/// to outlive the race. Throws `usage_error`, with the nearest name, for an unknown one.
std::vector<race::entrant> chosen_entrants(const race_arguments& arguments,
                                           const race_programs& programs);

/// The baseline's name in the race; empty: none was named. What was typed may also be a name of a
/// scheme that takes part once, under another one. Throws `usage_error` where it is neither.
std::string chosen_baseline(const race_arguments& arguments,
                            const std::vector<race::entrant>& entrants);

/// How to race, but for the baseline. Throws `usage_error` for an option that the workload does not
/// read.
race::race_options chosen_options(const race_arguments& arguments,
                                  const race::workload_info& workload);

} // namespace regatta::command
