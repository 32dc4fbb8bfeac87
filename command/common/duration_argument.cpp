// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/duration_argument.hpp"

#include <fmt/core.h>

#include <charconv>
#include <system_error>

namespace regatta::command {

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
    struct unit {
        std::string_view name;
        double ns;
    };
    constexpr unit units[] = {{"", 1e9},     {"s", 1e9},    {"ms", 1e6},
                              {"us", 1e3},   {"µs", 1e3},   {"ns", 1.0},
                              {"min", 60e9}, {"h", 3600e9}, {"d", 24 * 3600e9}};
    constexpr double longest_ns = 30 * 24 * 3600e9;
    double number = 0;
    const auto [stop, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc()) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    while (text.starts_with(' ')) {
        text.remove_prefix(1);
    }
    for (const unit& one : units) {
        const double ns = number * one.ns;
        if (text == one.name && ns >= 1 && ns <= longest_ns) {
            return std::chrono::nanoseconds(static_cast<std::chrono::nanoseconds::rep>(ns));
        }
    }
    return std::nullopt;
}

argument_check length_of_time(std::string_view shortest, std::string_view longest) {
    return [=](const std::string& text) {
        const auto time = parse_duration(text);
        return time && *time >= parse_duration(shortest) && *time <= parse_duration(longest)
                   ? std::string()
                   : fmt::format(
                         "\"{}\" is no length of time from {} to {}; write 500ms, 2s or 1min", text,
                         shortest, longest);
    };
}

} // namespace regatta::command
