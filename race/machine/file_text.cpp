// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/file_text.hpp"

#include <regatta/base/detail/system_files.hpp>

#include <charconv>
#include <system_error>

namespace regatta::race {
namespace {

std::string_view without_marks(std::string_view text) {
    text = detail::trimmed(text);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
        text = text.substr(1, text.size() - 2);
    }
    return text;
}

} // namespace

std::string text_of_file(const std::string& path) {
    return detail::read_small_file(path).value_or(std::string());
}

std::string line_of(const std::string& path) {
    const std::string text = text_of_file(path);
    const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
    return std::string(detail::trimmed(line.substr(0, line.find('\0'))));
}

std::string value_of(const std::string& path, std::string_view key, char separator) {
    const std::string text = text_of_file(path);
    for (const auto line : detail::split(text, '\n')) {
        const auto at = line.find(separator);
        if (at != line.npos && detail::trimmed(line.substr(0, at)) == key) {
            return std::string(without_marks(line.substr(at + 1)));
        }
    }
    return {};
}

std::optional<double> decimal(std::string_view text) {
    text = detail::trimmed(text);
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    return result.ec == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> number_of(const std::string& path) {
    return detail::to_number(line_of(path));
}

std::optional<bool> flag_of(const std::string& path) {
    const auto number = number_of(path);
    return number ? std::optional(*number != 0) : std::nullopt;
}

std::string choice_of(const std::string& path) {
    const std::string line = line_of(path);
    const auto begin = line.find('[');
    const auto end = line.find(']', begin);
    return begin == line.npos || end == line.npos ? line : line.substr(begin + 1, end - begin - 1);
}

} // namespace regatta::race
