// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race_arguments.hpp"

#include "nearest_name.hpp"
#include "programs/program.hpp"
#include "usage_error.hpp"
#include "workloads/settings.hpp"

#include <regatta/cpu/available_cpus.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace regatta::command {
namespace {

constexpr unsigned most_rounds = 100'000;
constexpr double most_seconds = 7.0 * 24 * 3600;
constexpr std::size_t most_chunk = 1'000'000;

template<class Infos>
std::vector<std::string_view> names_of(const Infos& infos) {
    std::vector<std::string_view> names;
    for (const auto& info : infos) {
        names.push_back(info.name);
    }
    return names;
}

[[noreturn]] void refuse_name(std::string_view kind, std::string_view typed,
                              const std::vector<std::string_view>& names) {
    const std::string near = nearest_name(typed, names);
    throw usage_error(fmt::format("there is no {} \"{}\"{}; `regatta race --list` shows all", kind,
                                  typed,
                                  near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
}

/// What is wrong with the text of a whole number; empty: nothing. CLI11 itself wraps "-1" round.
std::string check_whole(const std::string& text) {
    std::uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end
               ? std::string()
               : fmt::format("\"{}\" is not a whole number from 0 to 18446744073709551615", text);
}

std::string check_seconds(const std::string& text) {
    const CLI::Range range(0.001, most_seconds);
    double seconds = 0;
    const bool number = CLI::detail::lexical_cast(text, seconds) && !std::isnan(seconds);
    return number && range(text).empty()
               ? std::string()
               : fmt::format("\"{}\" is not a number from 0.001 to {}", text, most_seconds);
}

} // namespace

void add_race_options(CLI::App& command, race_arguments& a) {
    command.add_option("workload", a.workload, "What to run")->default_str("matmul");
    command
        .add_option("--command", a.commands,
                    "A program that takes part, timed as a whole; {workers} in it becomes the "
                    "number of workers. May be there several times; without a workload and "
                    "--schemes only programs race")
        ->allow_extra_args(false)
        ->type_name("'NAME=CMD'");
    command
        .add_option("--schemes", a.schemes, "Who takes part; NAME=SCHEME enters one under a name")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("A,B,...")
        ->default_str("all");
    command.add_option("--workers", a.workers, "Workers of each scheme")
        ->check(CLI::Range(1U, race::run_log::max_workers))
        ->type_name("N")
        ->default_str("CPUs available");
    auto* rounds = command.add_option("--rounds", a.rounds, "Rounds, after one of warm-up")
                       ->check(CLI::Range(1U, most_rounds))
                       ->type_name("N")
                       ->default_str("15");
    command.add_option("--time", a.seconds, "Rounds until this time is up")
        ->check(check_seconds, "")
        ->type_name("SECONDS")
        ->excludes(rounds);
    command.add_option("--size", a.size, "Size of the problem, in the workload's unit")
        ->check(check_whole, "")
        ->type_name("N");
    command.add_option("--kernel", a.kernel, "Which code computes an item")->type_name("NAME");
    command.add_option("--max-prime", a.max_prime, "Up to which number an item counts primes")
        ->check(check_whole, "")
        ->type_name("N");
    command.add_option("--seed", a.seed, "Of the data and of the order of the runs")
        ->check(check_whole, "")
        ->type_name("N")
        ->default_str("1");
    command
        .add_option("--chunk", a.chunk, "Items a message or batch, where a scheme sends several")
        ->check(CLI::Range(std::size_t{1}, most_chunk))
        ->type_name("N")
        ->default_str("8");
    command.add_option("--baseline", a.baseline, "Whom the others are compared with")
        ->type_name("NAME")
        ->default_str("std_thread");
    add_result_options(command, a.files, "scheme");
    command.add_flag("--list", a.list, "List workloads and schemes, and end");
    command.footer(
        "Examples:\n"
        "  regatta race\n"
        "  regatta race matmul --size 1024 --kernel tiled --rounds 30\n"
        "  regatta race --schemes serial,std_thread,tbb --workers 64\n"
        "  regatta race --schemes a=std_thread,b=std_thread   # how large is the noise?\n"
        "  regatta race --time 60 --json result.json\n"
        "  regatta race --command 'one=xz -T1 -k -c f' --command 'all=xz -T{workers} -k -c f'\n"
        "\nExit status: 0 all well, 1 a scheme failed, 2 wrong usage, 130 interrupted.");
}

const race::workload_info& chosen_workload(const race_arguments& arguments) {
    if (arguments.programs_only() && !arguments.list) {
        return race::no_workload();
    }
    const std::string name = arguments.workload.value_or("matmul");
    const race::workload_info* found = race::find_workload(name);
    if (found == nullptr) {
        refuse_name("workload", name, names_of(race::workloads()));
    }
    return *found;
}

std::vector<race::entrant> chosen_entrants(const race_arguments& arguments,
                                           const race_programs& programs) {
    std::vector<race::entrant> entrants;
    for (const std::string& word : arguments.schemes) {
        const auto equals = word.find('=');
        const std::string alias = word.substr(0, std::min(equals, word.size()));
        const std::string name = equals == word.npos ? word : word.substr(equals + 1);
        if (alias.empty() || name.empty()) {
            throw usage_error(fmt::format(
                "--schemes: \"{}\" is neither the name of a scheme nor NAME=SCHEME", word));
        }
        const race::scheme_info* found = race::find_scheme(name);
        if (found == nullptr) {
            refuse_name("scheme", name, names_of(race::schemes()));
        }
        const bool taken = std::ranges::any_of(
            entrants, [&](const race::entrant& one) { return one.name == alias; });
        if (taken) {
            throw usage_error(fmt::format(
                "--schemes: \"{}\" is there twice; to run one scheme twice give it a second name: "
                "other={}",
                alias, name));
        }
        entrants.push_back({alias, found, true});
    }
    if (arguments.schemes.empty() && !arguments.programs_only()) {
        for (const race::scheme_info& info : race::schemes()) {
            entrants.push_back({std::string(info.name), &info, false});
        }
    }
    programs.enter(entrants);
    const bool known = std::ranges::any_of(
        entrants, [&](const race::entrant& one) { return one.name == arguments.baseline; });
    if (!arguments.baseline.empty() && !known) {
        throw usage_error(
            fmt::format("--baseline: \"{}\" is not in this race", arguments.baseline));
    }
    return entrants;
}

race::race_options chosen_options(const race_arguments& arguments,
                                  const race::workload_info& workload) {
    if (workload.name.empty() &&
        (arguments.size || arguments.kernel || arguments.max_prime || arguments.chunk)) {
        throw usage_error("--size, --kernel, --max-prime and --chunk are for the schemes of a "
                          "workload, and only programs take part; name a workload to race both");
    }
    const auto refuse_unless_read = [&](bool given, std::string_view option) {
        if (given && !race::reads_option(workload, option)) {
            throw usage_error(fmt::format("the workload {} does not read --{}; its options: {}",
                                          workload.name, option, workload.options));
        }
    };
    refuse_unless_read(arguments.size.has_value(), "size");
    refuse_unless_read(arguments.kernel.has_value(), "kernel");
    refuse_unless_read(arguments.max_prime.has_value(), "max-prime");
    race::race_options options;
    options.work.size = arguments.size;
    options.work.kernel = arguments.kernel.value_or(options.work.kernel);
    options.work.max_prime = arguments.max_prime;
    options.seed = arguments.seed.value_or(options.seed);
    options.work.seed = options.seed;
    options.scheme.workers = arguments.workers ? *arguments.workers : available_cpus();
    options.scheme.chunk = arguments.chunk.value_or(options.scheme.chunk);
    options.baseline = arguments.baseline;
    options.rounds = arguments.rounds.value_or(arguments.seconds ? 0 : options.rounds);
    if (arguments.seconds) {
        options.time = std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(*arguments.seconds));
    }
    return options;
}

} // namespace regatta::command
