// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race/race_isolation.hpp"

#include "common/argument_checks.hpp"
#include "common/duration_argument.hpp"
#include "common/lease_watcher.hpp"
#include "common/measurement.hpp"
#include "common/result_files.hpp"
#include "common/usage_error.hpp"
#include "isolation/experiment.hpp"
#include "programs/program.hpp"
#include "report/isolation/isolation_csv.hpp"
#include "report/isolation/isolation_json.hpp"
#include "report/isolation/isolation_table.hpp"

#include <regatta/process/subprocess.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

namespace regatta::command {
namespace {

constexpr unsigned most_workers = 1024;

/// As they were typed; what was not typed is absent.
struct isolation_arguments {
    std::string noise = race::noise_plan{}.to_string();
    std::optional<unsigned> workers;
    std::optional<unsigned> rounds;
    std::optional<std::string> work;
    std::string cpus;
    bool cpus_given = false;
    bool move_others = false;
    std::vector<std::string> program;
    result_paths files;
};

race::isolation_options options_of(const isolation_arguments& a) {
    race::isolation_options options;
    try {
        options.noise = race::parse_noise(a.noise);
    } catch (const std::invalid_argument& e) {
        throw usage_error(std::string("--") + e.what());
    }
    if (a.cpus_given) {
        try {
            options.cpus = cpu_set::parse(a.cpus);
        } catch (const std::invalid_argument& e) {
            throw usage_error(std::string("--cpus: ") + e.what());
        }
        if (options.cpus.empty()) {
            throw usage_error("--cpus: \"" + a.cpus + "\" names no CPU");
        }
    }
    options.workers = a.workers.value_or(options.workers);
    options.rounds = a.rounds.value_or(options.rounds);
    options.work = parse_duration(a.work.value_or("")).value_or(options.work);
    options.move_others = a.move_others;
    options.program = a.program;
    return options;
}

void check_program(const isolation_arguments& a, const std::vector<std::string>& words) {
    require_program_after_mark(a.program, words, "race isolation");
    if (a.work && !a.program.empty()) {
        throw usage_error("--work is for the fixed computation, and a program is run instead");
    }
}

/// The file of the program that is run, or an empty text if no program is.
std::string program_file(const race::isolation_options& options) {
    if (options.program.empty()) {
        return {};
    }
    const unsigned workers =
        options.workers != 0 ? options.workers : std::max(1U, options.cpus.count());
    const std::string name = race::with_workers(options.program.front(), workers);
    if (const std::string reason = race::why_not_startable(name); !reason.empty()) {
        throw usage_error(reason);
    }
    return find_program(name);
}

int isolation_status(const race::isolation_result& result) {
    const bool failed = std::ranges::any_of(result.modes, [](const race::mode_result& mode) {
        return mode.status == race::mode_status::failed;
    });
    return failed ? exit_code::failure : exit_code::success;
}

int run_command(const isolation_arguments& arguments, const std::vector<std::string>& words) {
    check_program(arguments, words);
    const race::isolation_options options = options_of(arguments);
    result_paths files = arguments.files;
    if (const std::string file = program_file(options); !file.empty()) {
        files.programs = {file};
    }
    const lease_watcher watcher; // It owns CPUs, and may move every process off them.
    return measure_and_write(
        files, words,
        [&](race::race_control& control, const auto& report) {
            return race::run_isolation(options, control, report);
        },
        isolation_status);
}

} // namespace

void add_race_isolation(subcommand parent, action& chosen, const std::vector<std::string>& words) {
    const subcommand command = parent.add_subcommand(
        "isolation", "Pin threads or own their CPUs: one computation, four ways to place it");
    const auto arguments = std::make_shared<isolation_arguments>();
    isolation_arguments& a = *arguments;
    command
        .add_option("program", a.program,
                    "A program and its arguments, after --, to run instead of the fixed "
                    "computation; {workers} in it becomes their number")
        .type_name("PROGRAM...");
    command
        .add_option("--noise", a.noise,
                    "hostile:M, M processes that spin on each worker's CPU; spread:M, M that spin "
                    "anywhere; bursty:M, M that spin and sleep; none, what runs here anyway")
        .type_name("KIND:M")
        .default_str(a.noise);
    command
        .add_option("--workers", a.workers, "Threads, each with the same work; CPUs of the program")
        .check(whole_number(1, most_workers))
        .type_name("N")
        .default_str("1, or one a CPU of --cpus");
    command.add_option("--rounds", a.rounds, "Rounds, after one of warm-up")
        .check(whole_number(1, race::most_rounds_of_all))
        .type_name("N")
        .default_str("15");
    command
        .add_option("--cpus", a.cpus,
                    "The workers' CPUs, to pin to and to own; without it those isolated at boot if "
                    "they are enough, else neither the first CPU nor its core")
        .type_name("LIST");
    command.add_option("--work", a.work, "CPU time of each worker's computation")
        .check(length_of_time("1ms", "1h"))
        .type_name("TIME")
        .default_str("200ms");
    add_result_options(command, a.files, "sample");
    command.add_flag(
        "--move-others", a.move_others,
        "Let every process be moved off the CPUs where they cannot be owned otherwise");
    command.footer(
        "Examples:\n"
        "  regatta race isolation\n"
        "  regatta race isolation --noise spread:4 --rounds 30\n"
        "  regatta race isolation --noise none      # beside the load that is there\n"
        "  regatta race isolation --cpus 2-5 --workers 4 --json result.json\n"
        "  regatta race isolation --workers 2 -- xz -T{workers} -kc FILE\n"
        "\nThe noise is made of this program's own processes and ends with it. Where CPUs cannot "
        "be owned, the report says why and has the other three modes.\n"
        "\nExit status: 0 all well, 1 a mode failed, 2 wrong usage, 129, 130 and 143 "
        "ended by SIGHUP, Ctrl-C and SIGTERM.");
    command.final_callback([command, &chosen, &words, arguments] {
        arguments->cpus_given = command.option_named("--cpus").count() != 0;
        chosen = [&words, arguments] { return run_command(*arguments, words); };
    });
}

} // namespace regatta::command
