// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/argument_checks.hpp"

#include "common/usage_error.hpp"

#include <fmt/core.h>

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <system_error>

namespace regatta::command {

bool is_whole_number(const std::string& text, std::uint64_t& number) noexcept {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end && (text.size() == 1 || text.front() != '0');
}

argument_check whole_number(std::uint64_t lowest, std::uint64_t highest) {
    return [=](const std::string& text) {
        std::uint64_t number = 0;
        return is_whole_number(text, number) && number >= lowest && number <= highest
                   ? std::string()
                   : fmt::format("\"{}\" is not a whole number from {} to {}", text, lowest,
                                 highest);
    };
}

argument_check number(double lowest, double highest) {
    return [=](const std::string& text) {
        constexpr const char* of_a_decimal = "+-.0123456789eE"; // Not hexadecimal, no blanks.
        char* stop = nullptr;
        const double value = std::strtod(text.c_str(), &stop);
        return !text.empty() && text.find_first_not_of(of_a_decimal) == text.npos &&
                       stop == text.data() + text.size() && value >= lowest && value <= highest
                   ? std::string()
                   : fmt::format("\"{}\" is not a number from {:.10g} to {:.10g}", text, lowest,
                                 highest);
    };
}

std::string check_file(const std::string& text) {
    return text.empty() ? "the name of the file is empty" : "";
}

std::string check_directory(const std::string& text) {
    struct stat about {};
    return ::stat(text.c_str(), &about) == 0 && S_ISDIR(about.st_mode)
               ? std::string()
               : fmt::format("\"{}\" is no directory", text);
}

void require_program_after_mark(const std::vector<std::string>& program,
                                const std::vector<std::string>& words, std::string_view command) {
    const auto mark = std::find(words.begin(), words.end(), "--");
    const auto after = words.end() - mark - (mark == words.end() ? 0 : 1);
    if (!program.empty() && program.size() != static_cast<std::size_t>(after)) {
        throw usage_error(
            fmt::format("the program stands after --: regatta {} -- {}", command, program.front()));
    }
    if (program.empty() && mark != words.end()) {
        throw usage_error("after -- stands no program");
    }
}

} // namespace regatta::command
