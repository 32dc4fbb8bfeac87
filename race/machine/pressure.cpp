// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/pressure.hpp"

#include <regatta/base/detail/system_files.hpp>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

namespace regatta::race {
namespace {

/// The value of "key=value" in a line; nothing if it is not there or no number.
template<class Number>
std::optional<Number> value_in(std::string_view line, std::string_view key) {
    for (const std::string_view word : detail::split(line, ' ')) {
        if (!word.starts_with(key) || word.size() <= key.size() || word[key.size()] != '=') {
            continue;
        }
        const std::string_view text = word.substr(key.size() + 1);
        Number value{};
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc{} && stop == text.data() + text.size() && value >= 0) {
            return value;
        }
    }
    return std::nullopt;
}

/// "some avg10=0.12 avg60=0.00 avg300=0.00 total=1234"
std::optional<pressure_line> line_of(std::string_view line) {
    const auto avg10 = value_in<double>(line, "avg10");
    const auto avg60 = value_in<double>(line, "avg60");
    const auto avg300 = value_in<double>(line, "avg300");
    const auto total = value_in<std::int64_t>(line, "total");
    if (!avg10 || !avg60 || !avg300 || !total) {
        return std::nullopt;
    }
    return pressure_line{*avg10, *avg60, *avg300, *total};
}

std::optional<pressure_stall> stall_of(const std::string& path) {
    const auto text = detail::read_small_file(path);
    std::optional<pressure_line> some;
    std::optional<pressure_line> full;
    for (const std::string_view line : detail::split(text ? std::string_view(*text) : "", '\n')) {
        if (line.starts_with("some ")) {
            some = line_of(line);
        } else if (line.starts_with("full ")) {
            full = line_of(line);
        }
    }
    return some ? std::optional(pressure_stall{*some, full}) : std::nullopt;
}

} // namespace

pressure read_pressure(const std::string& root) {
    const std::string folder = root + "/proc/pressure/";
    return {stall_of(folder + "cpu"), stall_of(folder + "memory"), stall_of(folder + "io")};
}

std::optional<double> stalled_share(const std::optional<pressure_stall>& before,
                                    const std::optional<pressure_stall>& after,
                                    std::int64_t elapsed_ns) noexcept {
    if (!before || !after || elapsed_ns <= 0) {
        return std::nullopt;
    }
    const auto stalled_us = static_cast<double>(after->some.total_us - before->some.total_us);
    return std::clamp(stalled_us * 1e3 / static_cast<double>(elapsed_ns), 0.0, 1.0);
}

} // namespace regatta::race
