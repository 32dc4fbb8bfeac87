// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/common/grid.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace regatta::race {
namespace {

constexpr std::size_t gap = 2;

std::size_t width_of(const grid_column& column) {
    std::size_t width = columns_of(column.title);
    for (const std::string& cell : column.cells) {
        width = std::max(width, columns_of(cell));
    }
    return width;
}

std::size_t width_of(const std::vector<grid_column>& columns) {
    std::size_t sum = columns.empty() ? 0 : gap * (columns.size() - 1);
    for (const grid_column& one : columns) {
        sum += width_of(one);
    }
    return sum;
}

/// Takes away the column that goes first; false if all must stay.
bool drop_one(std::vector<grid_column>& columns) {
    auto first = columns.end();
    for (auto it = columns.begin(); it != columns.end(); ++it) {
        if (it->dropped != 0 && (first == columns.end() || it->dropped < first->dropped)) {
            first = it;
        }
    }
    if (first == columns.end()) {
        return false;
    }
    columns.erase(first);
    return true;
}

std::string_view colour_of(const grid_column& column, std::size_t row) {
    return row < column.colours.size() ? std::string_view(column.colours[row]) : std::string_view();
}

/// As code, so that all characters are of one width, Markdown drops blanks at both ends; not these.
std::string unbroken(std::string text) {
    for (auto at = text.find(' '); at != text.npos; at = text.find(' ', at)) {
        text.replace(at, 1, "\u00a0");
    }
    return text;
}

std::string markdown_grid(const std::vector<grid_column>& columns, const text_style& style) {
    std::string titles = "|";
    std::string sides = "|";
    for (const grid_column& one : columns) {
        titles += fmt::format(" {} |", escaped(one.title, style));
        sides += one.to_the_left ? " :-- |" : " --: |";
    }
    std::string out = titles + '\n' + sides + '\n';
    for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
        out += '|';
        for (const grid_column& one : columns) {
            const std::string& cell = one.cells[row];
            out += !one.drawn     ? fmt::format(" {} |", escaped(cell, style))
                   : cell.empty() ? "  |"
                                  : fmt::format(" `{}` |", unbroken(cell));
        }
        out += '\n';
    }
    return out + '\n';
}

std::string html_grid(const std::vector<grid_column>& columns, const text_style& style) {
    const auto cell_of = [&](std::string_view name, const grid_column& column,
                             std::string_view text) {
        const std::string_view look = column.drawn         ? " class=\"left drawn\""
                                      : column.to_the_left ? " class=\"left\""
                                                           : "";
        return fmt::format("<{0}{1}>{2}</{0}>", name, look, text);
    };
    std::string out = "<table>\n<thead><tr>";
    for (const grid_column& one : columns) {
        out += cell_of("th", one, escaped(one.title, style));
    }
    out += "</tr></thead>\n<tbody>\n";
    for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
        out += "<tr>";
        for (const grid_column& one : columns) {
            out += cell_of("td", one,
                           one.drawn ? one.cells[row]
                                     : coloured(one.cells[row], colour_of(one, row), style));
        }
        out += "</tr>\n";
    }
    return out + "</tbody>\n</table>\n";
}

} // namespace

std::string grid_text(std::vector<grid_column> columns, const text_style& style) {
    if (style.medium != text_medium::screen && !columns.empty()) {
        return style.medium == text_medium::html ? html_grid(columns, style)
                                                 : markdown_grid(columns, style);
    }
    while (width_of(columns) > style.width && drop_one(columns)) {
    }
    if (columns.empty()) {
        return {};
    }
    std::vector<std::size_t> widths;
    for (const grid_column& one : columns) {
        widths.push_back(width_of(one));
    }
    // Words can be cut; a figure that is cut is another one.
    const std::size_t whole = width_of(columns);
    for (std::size_t over = whole - std::min<std::size_t>(whole, style.width); over != 0; --over) {
        std::size_t widest = 0;
        for (std::size_t i = 1; i < columns.size(); ++i) {
            widest = columns[i].to_the_left && widths[i] > widths[widest] ? i : widest;
        }
        if (widths[widest] <= 1) {
            break;
        }
        --widths[widest];
    }

    const auto line_of = [&](auto cell) {
        std::string line;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            line.append(i == 0 ? 0 : gap, ' ');
            const auto [text, colour] = cell(columns[i]);
            line += coloured(columns[i].to_the_left ? padded_right(text, widths[i], style)
                                                    : padded_left(text, widths[i], style),
                             colour, style);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        return line + '\n';
    };
    using cell = std::pair<std::string, std::string>;
    std::string out = line_of([](const grid_column& one) { return cell(one.title, "1"); });
    for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
        out += line_of(
            [&](const grid_column& one) { return cell(one.cells[row], colour_of(one, row)); });
    }
    return out;
}

} // namespace regatta::race
