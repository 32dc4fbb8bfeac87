// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race_command.hpp"

#include "interrupt.hpp"
#include "list.hpp"
#include "output_file.hpp"
#include "progress_bar.hpp"
#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/table.hpp"
#include "terminal.hpp"
#include "usage_error.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <system_error>

namespace regatta::command {
namespace {

/// Where the results go, opened before the race.
struct outputs {
    explicit outputs(const race_arguments& arguments) {
        if (arguments.json == "-" && arguments.csv == "-") {
            throw usage_error("--json and --csv cannot both go to standard output");
        }
        if (!arguments.json.empty() && arguments.json == arguments.csv) {
            throw usage_error("--json and --csv cannot both go to " + arguments.json);
        }
        try {
            if (!arguments.json.empty()) {
                json.emplace(arguments.json);
            }
            if (!arguments.csv.empty()) {
                csv.emplace(arguments.csv);
            }
        } catch (const std::system_error& e) {
            throw usage_error(e.what());
        }
    }

    /// The text goes where no data go.
    int text_descriptor() const noexcept {
        const auto takes_it = [](const std::optional<output_file>& file) {
            return file && file->is_standard_output();
        };
        return takes_it(json) || takes_it(csv) ? STDERR_FILENO : STDOUT_FILENO;
    }

    std::optional<output_file> json;
    std::optional<output_file> csv;
};

race::race_result race_with_progress(const race::workload_info& workload,
                                     const std::vector<race::entrant>& entrants,
                                     const race::race_options& options,
                                     race::race_control& control) {
    progress_bar bar;
    return race::run_race(workload, entrants, options, control,
                          [&](const race::progress& now) { bar.show(now); });
}

/// Does it; where the system refuses, says so and returns false.
template<class F>
bool try_to(F f) {
    try {
        f();
        return true;
    } catch (const std::system_error& e) {
        std::fprintf(stderr, "regatta: %s\n", e.what());
        return false;
    }
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
    const std::vector<race::entrant> entrants = chosen_entrants(arguments);
    const race::race_options options = chosen_options(arguments, workload);
    outputs to(arguments);
    // Before the race, whose own load is not the machine's.
    const race::provenance from{race::take_fingerprint(), words};

    race::race_control control;
    const interrupt_guard guard(control);
    const race::race_result result = race_with_progress(workload, entrants, options, control);

    // What was measured is not lost because one of its views cannot be written.
    bool written = try_to([&] {
        if (to.json) {
            to.json->write(race::to_json(result, from));
        }
    });
    written &= try_to([&] {
        if (to.csv) {
            to.csv->write(race::to_csv(result));
        }
    });
    written &= try_to([&] {
        const int text = to.text_descriptor();
        write_all(text, race::to_text(result, from, style_of(text)), "cannot write the report");
    });
    const int status = written ? status_of(result) : exit_code::failure;
    return interrupt_guard::signal() != 0 ? 128 + interrupt_guard::signal() : status;
}

} // namespace regatta::command
