// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "measure_arguments.hpp"

#include "nearest_name.hpp"
#include "usage_error.hpp"
#include "workloads/settings.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>
#include <vector>

namespace regatta::command {
namespace {

constexpr unsigned most_rounds = 100'000;
constexpr double most_seconds = 7.0 * 24 * 3600;

/// The entry of that name among those listed.
template<class Info>
const Info& named(const Info* found, std::string_view kind, std::string_view typed,
                  const std::vector<Info>& all) {
    if (found != nullptr) {
        return *found;
    }
    std::vector<std::string_view> names;
    for (const Info& info : all) {
        names.push_back(info.name);
    }
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

std::chrono::nanoseconds measure_arguments::time() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(seconds.value_or(0)));
}

void add_measure_options(CLI::App& command, measure_arguments& a) {
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
}

const race::workload_info& workload_named(const std::string& name) {
    return named(race::find_workload(name), "workload", name, race::workloads());
}

const race::scheme_info& scheme_named(const std::string& name) {
    return named(race::find_scheme(name), "scheme", name, race::schemes());
}

race::workload_options workload_options_of(const measure_arguments& arguments,
                                           const race::workload_info& workload) {
    const auto refuse_unless_read = [&](bool given, std::string_view option) {
        if (given && !race::reads_option(workload, option)) {
            throw usage_error(fmt::format("the workload {} does not read --{}; its options: {}",
                                          workload.name, option, workload.options));
        }
    };
    refuse_unless_read(arguments.size.has_value(), "size");
    refuse_unless_read(arguments.kernel.has_value(), "kernel");
    refuse_unless_read(arguments.max_prime.has_value(), "max-prime");
    race::workload_options options;
    options.size = arguments.size;
    options.kernel = arguments.kernel.value_or(options.kernel);
    options.max_prime = arguments.max_prime;
    options.seed = arguments.seed.value_or(options.seed);
    return options;
}

} // namespace regatta::command
