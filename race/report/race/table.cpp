// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/race/table.hpp"

#include "report/common/bar.hpp"
#include "report/common/grid.hpp"
#include "report/race/race_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace regatta::race {
namespace {

enum class column {
    name,
    median,
    ratio,
    interval,
    throughput,
    speedup,
    efficiency,
    cpu,
    memory,
    verdict,
    bar
};

constexpr column all_columns[] = {column::name,       column::median,     column::ratio,
                                  column::interval,   column::throughput, column::speedup,
                                  column::efficiency, column::cpu,        column::memory,
                                  column::verdict,    column::bar};
/// The order in which columns go where there is no room.
constexpr column dropped_first[] = {column::interval, column::efficiency, column::bar,
                                    column::memory,   column::cpu,        column::speedup,
                                    column::ratio,    column::verdict};
constexpr std::size_t gap = 2;
constexpr std::size_t smallest_bar = 13;
constexpr std::size_t largest_bar = 40;
constexpr std::size_t page_bar = 20;

struct table_column {
    column kind;
    std::string title;
    std::vector<std::string> cells;
    std::size_t width = 0;

    bool to_the_left() const noexcept {
        return kind == column::name || kind == column::verdict || kind == column::bar;
    }
};

std::string title_of(column kind, const race_result& result) {
    switch (kind) {
    case column::name:
        return "scheme";
    case column::median:
        return "median";
    case column::ratio:
        return "ratio";
    case column::interval:
        return "95 % interval";
    case column::throughput:
        return result.unit + "/s";
    case column::speedup:
        return "speed-up";
    case column::efficiency:
        return "effic.";
    case column::cpu:
        return "CPU time";
    case column::memory:
        return "memory";
    case column::verdict:
        return "verdict";
    case column::bar:
        break;
    }
    return "where the time went";
}

std::string cell_of(column kind, const scheme_result& row, const race_result& result,
                    const text_style& style) {
    switch (kind) {
    case column::name:
        return row.name;
    case column::median:
        return duration_text(row.time.median, style);
    case column::ratio:
        return ratio_cell(row.vs_baseline);
    case column::interval:
        return interval_text(row.vs_baseline, style);
    case column::throughput:
        return result.throughput(row) ? amount_text(*result.throughput(row)) : "-";
    case column::speedup:
        return row.speedup ? fmt::format("{:.2f}{}", row.speedup->median, style.unicode ? "×" : "x")
                           : "-";
    case column::efficiency:
        return row.efficiency ? percent_text(*row.efficiency) : "-";
    case column::cpu:
        return row.program && row.program->cpu_ns ? duration_text(*row.program->cpu_ns, style)
                                                  : "-";
    case column::memory:
        return row.program && row.program->peak_bytes ? bytes_text(*row.program->peak_bytes) : "-";
    case column::verdict:
        return verdict_text(row);
    case column::bar:
        break;
    }
    return {};
}

std::vector<table_column> columns_for(const std::vector<const scheme_result*>& rows,
                                      const race_result& result, const text_style& style) {
    const bool serial_ran =
        std::ranges::any_of(rows, [](const scheme_result* r) { return r->speedup.has_value(); });
    const auto is_program = [](const scheme_result* r) { return r->program.has_value(); };
    const bool program_ran = std::ranges::any_of(rows, is_program);
    const bool scheme_ran = !std::ranges::all_of(rows, is_program);
    const auto says_something = [&](column kind) {
        switch (kind) {
        case column::throughput: // items a second say no more than the time
            return scheme_ran && result.unit.starts_with('G');
        case column::speedup:
        case column::efficiency:
            return serial_ran;
        case column::cpu:
        case column::memory:
            return program_ran;
        case column::bar:
            return scheme_ran;
        default:
            return true;
        }
    };
    std::vector<table_column> columns;
    for (const column kind : all_columns) {
        if (!says_something(kind)) {
            continue;
        }
        table_column& one = columns.emplace_back(table_column{kind, title_of(kind, result), {}});
        one.width = kind == column::bar ? smallest_bar : columns_of(one.title);
        for (const scheme_result* row : rows) {
            one.cells.push_back(cell_of(kind, *row, result, style));
            one.width = std::max(one.width, columns_of(one.cells.back()));
        }
    }
    return columns;
}

std::size_t width_of(const std::vector<table_column>& columns) {
    std::size_t sum = gap * (columns.size() - 1);
    for (const table_column& one : columns) {
        sum += one.width;
    }
    return sum;
}

/// Drops columns until the rest has room; the bar then takes what is left over.
void fit(std::vector<table_column>& columns, const text_style& style) {
    const auto drop = [&](column kind) {
        std::erase_if(columns, [&](const table_column& one) { return one.kind == kind; });
    };
    const table_column& last = columns.back();
    const std::size_t title = last.kind == column::bar ? columns_of(last.title) - last.width : 0;
    if (width_of(columns) + title > style.width) { // the JSON has it, and the bar needs the room
        drop(column::throughput);
    }
    for (const column kind : dropped_first) {
        if (width_of(columns) > style.width) {
            drop(kind);
        }
    }
    if (width_of(columns) > style.width) {
        const std::size_t over = width_of(columns) - style.width;
        columns.front().width -= std::min(over, columns.front().width - 1);
    } else if (columns.back().kind == column::bar) {
        columns.back().width =
            std::min(largest_bar, columns.back().width + style.width - width_of(columns));
    }
    if (table_column& end = columns.back();
        end.kind == column::bar && end.width < columns_of(end.title)) {
        end.title = "where it went"; // as wide as the smallest bar
    }
}

void trim_right(std::string& line) {
    line.erase(line.find_last_not_of(' ') + 1);
}

std::string row_text(const std::vector<table_column>& columns, const scheme_result* row,
                     std::size_t index, const text_style& style) {
    std::string line;
    for (const table_column& one : columns) {
        line.append(line.empty() ? 0 : gap, ' ');
        if (row != nullptr && one.kind == column::bar) {
            line += bar_text(row->where, one.width, style);
            continue;
        }
        const std::string& text = row == nullptr ? one.title : one.cells[index];
        const std::string cell = one.to_the_left() ? padded_right(text, one.width, style)
                                                   : padded_left(text, one.width, style);
        const std::string_view colour = row == nullptr                ? "1"
                                        : one.kind == column::verdict ? verdict_colour(row->word)
                                                                      : "";
        line += coloured(cell, colour, style);
    }
    if (!style.colour) {
        trim_right(line);
    }
    return line + '\n';
}

std::string legend_of(const std::vector<const scheme_result*>& rows, std::size_t width,
                      const text_style& style) {
    std::vector<attribution> bars;
    for (const scheme_result* row : rows) {
        bars.push_back(row->where);
    }
    return legend_text(bars, width, style);
}

/// All columns, for which a page has room.
std::string page_text(const std::vector<table_column>& columns,
                      const std::vector<const scheme_result*>& rows, const text_style& style) {
    std::vector<grid_column> grid;
    for (const table_column& one : columns) {
        grid_column& to = grid.emplace_back(
            grid_column{.title = one.title, .to_the_left = one.to_the_left(), .cells = one.cells});
        to.drawn = one.kind == column::bar;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (to.drawn) {
                to.cells[i] = bar_text(rows[i]->where, page_bar, style);
            } else if (one.kind == column::verdict) {
                to.colours.emplace_back(verdict_colour(rows[i]->word));
            }
        }
    }
    const bool bars = grid.back().drawn;
    return grid_text(std::move(grid), style) + (bars ? legend_of(rows, page_bar, style) : "");
}

} // namespace

std::string table_text(const race_result& result, const text_style& style) {
    const auto rows = rows_of(result);
    if (rows.empty()) {
        return {};
    }
    auto columns = columns_for(rows, result, style);
    if (style.medium != text_medium::screen) {
        return page_text(columns, rows, style);
    }
    fit(columns, style);
    std::string out = row_text(columns, nullptr, 0, style);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out += row_text(columns, rows[i], i, style);
    }
    if (columns.back().kind == column::bar) {
        out += '\n' + legend_of(rows, columns.back().width, style);
    }
    return out;
}

} // namespace regatta::race
