// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race/race_arguments.hpp"

#include "common/argument_checks.hpp"
#include "common/duration_argument.hpp"
#include "common/usage_error.hpp"
#include "programs/program.hpp"
#include "sampling/verdict.hpp"
#include "schemes/scheme.hpp"

#include <regatta/base/detail/printable_text.hpp>
#include <regatta/cpu/available_cpus.hpp>

#include <fmt/core.h>

#include <algorithm>

namespace regatta::command {
namespace {

constexpr std::size_t most_chunk = 1'000'000;
constexpr std::size_t most_capacity = 1'000'000'000;
constexpr unsigned most_launches = 1000;

template<class T>
void refuse_twice(const char* option, const std::vector<T>& values) {
    for (auto one = values.begin(); one != values.end(); ++one) {
        if (std::find(one + 1, values.end(), *one) != values.end()) {
            throw usage_error(fmt::format("{}: {} is there twice", option, *one));
        }
    }
}

/// Refuses an option that was typed, is for schemes of a kind, and would do nothing without one.
void refuse_without(const std::vector<race::entrant>& entrants, bool race::scheme_traits::*kind,
                    bool typed, std::string_view what) {
    if (!typed || std::ranges::any_of(entrants, [&](const race::entrant& one) {
            return one.scheme->traits.*kind;
        })) {
        return;
    }
    std::string names;
    for (const race::scheme_info& info : race::schemes()) {
        if (info.traits.*kind) {
            names += (names.empty() ? "" : ", ") + std::string(info.name);
        }
    }
    throw usage_error(fmt::format("{} ({}), and none takes part", what, names));
}

/// As many as there are CPUs; where items are offered at a rate, the producer has one of these.
unsigned workers_beside(bool producer) {
    const unsigned cpus = available_cpus();
    return producer && cpus > 1 ? cpus - 1 : cpus;
}

} // namespace

void add_race_options(subcommand command, race_arguments& a) {
    command.add_option("workload", a.workload, "What to run; ./FILE.so is code of your own")
        .default_str("matmul");
    command
        .add_option("--command", a.commands,
                    "A program that takes part, timed as a whole; {workers} in it becomes the "
                    "number of workers. May be there several times; without a workload and "
                    "--schemes only programs race")
        .one_value_each()
        .type_name("'NAME=CMD'");
    command
        .add_option(
            "--schemes", a.schemes,
            "Who takes part; ./FILE.so is a scheme of your own, NAME=SCHEME one under another name")
        .delimiter(',')
        .one_value_each()
        .type_name("A,B,...")
        .default_str("all but those in Python");
    command.add_option("--workers", a.axes.workers, "Workers of each scheme; several make a sweep")
        .check(whole_number(1, race::run_log::max_workers))
        .delimiter(',')
        .one_value_each()
        .type_name("N,...")
        .default_str("CPUs available, less one for the producer with --rate");
    add_measure_options(command, a);
    command.option_named("--rounds")
        .default_str(fmt::format("15, or up to {} within {} s", 15 * race::most_rounds_to_fill,
                                 race::usual_fill.count()));
    add_sizes_option(command, a.axes.sizes);
    command
        .add_option("--chunk", a.axes.chunks,
                    "Items a message or batch, where a scheme sends several; several make a sweep")
        .check(whole_number(1, most_chunk))
        .delimiter(',')
        .one_value_each()
        .type_name("N,...")
        .default_str("8");
    command
        .add_option("--capacity", a.axes.capacities,
                    "Queued tasks at most in pools that take a bound; who finds no room waits; 0: "
                    "no bound; several make a sweep")
        .check(whole_number(0, most_capacity))
        .delimiter(',')
        .one_value_each()
        .type_name("N,...")
        .default_str("0");
    command
        .add_option("--kill-every", a.kill_every,
                    "Kill a worker after each such time, where a scheme replaces it: 100ms")
        .check(length_of_time("1us", "30d"))
        .type_name("TIME");
    command.add_option("--baseline", a.baseline, "Whom the others are compared with")
        .check([](const std::string& name) {
            return std::string(name.empty() ? "the name is empty" : "");
        })
        .type_name("NAME")
        .default_str(std::string(race::usual_baseline().name));
    add_margin_option(command, a);
    add_rate_option(command, a);
    add_time_each_option(command, a, "race of a sweep");
    command
        .add_option("--launches", a.launches,
                    "Race in so many fresh processes, intervals over these; a verdict "
                    "takes 6, among 28 schemes 11")
        .check(whole_number(1, most_launches))
        .type_name("N")
        .default_str("1");
    command.add_flag("--reuse", a.reuse,
                     "Measure pools after their first job, which is not timed; others as usual");
    add_result_options(command, a.files, "scheme");
    command.add_flag("--list", a.list, "List workloads and schemes, and end; --json as usual");
    command.footer(
        "Examples:\n"
        "  regatta race\n"
        "  regatta race matmul --size 1024 --kernel tiled --rounds 30\n"
        "  regatta race --schemes serial,std_thread,tbb --workers 64\n"
        "  regatta race --size 128,256,512 --workers 1,2,4\n"
        "  regatta race --schemes a=std_thread,b=std_thread   # how large is the noise?\n"
        "  regatta race --time 1min --json result.json --html result.html\n"
        "  regatta race empty --rate 20000/s --size 20000   # whose latency is lowest?\n"
        "  regatta race --command 'one=xz -kc f' --command 'all=xz -kc -T{workers} f'\n"
        "\nExit status: 0 all well, 1 a scheme failed, 2 wrong usage, 129, 130 and 143 "
        "ended by SIGHUP, Ctrl-C and SIGTERM.");
}

const race::workload_info& chosen_workload(const race_arguments& arguments) {
    if (arguments.programs_only() && !arguments.list) {
        return race::no_workload();
    }
    return workload_named(arguments.workload.value_or("matmul"));
}

std::vector<race::entrant> chosen_entrants(const race_arguments& arguments,
                                           const race_programs& programs) {
    std::vector<race::entrant> entrants;
    std::string unknown;
    for (const std::string& word : arguments.schemes) {
        // In a path it is a letter.
        const auto equals = word.find('/') < word.find('=') ? word.npos : word.find('=');
        const std::string alias = word.substr(0, std::min(equals, word.size()));
        const std::string name = equals == word.npos ? word : word.substr(equals + 1);
        if (alias.empty() || name.empty()) {
            throw usage_error(fmt::format(
                "--schemes: \"{}\" is neither the name of a scheme nor NAME=SCHEME", word));
        }
        if (detail::printable_text(alias) != alias) {
            throw usage_error(fmt::format(
                "--schemes: the name \"{}\" has a character that cannot be shown", alias));
        }
        const race::scheme_info* const found = find_scheme(name);
        if (found == nullptr) {
            unknown += (unknown.empty() ? "" : ", ") + unknown_scheme(name);
            continue;
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
    if (!unknown.empty()) {
        throw usage_error(fmt::format("{}; `regatta race --list` shows all", unknown));
    }
    if (arguments.schemes.empty() && !arguments.programs_only()) {
        for (const race::scheme_info& info : race::schemes()) {
            if (!info.on_request) {
                entrants.push_back({std::string(info.name), &info, false});
            }
        }
    }
    refuse_without(entrants, &race::scheme_traits::replaces_workers, !arguments.kill_every.empty(),
                   "--kill-every is for schemes that replace a worker that dies");
    refuse_without(entrants, &race::scheme_traits::bounded, !arguments.axes.capacities.empty(),
                   "--capacity is for pools that take a bound");
    refuse_without(entrants, &race::scheme_traits::sends_chunks, !arguments.axes.chunks.empty(),
                   "--chunk is for schemes that send several items at once");
    if (arguments.reuse && std::ranges::none_of(entrants, [](const race::entrant& one) {
            return one.scheme->reusable;
        })) {
        throw usage_error("--reuse is for schemes that can do a second job, such as thread pools, "
                          "and none takes part");
    }
    programs.enter(entrants);
    for (const race::entrant& one : entrants) {
        if (one.name.ends_with(race::control_name(""))) {
            throw usage_error(fmt::format("\"{}\": names that end with \"{}\" are those of the "
                                          "baseline's second run",
                                          one.name, race::control_name("")));
        }
    }
    return entrants;
}

std::string chosen_baseline(const race_arguments& arguments,
                            const std::vector<race::entrant>& entrants) {
    const std::string& name = arguments.baseline;
    if (name.empty() || std::ranges::find(entrants, name, &race::entrant::name) != entrants.end()) {
        return name;
    }
    const race::scheme_info* const scheme = find_scheme(name);
    const auto found = std::ranges::find(entrants, scheme, &race::entrant::scheme);
    if (scheme == nullptr || std::ranges::count(entrants, scheme, &race::entrant::scheme) != 1) {
        throw usage_error(fmt::format("--baseline: \"{}\" is not in this race", name));
    }
    return found->name;
}

race::race_options chosen_options(const race_arguments& arguments,
                                  const race::workload_info& workload) {
    if (workload.name.empty() &&
        (!arguments.axes.sizes.empty() || arguments.kernel || arguments.max_prime ||
         arguments.items || arguments.type || arguments.seed || arguments.reuse ||
         !arguments.axes.chunks.empty() || !arguments.axes.capacities.empty())) {
        throw usage_error(
            "--size, --kernel, --type, --items, --max-prime, --seed, --chunk, --capacity and "
            "--reuse are for the schemes of a workload, and only programs take part; name a "
            "workload to race both");
    }
    refuse_twice("--size", arguments.axes.sizes);
    refuse_twice("--workers", arguments.axes.workers);
    refuse_twice("--chunk", arguments.axes.chunks);
    refuse_twice("--capacity", arguments.axes.capacities);
    if (arguments.is_sweep() && !arguments.commands.empty()) {
        throw usage_error("--command takes part in one race, not in a sweep; give "
                          "--size, --workers, --chunk and --capacity one value each");
    }
    if (arguments.rate() && !arguments.commands.empty()) {
        throw usage_error("--rate: items cannot be offered to a program; race programs without it");
    }
    race::race_options options;
    measure_arguments first = arguments;
    if (!arguments.axes.sizes.empty()) {
        first.size = arguments.axes.sizes.front();
    }
    options.work = workload_options_of(first, workload);
    options.seed = arguments.order_seed_or_fresh();
    options.scheme.workers = arguments.axes.workers.empty()
                                 ? workers_beside(arguments.rate().has_value())
                                 : arguments.axes.workers.front();
    options.rate = arguments.rate();
    options.reuse = arguments.reuse;
    if (!arguments.axes.chunks.empty()) {
        options.scheme.chunk = arguments.axes.chunks.front();
    }
    if (!arguments.axes.capacities.empty()) {
        options.scheme.capacity = arguments.axes.capacities.front();
    }
    options.scheme.kill_every =
        parse_duration(arguments.kill_every).value_or(options.scheme.kill_every);
    options.margin = arguments.margin_or(options.margin);
    options.rounds = arguments.rounds_or(options.rounds);
    options.time = arguments.time(arguments.axes.cells());
    if (!arguments.rounds && options.rounds != 0) {
        options.fill = race::usual_fill;
    }
    return options;
}

} // namespace regatta::command
