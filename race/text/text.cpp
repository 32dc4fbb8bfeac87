// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "text/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace regatta::race {
namespace {

bool continues(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// The first `columns` columns of the text.
std::string_view head(std::string_view text, std::size_t columns) noexcept {
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        if (!continues(text[at]) && columns-- == 0) {
            break;
        }
    }
    return text.substr(0, at);
}

std::string shortened(std::string_view text, std::size_t width, const text_style& style) {
    if (columns_of(text) <= width) {
        return std::string(text);
    }
    if (width == 0) {
        return {};
    }
    return std::string(head(text, width - 1)) + (style.unicode ? "…" : "~");
}

} // namespace

std::size_t columns_of(std::string_view text) noexcept {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return !continues(c); }));
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
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t length = columns_of(word);
        if (column != 0 && column + 1 + length > style.width) {
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

std::string ratio_text(double ratio) {
    if (ratio > 0 && ratio < 0.00995) { // three decimals would leave one figure of it, or none
        return fmt::format("{:.2g}", ratio);
    }
    return fmt::format("{:.{}f}", ratio, ratio < 10 ? 3 : ratio < 100 ? 2 : 1);
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
