// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/measure_arguments.hpp"

#include "common/argument_checks.hpp"
#include "common/duration_argument.hpp"
#include "common/nearest_name.hpp"
#include "common/usage_error.hpp"
#include "sampling/sampler.hpp"
#include "schemes/loaded_scheme.hpp"
#include "workloads/loaded.hpp"
#include "workloads/own_library.hpp"
#include "workloads/settings.hpp"

#include <regatta/base/detail/unique_descriptor.hpp>

#include <fmt/core.h>

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace regatta::command {
namespace {

constexpr double largest_margin = 50;
constexpr double lowest_rate = 0.001;
constexpr double highest_rate = 1e9;

/// "there is no scheme "tbbb" (did you mean "tbb"?)"
template<class Info>
std::string unknown(std::string_view kind, std::string_view typed, const std::vector<Info>& all) {
    std::vector<std::string_view> names;
    for (const Info& info : all) {
        names.push_back(info.name);
    }
    const std::string near = nearest_name(typed, names);
    return fmt::format("there is no {} \"{}\"{}", kind, typed,
                       near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near));
}

/// The entry that was found, or the error.
template<class Info>
const Info& named(const Info* found, const std::string& otherwise) {
    if (found == nullptr) {
        throw usage_error(otherwise + "; `regatta race --list` shows all");
    }
    return *found;
}

/// The limits are the workload's, which is not known yet.
std::string check_size(const std::string& text) {
    std::uint64_t number = 0;
    return is_whole_number(text, number)
               ? std::string()
               : fmt::format("\"{}\" is not a whole number within the workload's limits, which "
                             "`regatta race --list` shows",
                             text);
}

/// What a margin is typed with: "1" or "1%".
std::string without_percent(const std::string& margin) {
    return margin.ends_with('%') ? margin.substr(0, margin.size() - 1) : margin;
}

/// What a rate is typed with: "2000" or "2000/s".
std::string without_unit(const std::string& rate) {
    return rate.ends_with("/s") ? rate.substr(0, rate.size() - 2) : rate;
}

/// A number that may have its unit behind it; a complaint has the word as it was typed.
argument_check number_or(double lowest, double highest, std::string (*bare)(const std::string&)) {
    return [check = number(lowest, highest), bare](const std::string& text) {
        return check(bare(text)).empty() ? std::string() : check(text);
    };
}

/// While it lives, standard output is standard error: data may be to follow there.
class printed_aside {
public:
    printed_aside() : before_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
        std::fflush(stdout);
        if (before_) {
            ::dup2(STDERR_FILENO, STDOUT_FILENO);
        }
    }
    printed_aside(const printed_aside&) = delete;
    printed_aside& operator=(const printed_aside&) = delete;
    ~printed_aside() {
        std::fflush(stdout);
        if (before_) {
            ::dup2(before_.get(), STDOUT_FILENO);
        }
    }

private:
    detail::unique_descriptor before_;
};

/// What a file of the user's own has.
template<class Info>
const Info& loaded_by(const Info& (*load)(const std::string&), const std::string& path) {
    const printed_aside while_loaded; // its constructors may print
    try {
        return load(path);
    } catch (const std::runtime_error& e) {
        throw usage_error(e.what());
    }
}

} // namespace

std::chrono::nanoseconds measure_arguments::time(std::size_t parts) const {
    if (each) {
        return parse_duration(*each).value() * static_cast<std::int64_t>(parts);
    }
    return parse_duration(duration.value_or("")).value_or(std::chrono::nanoseconds{});
}

double measure_arguments::margin_or(double usual) const {
    // Of "-0", which is in range, too.
    return margin ? std::abs(std::strtod(without_percent(*margin).c_str(), nullptr)) / 100 : usual;
}

std::uint64_t measure_arguments::order_seed_or_fresh() const {
    return order_seed ? *order_seed : std::uint64_t{std::random_device{}()};
}

std::optional<double> measure_arguments::rate() const {
    return rate_text ? std::optional(std::strtod(without_unit(*rate_text).c_str(), nullptr))
                     : std::nullopt;
}

void add_measure_options(subcommand command, measure_arguments& a) {
    const option rounds = command.add_option("--rounds", a.rounds, "Rounds, after one of warm-up")
                              .check(whole_number(1, race::most_rounds_of_all))
                              .type_name("N")
                              .default_str("15");
    command.add_option("--time", a.duration, "Rounds until this time is up: 90s, 10min")
        .check(length_of_time("1ms", "7d"))
        .type_name("TIME")
        .excludes(rounds);
    command.add_option("--kernel", a.kernel, "Which code computes an item").type_name("NAME");
    command.add_option("--type", a.type, "Of the elements").type_name("float|double");
    command.add_option("--items", a.items, "How many items, where that is not the size")
        .check(check_size)
        .type_name("N");
    command.add_option("--max-prime", a.max_prime, "Up to which number an item counts primes")
        .check(check_size)
        .type_name("N");
    command.add_option("--seed", a.seed, "Of the data")
        .check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
        .type_name("N")
        .default_str("1");
    command.add_option("--order-seed", a.order_seed, "Of the order of the runs")
        .check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
        .type_name("N")
        .default_str("fresh");
}

void add_size_option(subcommand command, measure_arguments& a) {
    command.add_option("--size", a.size, "Size of the problem, in the workload's unit")
        .check(check_size)
        .type_name("N");
}

void add_sizes_option(subcommand command, std::vector<unsigned long>& sizes) {
    command
        .add_option("--size", sizes,
                    "Size of the problem, in the workload's unit; several make a sweep")
        .check(check_size)
        .delimiter(',')
        .one_value_each()
        .type_name("N,...");
}

void add_margin_option(subcommand command, measure_arguments& a) {
    command.add_option("--margin", a.margin, "Differences below so many percent are of no interest")
        .check(number_or(0, largest_margin, without_percent))
        .type_name("PERCENT[%]")
        .default_str("1");
}

void add_time_each_option(subcommand command, measure_arguments& a, const std::string& part) {
    command
        .add_option("--time-each", a.each,
                    fmt::format("Rounds until each {} had this time: 30s", part))
        .check(length_of_time("1ms", "1d"))
        .type_name("TIME")
        .excludes(command.option_named("--rounds"))
        .excludes(command.option_named("--time"));
}

void add_rate_option(subcommand command, measure_arguments& a) {
    command
        .add_option("--rate", a.rate_text,
                    "Offer so many items a second; their latency counts from when they were due")
        .check(number_or(lowest_rate, highest_rate, without_unit))
        .type_name("ITEMS[/s]");
}

const race::workload_info& workload_named(const std::string& name) {
    if (race::names_file(name)) {
        return loaded_by(race::load_workload, name);
    }
    return named(race::find_workload(name), unknown("workload", name, race::workloads()));
}

const race::scheme_info* find_scheme(const std::string& name) {
    return race::names_file(name) ? &loaded_by(race::load_scheme, name) : race::find_scheme(name);
}

const race::scheme_info& scheme_named(const std::string& name) {
    return named(find_scheme(name), unknown_scheme(name));
}

std::string unknown_scheme(const std::string& name) {
    return unknown("scheme", name, race::schemes());
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
    refuse_unless_read(arguments.items.has_value(), "items");
    refuse_unless_read(arguments.type.has_value(), "type");
    race::workload_options options;
    options.size = arguments.size;
    options.kernel = arguments.kernel.value_or(options.kernel);
    options.max_prime = arguments.max_prime;
    options.items = arguments.items;
    options.type = arguments.type.value_or(options.type);
    options.seed = arguments.seed.value_or(options.seed);
    return options;
}

} // namespace regatta::command
