// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "watch/watch_command.hpp"

#include "common/argument_checks.hpp"
#include "common/duration_argument.hpp"
#include "common/usage_error.hpp"
#include "machine/process_activity.hpp"
#include "watch/watch_session.hpp"

#include <fmt/core.h>

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace regatta::command {
namespace {

/// As they were typed; what was not typed is absent.
struct watch_arguments {
    std::optional<int> process;
    std::vector<std::string> program;
    std::string interval = "1s";
    bool once = false;
    std::optional<unsigned long> count;
    std::string json;
};

/// Refuses a number that is no process.
void check_process(int number) {
    const auto process = race::process_of_task(number);
    if (!process && (::kill(number, 0) == 0 || errno == EPERM)) {
        throw usage_error(
            fmt::format("--pid: /proc hides process {} from this user (hidepid)", number));
    }
    if (!process) {
        throw usage_error(fmt::format("--pid: there is no process {}", number));
    }
    if (*process != number) {
        throw usage_error(fmt::format("--pid: {} is a thread of process {}", number, *process));
    }
}

int run_command(const watch_arguments& arguments, const std::vector<std::string>& words) {
    require_program_after_mark(arguments.program, words, "watch");
    if (!race::process_of_task(::getpid())) {
        throw std::runtime_error("/proc cannot be read, so there is nothing to watch");
    }
    watch_options options;
    options.interval = parse_duration(arguments.interval).value_or(options.interval);
    const bool has_unit = arguments.interval.find_first_not_of("0123456789.") != std::string::npos;
    options.pace = arguments.interval + (has_unit ? "" : "s");
    if (arguments.process) {
        if (!arguments.program.empty()) {
            throw usage_error("watch a process with --pid or start a program after --, not both");
        }
        check_process(*arguments.process);
    }
    options.process = arguments.process;
    options.program = arguments.program;
    options.once = arguments.once;
    options.count = arguments.once ? 1 : arguments.count;
    options.json = arguments.json;
    return run_watch(options);
}

} // namespace

void add_watch_command(subcommand app, action& chosen, const std::vector<std::string>& words) {
    const subcommand command = app.add_subcommand(
        "watch", "Show what the CPUs do, and where the threads of a program run");
    const auto arguments = std::make_shared<watch_arguments>();
    watch_arguments& a = *arguments;
    command.add_option("program", a.program, "A program to start and its arguments, after --")
        .type_name("PROGRAM...");
    command.add_option("--pid", a.process, "The process to watch, with its descendants")
        .check(whole_number(1, std::numeric_limits<int>::max()))
        .type_name("P");
    command
        .add_option("--interval", a.interval,
                    "How often to look: 500ms, 2s, 1min; without a unit seconds")
        .check(length_of_time("100ms", "1h"))
        .type_name("TIME")
        .default_str(a.interval);
    const option once =
        command.add_flag("--once", a.once, "Look once, over one interval, and print it");
    command.add_option("--count", a.count, "Look as many times")
        .check(whole_number(1, 1'000'000'000))
        .type_name("N")
        .excludes(once);
    command
        .add_option(
            "--json", a.json,
            "Write each look as one line of JSON here; - is standard output, without a view")
        .check(check_file)
        .type_name("FILE");
    command.footer(
        "Examples:\n"
        "  regatta watch                            the machine; q quits\n"
        "  regatta watch --pid 1234                 and the threads of a process\n"
        "  regatta watch -- ./server --port 80      and those of a program that it starts\n"
        "  regatta watch --once --json -            one look, for scripts\n"
        "\nThe output of a program is shown when the view has gone, and its last line in the view; "
        "after q it goes on in the foreground.\n"
        "\nExit status: the program's, or 128 and the number of the signal that ended it; 127 "
        "there is no such program, 126 it cannot be run. Without a program 0, 128 and the signal, "
        "or 1 if something could not be written; 2 wrong usage.");
    command.runs(chosen, [&words, arguments] { return run_command(*arguments, words); });
}

} // namespace regatta::command
