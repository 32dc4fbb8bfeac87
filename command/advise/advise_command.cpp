// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advise/advise_command.hpp"

#include "advice/result_error.hpp"
#include "advise/advise_measure.hpp"
#include "common/argument_checks.hpp"
#include "common/interrupt.hpp"
#include "common/nearest_name.hpp"
#include "common/result_files.hpp"
#include "common/usage_error.hpp"
#include "report/advice/advice_json.hpp"
#include "report/advice/advice_text.hpp"

#include <regatta/base/detail/printable_text.hpp>
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/base/error.hpp>

#include <fmt/core.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

namespace regatta::command {
namespace {

/// A result of a usual length has some 100 kB. More than this would need gigabytes of memory.
constexpr std::size_t largest_file = 256U << 20U;

/// As they were typed.
struct advise_arguments : measure_arguments {
    std::vector<std::string> what; ///< A workload, or files.
    result_paths files;

    bool has_measure_option() const {
        return rounds || duration || size || kernel || type || items || max_prime || seed ||
               order_seed;
    }
};

std::string read_file(const std::string& path) {
    const auto refuse = [&](const std::string& why) {
        throw usage_error(fmt::format("cannot read {}: {}", path, why));
    };
    const detail::unique_descriptor opened(
        path == "-" ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!opened && path != "-") {
        refuse(std::strerror(errno));
    }
    const int from = opened ? opened.get() : STDIN_FILENO;
    std::string text;
    char bytes[8192];
    for (ssize_t got = -1; got != 0;) {
        got = ::read(from, bytes, sizeof bytes);
        if (got < 0 && errno != EINTR) {
            refuse(std::strerror(errno));
        }
        text.append(bytes, got > 0 ? static_cast<std::size_t>(got) : 0);
        if (text.size() > largest_file) {
            refuse("it is larger than 256 MB, the most that is read");
        }
    }
    return text;
}

/// Whether the file is a workload, and so no result: by its name, or as it begins as each shared
/// library does.
bool is_own_workload(const std::string& path) {
    if (path.ends_with(".so")) {
        return true;
    }
    // Not opened for that: the writer of a named pipe begins once somebody opens it.
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) {
        return false;
    }
    constexpr std::string_view begin = "\177ELF";
    char found[begin.size()] = {};
    const detail::unique_descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return file && ::read(file.get(), found, begin.size()) == static_cast<ssize_t>(begin.size()) &&
           std::string_view(found, begin.size()) == begin;
}

/// A folder with the name of a workload does not hide the workload.
bool is_result(const std::string& path) {
    if (is_own_workload(path)) {
        return false;
    }
    struct stat about {};
    return path == "-" || (::stat(path.c_str(), &about) == 0 &&
                           !(S_ISDIR(about.st_mode) && race::find_workload(path) != nullptr));
}

/// The one word that was typed is no file: a workload, or a mistake.
const race::workload_info* workload_of(const advise_arguments& arguments) {
    if (arguments.what.empty()) {
        return &workload_named("matmul");
    }
    const std::string& word = arguments.what.front();
    if (arguments.what.size() > 1 || is_result(word)) {
        return nullptr;
    }
    if (is_own_workload(word)) {
        // A name without a slash would be that of a workload of regatta.
        return &workload_named(word.find('/') == word.npos ? "./" + word : word);
    }
    if (word.find_first_of("./") != std::string::npos) {
        throw usage_error(fmt::format("there is no file \"{}\"", word));
    }
    if (race::find_workload(word) == nullptr) {
        std::vector<std::string_view> names;
        for (const race::workload_info& info : race::workloads()) {
            names.push_back(info.name);
        }
        const std::string near = nearest_name(word, names);
        throw usage_error(
            fmt::format("\"{}\" is neither a file nor a workload{}", word,
                        near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
    }
    return race::find_workload(word);
}

std::vector<race::result_text> read_files(const advise_arguments& arguments) {
    if (arguments.has_measure_option()) {
        throw usage_error("--rounds, --time, --size, --kernel, --type, --items, --max-prime, "
                          "--seed and --order-seed are for a "
                          "measurement, and there are files to read instead");
    }
    if (std::ranges::count(arguments.what, "-") > 1) {
        throw usage_error("standard input (-) is named twice; it can be read once");
    }
    for (const std::string& path : arguments.what) {
        if (is_own_workload(path) || (!is_result(path) && race::find_workload(path) != nullptr)) {
            throw usage_error(fmt::format(
                "\"{}\" is a workload and no file; name one workload alone, or files", path));
        }
    }
    std::vector<race::result_text> results;
    for (const std::string& path : arguments.what) {
        results.push_back(
            {path == "-" ? "standard input" : detail::printable_text(path), read_file(path)});
    }
    return results;
}

int run_command(const advise_arguments& arguments, const std::vector<std::string>& words) {
    const race::workload_info* workload = workload_of(arguments);
    std::vector<race::result_text> results;
    bool failed = false;
    if (workload == nullptr) {
        results = read_files(arguments);
    } else {
        static_cast<void>(workload_options_of(arguments, *workload)); // refused before the files
    }
    race::race_control control;
    const interrupt_guard guard(control);
    result_files to(arguments.files);
    if (workload == nullptr) {
        to.refuse_to_overwrite(arguments.what);
    }
    const race::provenance from{race::take_fingerprint(), words};
    if (workload != nullptr) {
        to.print_aside();
        advice_measurement measured =
            measure_for_advice(*workload, arguments, arguments.files.quiet, from, control);
        results = std::move(measured.results);
        failed = measured.failed;
    }
    interrupt_guard::measured();
    race::evidence all;
    try {
        all = race::read_evidence(results);
    } catch (const race::result_error& e) {
        throw usage_error(e.what());
    }
    const bool written = to.write([&] { return race::to_json(race::advise(all, {}), from); },
                                  [&](const race::text_style& style) {
                                      return race::to_text(race::advise(all, style), style);
                                  });
    return interrupt_guard::exit_status(written && !failed ? exit_code::success
                                                           : exit_code::failure);
}

} // namespace

void add_advise_command(subcommand app, action& chosen, const std::vector<std::string>& words) {
    const subcommand command = app.add_subcommand(
        "advise", "Which scheme, how many workers, what is the limit? With the figures");
    const auto arguments = std::make_shared<advise_arguments>();
    advise_arguments& a = *arguments;
    command
        .add_option("what", a.what,
                    "Results of race, scale and race isolation (JSON, - is standard input); or a "
                    "workload, to measure it now")
        .type_name("FILE...|WORKLOAD")
        .default_str("matmul");
    add_measure_options(command, a);
    add_size_option(command, a);
    command.option_named("--rounds").default_str(std::to_string(advise_rounds));
    add_json_option(command, a.files, "the advice");
    add_quiet_option(command, a.files);
    command.footer("Examples:\n"
                   "  regatta advise                            measure matmul, and advise\n"
                   "  regatta advise primes --rounds 15         another workload, more rounds\n"
                   "  regatta race primes --json race.json\n"
                   "  regatta scale primes --json scale.json\n"
                   "  regatta advise race.json scale.json       from what was measured\n"
                   "\nExit status: 0 all well, 1 a scheme or a number of "
                   "workers failed, 2 wrong usage or no "
                   "result, 129, 130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM.");
    command.runs(chosen, [&words, arguments] { return run_command(*arguments, words); });
}

} // namespace regatta::command
