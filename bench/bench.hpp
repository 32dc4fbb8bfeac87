// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What every bench does: measure contenders on the race's sampling, hold pairs of them against
/// each other, print every row and write the measures.

#include "sampling/race.hpp"
#include "sampling/sampler.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace regatta::bench {

/// One comparison.
struct comparison {
    std::string name;
    std::string subject;       ///< A contender.
    std::string peer;          ///< Another; the ratio is the subject's time by the peer's.
    std::optional<double> bar; ///< What the ratio may be at most; nothing: for information.
};

/// A figure of one contender, held against a bar in its own unit.
struct figure {
    std::string name;
    std::string peer; ///< What it is divided by, as "1 µs".
    double scale = 1; ///< Turns what the contender yields into that unit.
    std::optional<double> bar{};
};

/// Schemes of the race over one workload.
struct scheme_race {
    std::string title;
    std::string unit;
    double scale = 1; ///< Turns nanoseconds into `unit`.
    std::string workload;
    std::vector<const char*> schemes;
    race::race_options how{}; ///< Rounds and seed are those of the bench.
};

/// What the subject takes longer than the peer, within the rounds, in nanoseconds.
race::estimate added_time(const race::series& subject, const race::series& peer);

/// One line of the result, as `measures[]` of the JSON.
struct measure_row {
    std::string name;
    std::string subject;
    std::string peer;
    race::estimate ratio;
    std::optional<double> bar;
    bool holds = true;
};

/// One table as printed, as `tables[]` of the JSON.
struct measured_table {
    struct row {
        std::string name;
        race::estimate time; ///< In `unit`.
        bool disturbed;      ///< Other processes used the CPUs during every sample.
    };
    std::string title;
    std::string unit;
    std::optional<double> noise_floor;
    std::vector<row> rows;
};

/// What the command line of a bench says.
struct bench_options {
    std::string json; ///< A file, "-" for standard output, empty for none.
    unsigned rounds = 0;
    bool usual_rounds = true; ///< The command line does not say how many.
    std::uint64_t seed = 1;
    std::vector<std::string> only; ///< Only tables whose title contains one of these; empty: all.
};

/// Reads `--json F`, `--rounds N`, `--seed N`, `--only TEXT`...; ends the program for anything else
/// (status 2).
/// @param rounds the default.
bench_options parse_options(int argc, char** argv, unsigned rounds);

/// Contenders, measured together.
class bench_run {
public:
    explicit bench_run(bench_options options);

    /// Whether a table of that title was asked for.
    bool wants(const std::string& title) const;

    /// Measures the contenders interleaved and adds a row for each comparison, unless the table was
    /// not asked for. The first of the contenders runs twice and gives the noise floor.
    /// @param unit what a contender's time is the time of, for the printed table.
    /// @param times_rounds how many times the rounds of the command line: for narrow intervals.
    /// @returns what was measured; nothing of a table that was not asked for.
    std::optional<race::sampling_result> measure(const std::string& title, const std::string& unit,
                                                 std::vector<race::contender> contenders,
                                                 const std::vector<comparison>& comparisons,
                                                 unsigned times_rounds = 1);
    /// The same with schemes of the race, whose names the comparisons tell. One that cannot take
    /// part is skipped, with those comparisons.
    void measure(const scheme_race& race, const std::vector<comparison>& comparisons);

    /// Measures a figure of each contender once a round, with no round before that to warm up. The
    /// bar is that of the first `ours` of them.
    void measure(const figure& what, const std::string& unit, unsigned rounds, std::size_t ours,
                 const std::vector<race::contender>& contenders);

    /// Prints what was measured of some contenders; `scale` turns nanoseconds into `unit`.
    void show(const std::string& title, const std::string& unit, double scale,
              std::optional<double> noise_floor, const std::vector<race::series>& all);
    /// Adds the row of one comparison.
    void compare(const comparison& what, const race::series& subject, const race::series& peer);
    /// Adds the row of a figure, unless that contender failed.
    void add(const figure& what, const race::series& subject);
    void add(const figure& what, const std::string& subject, const race::estimate& value);
    /// Adds a row.
    void add(measure_row row);

    /// Says something of the machine or the run, in the table's place and in the JSON.
    void note(const std::string& text);
    /// Names a contender that cannot take part here.
    void skip(const std::string& name, const std::string& why);

    /// Prints the comparisons and writes the JSON. @returns the exit status: 0, also where a bar
    /// does not hold (the row says so); 1 where something failed.
    int finish(const std::string& bench);

private:
    nlohmann::ordered_json tables_as_json() const;

    bench_options options_;
    std::vector<measured_table> tables_;
    std::vector<measure_row> rows_;
    std::vector<std::string> notes_;
    std::vector<std::string> skipped_;
    std::size_t dropped_ = 0;
    std::size_t samples_ = 0;
    double noise_floor_ = 0;
    bool failed_ = false;
};

} // namespace regatta::bench
