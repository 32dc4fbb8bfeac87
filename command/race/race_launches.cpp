// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race/race_launches.hpp"

#include "common/interrupt.hpp"
#include "common/usage_error.hpp"
#include "schemes/scheme.hpp"
#include "text/json.hpp"

#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/base/error.hpp>
#include <regatta/process/subprocess.hpp>

#include <fmt/core.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

namespace regatta::command {
namespace {

/// Options that the launches get from here, with their values.
constexpr std::array<std::string_view, 6> own_options{"--launches", "--json", "--csv",
                                                      "--markdown", "--html", "--order-seed"};

/// What was typed after the program's name, without those, and with `own` after "race": behind a
/// "--" of the user's no option is one. No value in a word of its own is called as an option is.
std::vector<std::string> words_of_a_launch(const std::vector<std::string>& words,
                                           const std::vector<std::string>& own) {
    std::vector<std::string> kept{words.at(1)};
    kept.insert(kept.end(), own.begin(), own.end());
    for (std::size_t i = 2; i < words.size(); ++i) {
        const std::string_view word = words[i];
        const std::string_view name = word.substr(0, word.find('='));
        if (word == "-q" || word == "--quiet") {
            continue;
        }
        if (std::ranges::find(own_options, name) == own_options.end()) {
            kept.push_back(words[i]);
        } else if (name == word) {
            ++i; // its value is the next word
        }
    }
    return kept;
}

detail::unique_descriptor memory_file() {
    detail::unique_descriptor file(::memfd_create("regatta launch", MFD_CLOEXEC));
    if (!file) {
        fail_system(errno, "make a file in memory for the result of a launch");
    }
    return file;
}

std::string text_in(const detail::unique_descriptor& file) {
    std::string text;
    std::array<char, 8192> part{};
    for (ssize_t got = 0; (got = ::pread(file.get(), part.data(), part.size(),
                                         static_cast<off_t>(text.size()))) > 0;) {
        text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
}

/// The document of a launch with these words; nothing where a stop of `control` left none.
std::optional<race::json> run_launch(unsigned launch, std::vector<std::string> words,
                                     race::race_control& control) {
    const detail::unique_descriptor result = memory_file();
    const detail::unique_descriptor said = memory_file();
    subprocess process = spawn({.program = "/proc/self/exe",
                                .arguments = std::move(words),
                                .standard_output = result.get(),
                                .standard_error = said.get(),
                                .own_process_group = true});
    interrupt_guard::measured_by(process.pid());
    bool told = false;
    while (!process.wait_for(std::chrono::milliseconds(100))) {
        if (control.stop_requested() && !told) {
            process.kill(SIGINT);
            told = true;
        }
    }
    interrupt_guard::measured_by(0);
    const std::string document = text_in(result);
    std::string_view what = "no result";
    if (!document.empty()) {
        try {
            return race::json::parse(document);
        } catch (const race::json_error&) {
            what = "only a part of its result";
        }
    }
    if (control.stop_requested()) {
        return std::nullopt;
    }
    std::string why = text_in(said);
    why.erase(why.find_last_not_of('\n') + 1);
    const exit_status end = process.status().value();
    if (end.exited() && end.code() == exit_code::usage) { // What the race alone finds wrong.
        constexpr std::string_view before = "regatta: ";
        const std::string line = why.substr(0, why.find('\n'));
        throw usage_error(line.starts_with(before) ? line.substr(before.size()) : line);
    }
    throw race::scheme_failure(fmt::format("launch {} wrote {}: {}{}{}", launch + 1, what,
                                           end.signaled() || why.empty() ? end.describe() : "",
                                           end.signaled() && !why.empty() ? "; " : "", why));
}

} // namespace

std::vector<race::json> run_launches(unsigned launches, std::uint64_t order_seed,
                                     const std::vector<std::string>& words,
                                     race::race_control& control,
                                     const std::function<void(const race::progress&)>& report,
                                     std::string& failure) {
    std::vector<race::json> documents;
    const auto begin = std::chrono::steady_clock::now();
    for (unsigned launch = 0; launch < launches && !control.stop_requested(); ++launch) {
        race::progress now{.round = launch, .rounds = launches, .contender = "launches"};
        now.done = static_cast<double>(launch) / launches;
        if (launch != 0) {
            now.left = (std::chrono::steady_clock::now() - begin) / launch * (launches - launch);
        }
        report(now);
        try {
            auto document =
                run_launch(launch,
                           words_of_a_launch(words, {"--json", "-", "--quiet", "--order-seed",
                                                     std::to_string(order_seed + launch)}),
                           control);
            if (!document) {
                break;
            }
            documents.push_back(std::move(*document));
        } catch (const std::exception& error) {
            if (documents.empty()) {
                throw;
            }
            failure = error.what();
            break;
        }
    }
    return documents;
}

} // namespace regatta::command
