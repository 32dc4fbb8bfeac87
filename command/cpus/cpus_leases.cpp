// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "cpus/cpus_leases.hpp"

#include "common/argument_checks.hpp"
#include "common/output_file.hpp"
#include "common/result_files.hpp"
#include "common/terminal.hpp"
#include "common/usage_error.hpp"
#include "report/cpus/cpus_status_report.hpp"

#include <regatta/base/version.hpp>
#include <regatta/lease/exclusive_leases.hpp>

#include <fmt/core.h>

#include <unistd.h>

#include <memory>
#include <string>

namespace regatta::command {
namespace {

/// As they were typed.
struct status_arguments {
    result_paths files;
    bool effects = false;
};

int show_status(const status_arguments& arguments) {
    race::cpus_status found;
    found.leases = exclusive_status(found.unread);
    result_files to(data_alone(arguments.files));
    const bool written = to.write(
        [&] { return race::cpus_status_json(found); },
        [&](const race::text_style&) { return race::cpus_status_text(found, arguments.effects); });
    return written && found.unread.empty() ? exit_code::success : exit_code::failure;
}

void add_status(subcommand cpus, action& chosen) {
    const subcommand command =
        cpus.add_subcommand("status", "Show who owns CPUs, and whose owner has died");
    const auto arguments = std::make_shared<status_arguments>();
    status_arguments& a = *arguments;
    add_json_option(command, a.files, "all of it");
    command.add_flag("--effects", a.effects, "Show what each lease has done to the machine");
    command.footer("Exit status: 0, also where nobody owns any; 1 not every lease could be read, "
                   "or the result not be written; 2 wrong usage, or a file that cannot be opened.");
    command.runs(chosen, [arguments] { return show_status(*arguments); });
}

int release_stale_leases() {
    const stale_release result = release_stale();
    std::string text;
    for (const exclusive_lease& lease : result.released) {
        text += fmt::format("CPUs {}: undone what process {} had left behind\n",
                            lease.cpus.to_string(), lease.process);
    }
    if (result.released.empty() && result.problems.empty() && result.unread.empty()) {
        text = "Nothing was left behind.\n";
    }
    write_all(STDOUT_FILENO, text, "cannot write to standard output");
    for (const std::string& note : result.notes) {
        tell(note);
    }
    for (const std::string& note : result.unread) {
        tell(note);
    }
    for (const std::string& problem : result.problems) {
        tell("not undone: " + problem);
    }
    return result.problems.empty() && result.unread.empty() ? exit_code::success
                                                            : exit_code::failure;
}

void add_release(subcommand cpus, action& chosen) {
    const subcommand command =
        cpus.add_subcommand("release", "Undo what programs left behind that owned CPUs and died");
    const auto stale = std::make_shared<bool>(false);
    command.add_flag("--stale", *stale,
                     "Leases whose owners have died, the only ones that are "
                     "given back by others");
    command.footer("Living owners give back their CPUs themselves: end them.\n"
                   "\nExit status: 0 nothing is left behind, 1 something could not be undone or "
                   "not be read, 2 wrong usage.");
    command.final_callback([&chosen, stale] {
        if (!*stale) {
            throw usage_error("say --stale: leases of living programs end with those");
        }
        if (!chosen) {
            chosen = release_stale_leases;
        }
    });
}

} // namespace

void add_cpus_leases(subcommand cpus, action& chosen) {
    add_status(cpus, chosen);
    add_release(cpus, chosen);
}

} // namespace regatta::command
