// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advise/advise_command.hpp"
#include "common/crash_notice.hpp"
#include "common/interrupt.hpp"
#include "common/output_file.hpp"
#include "common/start_cpus.hpp"
#include "common/subcommand.hpp"
#include "common/terminal.hpp"
#include "common/usage_error.hpp"
#include "cpus/cpus_command.hpp"
#include "documents/documents.hpp"
#include "info/info_command.hpp"
#include "isolation/noise.hpp"
#include "race/race_arguments.hpp"
#include "race/race_command.hpp"
#include "race/race_isolation.hpp"
#include "scale/scale_command.hpp"
#include "schemes/scheme.hpp"
#include "shm/shm_command.hpp"
#include "watch/watch_command.hpp"

#include <regatta/base/version.hpp>

#include <clocale>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace regatta::command;

int report(const std::string& what, int status) {
    tell(what);
    return status;
}

int report_usage(const char* what, const std::string& command) {
    const int status = report(what, exit_code::usage);
    std::fprintf(stderr, "See `%s --help`.\n", command.c_str());
    return status;
}

int run(int argc, char** argv) {
    const std::string version = std::string("regatta ") + regatta::version_string;
    const command_line line("regatta",
                            "Races parallel schemes against each other, says why the winner wins, "
                            "and gives programs CPUs of their own.",
                            version);
    const subcommand app = line.top();
    action chosen;
    race_arguments arguments;
    const std::vector<std::string> words(argv, argv + argc);
    const subcommand race = app.add_subcommand("race", "Race schemes over a workload");
    add_race_options(race, arguments);
    add_race_isolation(race, chosen, words);
    race.runs(chosen, [&] { return run_race_command(arguments, words, race.typed_options()); });
    add_scale_command(app, chosen, words);
    // The same experiment under both: whoever races and whoever owns CPUs looks for it there.
    add_race_isolation(add_cpus_command(app, chosen, words), chosen, words);
    add_info_command(app, chosen, words);
    add_watch_command(app, chosen, words);
    add_advise_command(app, chosen, words);
    add_shm_command(app, chosen);
    app.footer(
        "Examples:\n"
        "  regatta race                     every scheme in C++, 512 x 512 matrices\n"
        "  regatta race --list              what there is to race\n"
        "  regatta race isolation           pin threads, or own their CPUs?\n"
        "  regatta scale                    how far does it scale?\n"
        "  regatta cpus                     the CPUs of this machine\n"
        "  regatta info                     the machine, and what spoils a benchmark\n"
        "  regatta watch -- PROGRAM         what the CPUs do, and where its threads run\n"
        "  regatta shm                      shared memory, and what was left behind\n"
        "  regatta race --help              all options\n"
        "\nEnvironment: NO_COLOR, CLICOLOR=0 and TERM=dumb switch colours off, CLICOLOR_FORCE "
        "on; COLUMNS is the width of a text; where LC_ALL, LC_CTYPE or LANG name no installed "
        "locale "
        "with UTF-8 the output is ASCII; REGATTA_PYTHON is the Python of the schemes that need "
        "one; TMPDIR holds "
        "temporary files.\n"
        "\nExit status: 0 all well, 1 it failed, 2 wrong usage; each command's help has its "
        "own.");
    if (const auto status = write_documents(app, words, version)) {
        return *status;
    }
    const std::vector<std::string> typed(words.begin() + (argc > 0), words.end());
    try {
        const auto status = line.parse(typed);
        return status ? *status : chosen();
    } catch (const usage_error& e) {
        return report_usage(e.what(), line.command_of(typed));
    } catch (const std::invalid_argument& e) {
        return report_usage(e.what(), line.command_of(typed));
    }
}

} // namespace

/// The regatta command.
int main(int argc, char** argv) {
    return_to_start_cpus();
    if (const auto status = regatta::race::run_as_worker(argc, argv)) {
        return *status;
    }
    if (const auto status = regatta::race::run_as_noise(argc, argv)) {
        return *status;
    }
    hold_standard_descriptors();
    std::setlocale(LC_CTYPE, "");
    keep_ends_of_children();
    outlive_failed_writes();
    tell_of_crashes();
    tell_of_exits();
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        return report(e.what(), exit_code::failure);
    }
}
