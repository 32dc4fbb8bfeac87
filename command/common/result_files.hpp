// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Where the results of a measurement go: text, JSON, CSV and pages.

#include "common/output_file.hpp"
#include "common/subcommand.hpp"
#include "text/text.hpp"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace regatta::command {

/// The names of the files; empty: not asked for.
struct result_paths {
    std::string json;
    std::string csv;
    std::string markdown;
    std::string html;
    bool quiet = false; ///< Neither report nor progress; errors and the files are written.
    std::vector<std::string> programs{}; ///< That are run, and must not be written over.
};

/// Adds `--quiet`.
void add_quiet_option(subcommand command, result_paths& paths);
/// Adds `--json`. @param what is written there ("the whole result").
void add_json_option(subcommand command, result_paths& paths, const std::string& what);
/// Adds `--json`, `--csv`, `--markdown`, `--html` and `--quiet`. @param csv_row what a line of the
/// CSV is ("scheme").
void add_result_options(subcommand command, result_paths& paths, const std::string& csv_row);

/// For what only looks things up: JSON on standard output has no text besides it.
result_paths data_alone(result_paths paths);

/// The files, opened before the measurement.
class result_files {
public:
    /// Failure: `usage_error` for a file that cannot be written, for one that a workload was loaded
    /// from or that is a program of the race, and for two results in one place, whatever its names;
    /// devices take several.
    explicit result_files(const result_paths& paths);

    /// Where data go to standard output: whatever else is printed there from now on goes to
    /// standard error. A workload of the user's may print until the end of the process. Failure:
    /// `std::system_error`.
    void print_aside() const;

    /// To be called before `write`. @param names of files that were read; "-" is standard input.
    /// Failure: `usage_error` where `write` would write over one of them.
    void refuse_to_overwrite(const std::vector<std::string>& names) const;

    /// Writes all views. What was measured is not lost because one of them cannot be written.
    /// @param text gives the report in the style that it is called with, of a screen or a page.
    /// @returns false where one could not be written; standard error says which and why.
    bool write(const std::function<std::string()>& json, const std::function<std::string()>& csv,
               const std::function<std::string(const race::text_style&)>& text);
    /// The same for what has no CSV.
    bool write(const std::function<std::string()>& json,
               const std::function<std::string(const race::text_style&)>& text);

private:
    /// A view that goes to a file.
    enum view : unsigned { json_view, csv_view, markdown_view, html_view, view_count };
    static constexpr std::array<const char*, view_count> options{"--json", "--csv", "--markdown",
                                                                 "--html"};
    /// What goes where.
    struct place {
        std::string name;
        int descriptor;
    };

    bool data_on_standard_output() const noexcept;
    int text_descriptor() const noexcept;
    std::vector<place> places() const;

    std::array<std::optional<output_file>, view_count> files_;
    bool quiet_;
};

} // namespace regatta::command
