// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "scale/scale_command.hpp"

#include "common/any_failed.hpp"
#include "common/measure_arguments.hpp"
#include "common/measurement.hpp"
#include "common/result_files.hpp"
#include "common/usage_error.hpp"
#include "report/scale/scale_csv.hpp"
#include "report/scale/scale_json.hpp"
#include "report/scale/scale_text.hpp"
#include "scale/worker_counts.hpp"
#include "scaling/scale.hpp"
#include "schemes/scheme.hpp"

#include <regatta/cpu/available_cpus.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace regatta::command {
namespace {

/// As they were typed; what was not typed is absent.
struct scale_arguments : measure_arguments {
    std::string workload = "primes";
    std::optional<std::string> scheme;
    std::string workers = "auto";
    result_paths files;
};

/// How many numbers of workers a round runs, one of them twice.
std::size_t parts_of(const race::scale_options& options) {
    const std::vector<unsigned> counts =
        options.workers.empty() ? race::usual_worker_counts(available_cpus()) : options.workers;
    return counts.size() + (std::ranges::find(counts, 1U) == counts.end() ? 2 : 1);
}

race::scale_options options_of(const scale_arguments& a, const race::workload_info& workload) {
    race::scale_options options;
    options.work = workload_options_of(a, workload);
    options.workers = parse_worker_counts(a.workers);
    options.rounds = a.rounds_or(options.rounds);
    options.time = a.time(parts_of(options));
    options.seed = a.order_seed_or_fresh();
    options.rate = a.rate();
    options.margin = a.margin_or(options.margin);
    return options;
}

int status_of(const race::scale_result& result) {
    return any_failed(result) ? exit_code::failure : exit_code::success;
}

int run_command(const scale_arguments& arguments, const std::vector<std::string>& words) {
    const race::workload_info& workload = workload_named(arguments.workload);
    const race::scheme_info& scheme =
        arguments.scheme ? scheme_named(*arguments.scheme) : race::usual_scheme(workload);
    if (scheme.traits.workers == race::worker_kind::one) {
        throw usage_error(fmt::format("the scheme {} has one worker, whatever number it is given; "
                                      "choose another one",
                                      scheme.name));
    }
    const race::scale_options options = options_of(arguments, workload);
    return measure_and_write(
        arguments.files, words,
        [&](race::race_control& control, const auto& report) {
            return race::run_scale(workload, scheme, options, control, report);
        },
        status_of);
}

} // namespace

void add_scale_command(subcommand app, action& chosen, const std::vector<std::string>& words) {
    const subcommand command = app.add_subcommand(
        "scale", "How far does it scale? One scheme, several numbers of workers");
    const auto arguments = std::make_shared<scale_arguments>();
    scale_arguments& a = *arguments;
    command.add_option("workload", a.workload, "What to run; ./FILE.so is code of your own")
        .default_str(a.workload);
    command
        .add_option("--scheme,--schemes", a.scheme,
                    "What runs it; ./FILE.so is a scheme of your own")
        .type_name("NAME")
        .default_str("std_thread, or the first that can");
    command
        .add_option("--workers", a.workers,
                    "Numbers of workers; auto: 1, 2, 4 ... up to the CPUs, and twice as many. One "
                    "is always among them")
        .type_name("A,B,...|auto")
        .default_str(a.workers);
    add_measure_options(command, a);
    add_size_option(command, a);
    add_rate_option(command, a);
    add_time_each_option(command, a, "number of workers");
    add_margin_option(command, a);
    add_result_options(command, a.files, "number of workers");
    command.footer("Examples:\n"
                   "  regatta scale\n"
                   "  regatta scale primes --workers 1,2,4,8 --time 60\n"
                   "  regatta scale primes --workers 1,2,4,8 --time-each 30s\n"
                   "  regatta scale matmul --kernel blas --size 1000 --json result.json\n"
                   "  regatta scale stream                  # does memory set the limit?\n"
                   "  regatta scale primes --rate 2000      # latency under an even load\n"
                   "  regatta race --list                   # workloads and schemes\n"
                   "\nExit status: 0 all well, 1 it could not be measured, 2 wrong usage, 129, "
                   "130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM.");
    command.runs(chosen, [&words, arguments] { return run_command(*arguments, words); });
}

} // namespace regatta::command
