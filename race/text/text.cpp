// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "text/text.hpp"

#include <regatta/base/detail/printable_text.hpp>

#include <fmt/core.h>

#include <wchar.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace regatta::race {
namespace {

struct character {
    std::size_t bytes;
    std::size_t columns; ///< 2 of a wide one, 0 of one that combines with the one before it.
};

/// The first character of UTF-8 text. Its columns are what the C library says, which knows them
/// where the locale is one of UTF-8; elsewhere each has one.
character first_of(std::string_view text) noexcept {
    const std::size_t bytes = detail::utf8_length(text);
    if (bytes < 2) {
        return {1, 1};
    }
    auto code = static_cast<unsigned char>(text.front()) & (0x7FU >> bytes);
    for (const char c : text.substr(1, bytes - 1)) {
        code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
    }
    const int columns = ::wcwidth(static_cast<wchar_t>(code));
    return {bytes, columns < 0 ? 1U : static_cast<std::size_t>(columns)};
}

std::string shortened(std::string_view text, std::size_t width, const text_style& style) {
    if (columns_of(text) <= width) {
        return std::string(text);
    }
    if (width == 0) {
        return {};
    }
    return std::string(first_columns(text, width - 1)) + (style.unicode ? "…" : "~");
}

} // namespace

std::size_t columns_of(std::string_view text) noexcept {
    std::size_t columns = 0;
    while (!text.empty()) {
        const character next = first_of(text);
        columns += next.columns;
        text.remove_prefix(next.bytes);
    }
    return columns;
}

std::string_view first_columns(std::string_view text, std::size_t columns) noexcept {
    std::string_view rest = text;
    while (!rest.empty()) {
        const character next = first_of(rest);
        if (next.columns > columns) {
            break;
        }
        columns -= next.columns;
        rest.remove_prefix(next.bytes);
    }
    return text.substr(0, text.size() - rest.size());
}

std::string padded_left(std::string_view text, std::size_t width, const text_style& style) {
    std::string out = shortened(text, width, style);
    out.insert(0, width - columns_of(out), ' ');
    return out;
}

std::string padded_right(std::string_view text, std::size_t width, const text_style& style) {
    std::string out = shortened(text, width, style);
    out.append(width - columns_of(out), ' ');
    return out;
}

std::string wrapped(std::string_view text, std::size_t indent, const text_style& style) {
    std::string out;
    std::size_t column = 0;
    const std::size_t room = std::max<std::size_t>(style.width, indent + 1) - indent;
    bool goes_on = false; // A word longer than a line, after one of its commas.
    while (!text.empty()) {
        auto end = std::min(text.find(' '), text.size());
        const bool went_on = std::exchange(goes_on, false);
        if (end > room) {
            const auto comma = text.substr(0, room).rfind(',');
            goes_on = comma != std::string_view::npos;
            end = goes_on ? comma + 1 : end;
        }
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(goes_on ? end : std::min(end + 1, text.size()));
        const std::size_t length = columns_of(word);
        if (column != 0 && (went_on || column + 1 + length > style.width)) {
            out += '\n';
            out.append(indent, ' ');
            column = indent;
        } else if (column != 0) {
            out += ' ';
            ++column;
        }
        out += word;
        column += length;
    }
    return out + '\n';
}

std::string beside(std::string_view head, std::string_view text, const text_style& style) {
    constexpr std::size_t least = 10;
    const std::size_t indent = columns_of(head);
    text_style inner = style;
    inner.width =
        static_cast<unsigned>(std::max<std::size_t>(style.width, indent + least) - indent);
    std::string out(head);
    for (const char c : wrapped(text, 0, inner)) {
        out += c;
        if (c == '\n') {
            out.append(indent, ' ');
        }
    }
    out.resize(out.size() - indent);
    return out;
}

std::string duration_text(double ns, const text_style& style) {
    struct unit {
        double ns;
        const char* name;
    };
    const unit units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, style.unicode ? "µs" : "us"}, {1, "ns"}};
    for (const unit& u : units) {
        const double value = ns / u.ns;
        if (value >= 0.9995 || u.ns == 1) {
            const int digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
            return fmt::format("{:.{}f} {}", value, digits, u.name);
        }
    }
    return {};
}

std::string bytes_text(std::int64_t bytes) {
    auto value = static_cast<double>(bytes);
    std::string_view unit = "B";
    for (const std::string_view larger : {"kB", "MB", "GB", "TB"}) {
        if (value < 999.5) {
            break;
        }
        value /= 1000;
        unit = larger;
    }
    const int digits = unit == "B" || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}", value, digits, unit);
}

std::string percent_text(double share) {
    const double percent = share * 100;
    const bool fine = percent > 0.05 && percent < 9.95;
    return fmt::format("{:.{}f} %", percent, fine ? 1 : 0);
}

std::string margin_text(double share) {
    const double percent = share * 100;
    const double tenths = std::round(percent * 10);
    const bool usual = std::abs(percent * 10 - tenths) < 1e-6 &&
                       (tenths == 0 || percent < 9.95 || std::fmod(tenths, 10) == 0);
    return usual ? percent_text(share) : fmt::format("{:.6g} %", percent);
}

std::string ratio_text(double ratio) {
    if (ratio > 0 && ratio < 0.00995) { // three decimals would leave one figure of it, or none
        return fmt::format("{:.2g}", ratio);
    }
    return fmt::format("{:.{}f}", ratio, ratio < 10 ? 3 : ratio < 100 ? 2 : 1);
}

std::string as_sentence(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    }
    return text.empty() || text.back() == '.' ? text : text + '.';
}

std::string with_dots(std::string text, const text_style& style) {
    constexpr std::string_view ellipsis = "…";
    for (auto at = text.find(ellipsis); !style.unicode && at != text.npos;
         at = text.find(ellipsis, at)) {
        text.replace(at, ellipsis.size(), "..");
    }
    return text;
}

std::string joined(const std::vector<std::string>& phrases, std::string_view separator) {
    std::string all;
    for (const std::string& phrase : phrases) {
        all += phrase.empty() ? "" : fmt::format("{}{}", all.empty() ? "" : separator, phrase);
    }
    return all;
}

std::string times_text(double ratio, const text_style& style) {
    return fmt::format("{:.{}f}{}", ratio,
                       ratio < 100    ? 2
                       : ratio < 1000 ? 1
                                      : 0,
                       style.unicode ? "×" : "x");
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
    return many.empty() ? fmt::format("{} {}{}", count, one, count == 1 ? "" : "s")
                        : fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string about_text(double amount) {
    if (!(amount > 0)) {
        return "0";
    }
    const double unit = std::pow(10, std::floor(std::log10(amount)) - 1);
    return fmt::format("{:.{}f}", std::round(amount / unit) * unit,
                       amount < 9.95 && std::round(amount) != amount ? 1 : 0);
}

std::string amount_text(double amount) {
    constexpr std::string_view prefixes[] = {"", " k", " M", " G", " T"};
    std::size_t prefix = 0;
    if (amount >= 99'999.5) {
        for (; prefix + 1 < std::size(prefixes) && amount >= 999.95; ++prefix) {
            amount /= 1000;
        }
    }
    const int digits = amount < 9.9995 ? 3 : amount < 99.995 ? 2 : amount < 999.95 ? 1 : 0;
    return fmt::format("{:.{}f}{}", amount, digits, prefixes[prefix]);
}

} // namespace regatta::race
