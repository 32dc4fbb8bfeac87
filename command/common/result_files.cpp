// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/result_files.hpp"

#include "common/argument_checks.hpp"
#include "common/disk_file.hpp"
#include "common/terminal.hpp"
#include "common/usage_error.hpp"
#include "report/common/page.hpp"
#include "workloads/own_library.hpp"

#include <regatta/base/error.hpp>

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <system_error>

namespace regatta::command {
namespace {

/// Writes one view of the result; where the system refuses, or there is no memory for it, says so
/// and returns false. @param what that view is.
template<class F>
bool try_to_write(const char* what, F f) {
    try {
        f();
        return true;
    } catch (const std::system_error& e) {
        tell(e.what());
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "regatta: there is too little memory for %s of so large a result\n",
                     what);
    }
    return false;
}

} // namespace

void add_quiet_option(subcommand command, result_paths& paths) {
    command.add_flag("-q,--quiet", paths.quiet, "Neither report nor progress; errors are told");
}

void add_json_option(subcommand command, result_paths& paths, const std::string& what) {
    command.add_option("--json", paths.json, "Write " + what + " here; - is standard output")
        .check(check_file)
        .type_name("FILE");
}

void add_result_options(subcommand command, result_paths& paths, const std::string& csv_row) {
    add_json_option(command, paths, "the whole result");
    const auto add = [&](const char* option, std::string& path, const std::string& what) {
        command.add_option(option, path, "Write " + what + " here; - is standard output")
            .check(check_file)
            .type_name("FILE");
    };
    add("--csv", paths.csv, "a line a " + csv_row);
    add("--markdown", paths.markdown, "the report with its origin, for GitHub,");
    add("--html", paths.html, "the same as a page for a browser");
    add_quiet_option(command, paths);
}

result_paths data_alone(result_paths paths) {
    paths.quiet = paths.quiet || paths.json == "-";
    return paths;
}

result_files::result_files(const result_paths& paths) : quiet_(paths.quiet) {
    const std::array<const std::string*, view_count> names{&paths.json, &paths.csv, &paths.markdown,
                                                           &paths.html};
    for (unsigned i = 0; i < view_count; ++i) {
        for (unsigned other = i + 1; other < view_count && !names[i]->empty(); ++other) {
            if (*names[i] == *names[other]) {
                throw usage_error(fmt::format("{} and {} cannot both go to {}", options[i],
                                              options[other],
                                              *names[i] == "-" ? "standard output" : *names[i]));
            }
        }
    }
    try {
        for (unsigned i = 0; i < view_count; ++i) {
            if (!names[i]->empty()) {
                files_[i].emplace(*names[i]);
            }
        }
    } catch (const std::system_error& e) {
        throw usage_error(e.what());
    }
    const std::vector<place> all = places();
    for (auto one = all.begin(); one != all.end(); ++one) {
        for (auto other = one + 1; other != all.end(); ++other) {
            require_two_files(one->name, one->descriptor, other->name, other->descriptor);
        }
    }
    refuse_to_overwrite(race::loaded_libraries());
    refuse_to_overwrite(paths.programs);
}

std::vector<result_files::place> result_files::places() const {
    std::vector<place> all;
    for (unsigned i = 0; i < view_count; ++i) {
        if (files_[i] && !files_[i]->is_standard_output()) {
            all.push_back(
                {fmt::format("{} {}", options[i], files_[i]->path()), files_[i]->descriptor()});
        }
    }
    if (!quiet_ || text_descriptor() != STDOUT_FILENO) { // else nothing is written there
        all.push_back({"standard output", STDOUT_FILENO});
    }
    return all;
}

void result_files::refuse_to_overwrite(const std::vector<std::string>& names) const {
    for (const std::string& name : names) {
        const disk_file file = name == "-" ? file_behind(STDIN_FILENO) : file_named(name);
        for (const place& to : places()) {
            if (file && file == file_behind(to.descriptor)) {
                throw usage_error(fmt::format("{} was read as {}, and would be overwritten",
                                              to.name, name == "-" ? "standard input" : name));
            }
        }
    }
}

bool result_files::data_on_standard_output() const noexcept {
    return std::ranges::any_of(files_, [](const std::optional<output_file>& file) {
        return file && file->is_standard_output();
    });
}

void result_files::print_aside() const {
    // The data have a descriptor of their own.
    if (data_on_standard_output() && ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        fail_system(errno, "keep standard output for the result");
    }
}

/// The text goes where no data go.
int result_files::text_descriptor() const noexcept {
    return data_on_standard_output() ? STDERR_FILENO : STDOUT_FILENO;
}

bool result_files::write(const std::function<std::string()>& json,
                         const std::function<std::string()>& csv,
                         const std::function<std::string(const race::text_style&)>& text) {
    const auto page = [&](race::text_medium medium) {
        return [&text, medium] { return text(race::page_style(medium)); };
    };
    const std::array<std::function<std::string()>, view_count> views{
        json, csv, page(race::text_medium::markdown), page(race::text_medium::html)};
    bool written = true;
    for (unsigned i = 0; i < view_count; ++i) {
        written &= try_to_write(options[i], [&] {
            if (files_[i]) {
                files_[i]->write(views[i]());
            }
        });
    }
    written &= try_to_write("the report", [&] {
        const int to = text_descriptor();
        if (quiet_) {
            return;
        }
        write_all(to, text(style_of(to)), "cannot write the report");
    });
    return written;
}

bool result_files::write(const std::function<std::string()>& json,
                         const std::function<std::string(const race::text_style&)>& text) {
    return write(
        json, [] { return std::string(); }, text);
}

} // namespace regatta::command
