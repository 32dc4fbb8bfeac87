// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the commands have in common that measure a workload under schemes.

#include "common/subcommand.hpp"
#include "schemes/scheme.hpp"
#include "workloads/workload.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace regatta::command {

/// As they were typed; what was not typed is absent.
struct measure_arguments {
    std::optional<unsigned> rounds;
    std::optional<std::string> duration;
    std::optional<std::string> each; ///< The same for each part of the measurement.
    std::optional<std::size_t> size;
    std::optional<std::string> kernel;
    std::optional<std::size_t> max_prime;
    std::optional<std::size_t> items;
    std::optional<std::string> type;
    std::optional<std::uint64_t> seed;
    std::optional<std::uint64_t> order_seed;
    std::optional<std::string> margin; ///< In percent.
    std::optional<std::string> rate_text;

    /// So many rounds; 0 where the time decides.
    unsigned rounds_or(unsigned usual) const {
        return rounds.value_or(duration || each ? 0 : usual);
    }
    /// For how long a measurement of so many parts; 0 where the rounds decide.
    std::chrono::nanoseconds time(std::size_t parts = 1) const;
    /// The seed of the order of the runs: a fresh one where none was typed, below 2^32, so that
    /// every reader of JSON has it to the letter.
    std::uint64_t order_seed_or_fresh() const;
    /// Items a second that are offered.
    std::optional<double> rate() const;
    /// As a share.
    double margin_or(double usual) const;
};

/// Adds `--rounds`, `--time`, `--kernel`, `--type`, `--items`, `--max-prime`, `--seed` and
/// `--order-seed`.
void add_measure_options(subcommand command, measure_arguments& arguments);
/// Adds `--size`, with one value.
void add_size_option(subcommand command, measure_arguments& arguments);
/// Adds `--size`, with one value or several.
void add_sizes_option(subcommand command, std::vector<unsigned long>& sizes);
/// Adds `--margin`.
void add_margin_option(subcommand command, measure_arguments& arguments);

/// Adds `--time-each`, which is for each `part`.
void add_time_each_option(subcommand command, measure_arguments& arguments,
                          const std::string& part);

/// Adds `--rate`.
void add_rate_option(subcommand command, measure_arguments& arguments);

/// The workload of that name. Throws `usage_error`, with the nearest name, where there is none.
const race::workload_info& workload_named(const std::string& name);
/// Finds a scheme by its name or, where `names_file`, in that file.
/// @returns null if no scheme has that name. Throws `usage_error` if the file has no scheme.
const race::scheme_info* find_scheme(const std::string& name);
/// As `find_scheme`, but throws `usage_error`, with the nearest name, instead of returning null.
const race::scheme_info& scheme_named(const std::string& name);

/// "there is no scheme "tbbb" (did you mean "tbb"?)"
std::string unknown_scheme(const std::string& name);

/// What was chosen of the workload. Throws `usage_error` for an option that it does not read.
race::workload_options workload_options_of(const measure_arguments& arguments,
                                           const race::workload_info& workload);

} // namespace regatta::command
