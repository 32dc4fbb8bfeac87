// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/common/screen_line.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace regatta::race {
namespace {

std::string_view ansi_of(tone as) noexcept {
    switch (as) {
    case tone::plain:
        break;
    case tone::bold:
        return "1";
    case tone::faint:
        return "2";
    case tone::user:
        return "32";
    case tone::system:
        return "36";
    case tone::interrupt:
        return "33";
    case tone::steal:
        return "31";
    case tone::iowait:
        return "34";
    case tone::alarm:
        return "1;31";
    }
    return "";
}

/// A byte of a character that is not its first.
bool continues(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// The line, cut where it is longer than that.
screen_line cut_to(screen_line line, std::size_t columns) {
    for (auto span = line.begin(); span != line.end(); ++span) {
        const std::size_t length = columns_of(span->text);
        if (length > columns) {
            span->text.resize(first_columns(span->text, columns).size());
            line.erase(span + 1, line.end());
            break;
        }
        columns -= length;
    }
    return line;
}

} // namespace

std::size_t columns_of(const screen_line& line) noexcept {
    std::size_t columns = 0;
    for (const screen_span& span : line) {
        columns += columns_of(span.text);
    }
    return columns;
}

screen_line shortened(screen_line line, const text_style& style) {
    if (columns_of(line) <= style.width) {
        return line;
    }
    line = cut_to(std::move(line), style.width - std::min(style.width, 1U));
    if (style.width > 0) {
        line.push_back({style.unicode ? "…" : "~", tone::faint});
    }
    return line;
}

screen_line whole_parts(screen_line line, const text_style& style) {
    while (line.size() > 1 && columns_of(line) > style.width) {
        line.pop_back();
    }
    return line;
}

std::string text_of(const screen_line& line, const text_style& style) {
    std::string plain;
    for (const screen_span& span : line) {
        plain += span.text;
    }
    const auto last = plain.find_last_not_of(' ');
    const std::size_t length = last == plain.npos ? 0 : columns_of(plain.substr(0, last + 1));
    std::string out;
    for (const screen_span& span : cut_to(line, length)) {
        out += coloured(span.text, ansi_of(span.as), style);
    }
    return out + '\n';
}

std::string harmless(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c >= ' ' && c <= '~') {
            out += c;
        } else if (!continues(c)) {
            out += '?';
        }
    }
    return out;
}

} // namespace regatta::race
