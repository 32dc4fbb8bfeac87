// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race/race_command.hpp"

#include "common/any_failed.hpp"
#include "common/measurement.hpp"
#include "common/output_file.hpp"
#include "common/terminal.hpp"
#include "common/usage_error.hpp"
#include "race/race_launches.hpp"
#include "report/race/csv.hpp"
#include "report/race/full_text.hpp"
#include "report/race/json.hpp"
#include "report/race/launches_report.hpp"
#include "report/race/list.hpp"
#include "report/race/table.hpp"
#include "report/sweep/sweep_report.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

namespace regatta::command {
namespace {

/// What standard error says of schemes that gave no result. Of a whole sweep each line once.
class failures_told {
public:
    /// @param quiet there is no report, which would tell of those that failed.
    explicit failures_told(bool quiet) : quiet_(quiet) {}

    void cannot_run(const std::string& name, const std::string& reason) {
        say(fmt::format("regatta race: {} was asked for but cannot run: {}\n", name, reason));
    }
    void failed(const std::string& name, const std::string& reason) {
        if (quiet_) {
            say(fmt::format("regatta race: {} failed: {}\n", name, reason));
        }
    }

private:
    void say(const std::string& line) {
        if (said_.insert(line).second) {
            write_all(STDERR_FILENO, line, "cannot write to standard error");
        }
    }

    const bool quiet_;
    std::set<std::string> said_;
};

int status_of(const race::race_result& result, failures_told& told) {
    for (const race::scheme_result& one : result.schemes) {
        if (one.status == race::scheme_status::skipped && one.named) {
            told.cannot_run(one.name, one.reason);
        } else if (one.status == race::scheme_status::failed) {
            told.failed(one.name, one.reason);
        }
    }
    return any_failed(result) ? exit_code::failure : exit_code::success;
}

int status_of(const race::launches_result& result, const std::vector<race::entrant>& entrants,
              failures_told& told) {
    bool failed = !result.missing.empty();
    for (const race::unmeasured_scheme& one : result.missing) {
        told.failed(one.name, one.reason);
    }
    for (const race::unmeasured_scheme& one : result.skipped) {
        if (std::ranges::any_of(
                entrants, [&](const race::entrant& e) { return e.named && e.name == one.name; })) {
            told.cannot_run(one.name, one.reason);
            failed = true;
        }
    }
    return failed ? exit_code::failure : exit_code::success;
}

int status_of(const race::sweep_result& sweep, const std::vector<race::entrant>& entrants,
              failures_told& told) {
    int worst = exit_code::success;
    for (const race::sweep_cell* const cell : sweep.measured()) {
        worst = std::max(
            {worst, status_of(cell->result, told), status_of(cell->launches, entrants, told)});
    }
    return worst;
}

constexpr std::array<std::string_view, 4> options_of_list{"workload", "--list", "--json",
                                                          "--quiet"};

} // namespace

int run_race_command(const race_arguments& arguments, const std::vector<std::string>& words,
                     const std::vector<std::string>& typed_options) {
    const race::workload_info& workload = chosen_workload(arguments);
    if (arguments.list) {
        for (const std::string& one : typed_options) {
            if (std::ranges::find(options_of_list, one) == options_of_list.end()) {
                throw usage_error(fmt::format(
                    "{} is for a race, and --list begins none; it takes a workload, --json and "
                    "--quiet",
                    one));
            }
        }
        result_files to(data_alone(arguments.files));
        to.print_aside();
        const bool written = to.write(
            [&] {
                return race::list_json(workload, {race::take_fingerprint(), words});
            },
            [&](const race::text_style& style) { return race::list_text(workload, style); });
        return written ? exit_code::success : exit_code::failure;
    }
    race::race_options options = chosen_options(arguments, workload);
    const race_programs programs(arguments.commands, options.scheme.workers);
    const std::vector<race::entrant> entrants = chosen_entrants(arguments, programs);
    options.baseline = chosen_baseline(arguments, entrants);
    result_paths files = arguments.files;
    files.programs = programs.files();
    const unsigned launches = arguments.launches.value_or(1);
    std::vector<std::string> each = words;
    if (options.fill.count() > 0) { // more launches tell more than more rounds of one
        each.insert(each.begin() + 2, {"--rounds", std::to_string(options.rounds)});
    }
    std::string broken; // Why launches are missing.
    failures_told told(arguments.files.quiet);
    const auto documents = [&](race::race_control& control, const auto& report) {
        return run_launches(launches, options.seed, each, control, report, broken);
    };
    const auto with_broken = [&](int status) {
        if (!broken.empty()) {
            tell(broken);
        }
        return broken.empty() ? status : exit_code::failure;
    };
    if (launches > 1 && arguments.is_sweep()) {
        return measure_and_write(
            files, words,
            [&](race::race_control& control, const auto& report) {
                return race::sum_up_sweeps(workload, options, arguments.axes,
                                           documents(control, report), launches);
            },
            [&](const race::sweep_result& sweep) {
                return with_broken(status_of(sweep, entrants, told));
            });
    }
    if (launches > 1) {
        return measure_and_write(
            files, words,
            [&](race::race_control& control, const auto& report) {
                race::launches_result all =
                    race::sum_up_launches(documents(control, report), launches, options.seed);
                all.margin = options.margin; // Also where no launch counts.
                return all;
            },
            [&](const race::launches_result& result) {
                return with_broken(status_of(result, entrants, told));
            });
    }
    if (arguments.is_sweep()) {
        return measure_and_write(
            files, words,
            [&](race::race_control& control, const auto& report) {
                return race::run_sweep(workload, entrants, options, arguments.axes, control,
                                       report);
            },
            [&](const race::sweep_result& sweep) { return status_of(sweep, entrants, told); });
    }
    return measure_and_write(
        files, words,
        [&](race::race_control& control, const auto& report) {
            return race::run_race(workload, entrants, options, control, report);
        },
        [&](const race::race_result& result) { return status_of(result, told); });
}

} // namespace regatta::command
