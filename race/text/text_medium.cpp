// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// How a text becomes part of a screen, of Markdown or of HTML.

#include "text/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace regatta::race {
namespace {

bool is_letter_or_digit(char c) noexcept {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
}

std::string markdown_of(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool inside = i != 0 && i + 1 < text.size() && is_letter_or_digit(text[i - 1]) &&
                            is_letter_or_digit(text[i + 1]);
        // An underscore within a word means nothing.
        const bool special = std::string_view("\\`*~#<|[]$&").find(c) != std::string_view::npos ||
                             (c == '_' && !inside);
        out += special ? "\\" : "";
        out += c;
    }
    return out;
}

/// Of a line whose first characters are no sign of a quotation or a list.
std::string markdown_line(std::string_view text) {
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const bool number =
        digits != 0 && digits < text.size() && (text[digits] == '.' || text[digits] == ')');
    const bool sign = text.front() == '>' || text.front() == '+' || text.front() == '-';
    std::string line = markdown_of(text);
    if (number || sign) {
        line.insert(number ? digits : 0, "\\");
    }
    return line;
}

std::string html_of(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

/// Of an ANSI colour: "c1 c31".
std::string classes_of(std::string_view colour) {
    std::string out = "c" + std::string(colour);
    for (auto at = out.find(';'); at != out.npos; at = out.find(';')) {
        out.replace(at, 1, " c");
    }
    return out;
}

/// `<NAME>`, with the classes of a colour if there is one, and its end.
std::string element(std::string_view name, std::string_view content, std::string_view colour) {
    return colour.empty()
               ? fmt::format("<{0}>{1}</{0}>", name, content)
               : fmt::format("<{0} class=\"{1}\">{2}</{0}>", name, classes_of(colour), content);
}

} // namespace

std::string escaped(std::string_view text, const text_style& style) {
    return style.medium == text_medium::markdown ? markdown_of(text)
           : style.medium == text_medium::html   ? html_of(text)
                                                 : std::string(text);
}

std::string coloured(std::string_view text, std::string_view colour, const text_style& style) {
    if (!style.colour || colour.empty() || text.empty()) {
        return escaped(text, style);
    }
    if (style.medium == text_medium::html) {
        return element("span", html_of(text), colour);
    }
    return fmt::format("\x1b[{}m{}\x1b[0m", colour, text);
}

std::string paragraph(std::string_view text, const text_style& style, std::string_view colour) {
    if (text.empty()) {
        return {};
    }
    if (style.medium == text_medium::markdown) {
        return markdown_line(text) + "\n\n";
    }
    if (style.medium == text_medium::html) {
        return element("p", html_of(text), colour) + '\n';
    }
    std::string lines = wrapped(text, 2, style);
    lines.pop_back(); // The end of the line has no colour.
    return coloured(lines, colour, style) + '\n';
}

std::string heading(std::string_view text, const text_style& style) {
    return style.medium == text_medium::markdown ? "### " + markdown_of(text) + "\n\n"
           : style.medium == text_medium::html   ? element("h1", html_of(text), {}) + '\n'
                                                 : paragraph(text, style);
}

std::string verbatim(std::string_view lines, const text_style& style) {
    return lines.empty()                           ? std::string()
           : style.medium == text_medium::markdown ? fmt::format("```\n{}```\n\n", lines)
           : style.medium == text_medium::html     ? element("pre", lines, {}) + '\n'
                                                   : std::string(lines);
}

} // namespace regatta::race
