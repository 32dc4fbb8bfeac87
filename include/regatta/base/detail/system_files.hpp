// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Reads the kernel's small text files about the machine: procfs, sysfs, cgroupfs.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/text_parts.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::detail {

/// The whole of a small file; nothing if it cannot be read.
REGATTA_RARE inline std::optional<std::string> read_small_file(const std::string& path) {
    struct closed_at_end {
        std::FILE* const stream;
        ~closed_at_end() {
            if (stream != nullptr) {
                std::fclose(stream);
            }
        }
    };
    // Also where there is no memory for the text.
    const closed_at_end file{std::fopen(path.c_str(), REGATTA_LINUX ? "re" : "r")};
    if (file.stream == nullptr) {
        return std::nullopt;
    }
    std::string text;
    char buffer[4096];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.stream)) {
        text.append(buffer, count);
    }
    return std::ferror(file.stream) != 0 ? std::nullopt : std::optional(std::move(text));
}

/// `text` without the blanks and line ends around it.
inline std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The parts of `text` between separators, without empty parts.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (auto part = next_part(text, separator); !part.empty(); part = next_part(text, separator)) {
        parts.push_back(part);
    }
    return parts;
}

/// The number that fills the text, apart from blanks and line ends after it; nothing for any other
/// text.
REGATTA_RARE inline std::optional<std::int64_t> to_number(std::string_view text) noexcept {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
        text.remove_suffix(1);
    }
    const bool negative = !text.empty() && text.front() == '-';
    text.remove_prefix(negative ? 1 : 0);
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t value = 0; // Negated: there is one negative number more.
    for (const char c : text) {
        if (c < '0' || c > '9' || value < (least + (c - '0')) / 10) {
            return std::nullopt;
        }
        value = value * 10 - (c - '0');
    }
    if (text.empty() || (!negative && value == least)) {
        return std::nullopt;
    }
    return negative ? value : -value;
}

/// What the text of /proc/PID/status says of that name; empty if the name is not in it.
inline std::string_view status_field(std::string_view status, std::string_view name) {
    for (const auto line : split(status, '\n')) {
        if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ':') {
            return trimmed(line.substr(name.size() + 1));
        }
    }
    return {};
}

/// The text of a file of /proc that tells of this process, or of the calling thread; empty if it
/// cannot be read. Some of those of the process are empty once its first thread has ended.
/// @param root a directory to use instead of `/`.
REGATTA_RARE inline std::string text_of_own_file(const std::string& root, const char* name) {
    auto text = read_small_file(root + "/proc/thread-self/" + name);
    if (!text) { // Perhaps a kernel before 3.17.
        text = read_small_file(root + "/proc/self/" + name);
    }
    return text.value_or(std::string());
}

} // namespace regatta::detail
