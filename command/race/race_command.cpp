// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race/race_command.hpp"

#include "common/interrupt.hpp"
#include "common/output_file.hpp"
#include "common/progress_bar.hpp"
#include "common/result_files.hpp"
#include "common/terminal.hpp"
#include "common/usage_error.hpp"
#include "race/list.hpp"
#include "report/csv.hpp"
#include "report/full_text.hpp"
#include "report/json.hpp"

#include <fmt/format.h>

#include <unistd.h>

namespace regatta::command {
namespace {

race::race_result race_with_progress(const race::workload_info& workload,
                                     const std::vector<race::entrant>& entrants,
                                     const race::race_options& options,
                                     race::race_control& control) {
    progress_bar bar;
    return race::run_race(workload, entrants, options, control,
                          [&](const race::progress& now) { bar.show(now); });
}

int status_of(const race::race_result& result) {
    bool failed = false;
    for (const race::scheme_result& one : result.schemes) {
        if (one.status == race::scheme_status::skipped && one.named) {
            write_all(STDERR_FILENO,
                      fmt::format("regatta race: {} was asked for but cannot run: {}\n", one.name,
                                  one.reason),
                      "cannot write to standard error");
            failed = true;
        }
        failed = failed || one.status == race::scheme_status::failed;
    }
    return failed ? exit_code::failure : exit_code::success;
}

} // namespace

int run_race_command(const race_arguments& arguments, const std::vector<std::string>& words) {
    const race::workload_info& workload = chosen_workload(arguments);
    if (arguments.list) {
        write_all(STDOUT_FILENO, list_text(workload, style_of(STDOUT_FILENO)),
                  "cannot write to standard output");
        return exit_code::success;
    }
    const race::race_options options = chosen_options(arguments, workload);
    const race_programs programs(arguments.commands, options.scheme.workers);
    const std::vector<race::entrant> entrants = chosen_entrants(arguments, programs);
    result_files to(arguments.files);
    // Before the race, whose own load is not the machine's.
    const race::provenance from{race::take_fingerprint(), words};

    race::race_control control;
    const interrupt_guard guard(control);
    const race::race_result result = race_with_progress(workload, entrants, options, control);

    const bool written =
        to.write([&] { return race::to_json(result, from); }, [&] { return race::to_csv(result); },
                 [&](const race::text_style& style) { return race::to_text(result, from, style); });
    const int status = written ? status_of(result) : exit_code::failure;
    return interrupt_guard::signal() != 0 ? 128 + interrupt_guard::signal() : status;
}

} // namespace regatta::command
