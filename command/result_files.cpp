// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "result_files.hpp"

#include "terminal.hpp"
#include "usage_error.hpp"

#include <unistd.h>

#include <cstdio>
#include <system_error>

namespace regatta::command {
namespace {

std::string check_file(const std::string& text) {
    return text.empty() ? "the name of the file is empty" : "";
}

/// Does it; where the system refuses, says so and returns false.
template<class F>
bool try_to(F f) {
    try {
        f();
        return true;
    } catch (const std::system_error& e) {
        std::fprintf(stderr, "regatta: %s\n", e.what());
        return false;
    }
}

} // namespace

void add_result_options(CLI::App& command, result_paths& paths, const std::string& csv_row) {
    command.add_option("--json", paths.json, "Write the whole result here; - is standard output")
        ->check(check_file, "")
        ->type_name("FILE");
    command
        .add_option("--csv", paths.csv, "Write a line a " + csv_row + " here; - is standard output")
        ->check(check_file, "")
        ->type_name("FILE");
}

result_files::result_files(const result_paths& paths) {
    if (paths.json == "-" && paths.csv == "-") {
        throw usage_error("--json and --csv cannot both go to standard output");
    }
    if (!paths.json.empty() && paths.json == paths.csv) {
        throw usage_error("--json and --csv cannot both go to " + paths.json);
    }
    try {
        if (!paths.json.empty()) {
            json_.emplace(paths.json);
        }
        if (!paths.csv.empty()) {
            csv_.emplace(paths.csv);
        }
    } catch (const std::system_error& e) {
        throw usage_error(e.what());
    }
}

/// The text goes where no data go.
int result_files::text_descriptor() const noexcept {
    const auto takes_it = [](const std::optional<output_file>& file) {
        return file && file->is_standard_output();
    };
    return takes_it(json_) || takes_it(csv_) ? STDERR_FILENO : STDOUT_FILENO;
}

bool result_files::write(const std::function<std::string()>& json,
                         const std::function<std::string()>& csv,
                         const std::function<std::string(const race::text_style&)>& text) {
    bool written = try_to([&] {
        if (json_) {
            json_->write(json());
        }
    });
    written &= try_to([&] {
        if (csv_) {
            csv_->write(csv());
        }
    });
    written &= try_to([&] {
        const int to = text_descriptor();
        write_all(to, text(style_of(to)), "cannot write the report");
    });
    return written;
}

} // namespace regatta::command
