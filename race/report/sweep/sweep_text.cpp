// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/common/grid.hpp"
#include "report/sweep/sweep_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::race {
namespace {

constexpr std::size_t ratio_width = 5; // "0.987"

/// Of those axes that have several values: the name and the value in the cell.
std::vector<std::pair<std::string, std::size_t>> places_of(const sweep_result& sweep,
                                                           const sweep_cell& cell) {
    std::vector<std::pair<std::string, std::size_t>> places;
    const auto add = [&](std::size_t values, std::size_t value, const char* name) {
        if (values > 1) {
            places.emplace_back(name, value);
        }
    };
    add(sweep.axes.sizes.size(), cell.size, "size");
    add(sweep.axes.workers.size(), cell.workers, "workers");
    add(sweep.axes.chunks.size(), cell.chunk, "chunk");
    add(sweep.axes.capacities.size(), cell.capacity, "capacity");
    return places;
}

/// "size 512, workers 2"
std::string cell_name(const sweep_result& sweep, const sweep_cell& cell) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : places_of(sweep, cell)) {
        parts.push_back(fmt::format("{} {}", name, value));
    }
    return joined(parts, ", ");
}

/// Of a column: "512/2"; what that means says `axes_title`.
std::string short_name(const sweep_result& sweep, const sweep_cell& cell) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : places_of(sweep, cell)) {
        parts.push_back(std::to_string(value));
    }
    return joined(parts, "/");
}

/// "size/workers"
std::string axes_title(const sweep_result& sweep, const sweep_cell& cell) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : places_of(sweep, cell)) {
        parts.push_back(name);
    }
    return joined(parts, "/");
}

const scheme_result* scheme_of(const sweep_cell& cell, std::string_view name) {
    const scheme_result* const one = cell.result.find(name);
    return one != nullptr && one->time.count != 0 ? one : nullptr;
}

/// Time over the baseline's; 0 where it is not known.
double ratio_of(const sweep_cell& cell, std::string_view name) {
    const scheme_result* const one = scheme_of(cell, name);
    return one == nullptr ? 0 : name == cell.result.baseline ? 1 : one->vs_baseline.median;
}

/// The schemes that any cell has figures of, in the order of the entrants.
std::vector<std::string> names_of(const std::vector<const sweep_cell*>& cells) {
    std::vector<std::string> names;
    for (const scheme_result& one : cells.front()->result.schemes) {
        if (std::ranges::any_of(cells,
                                [&](const auto* cell) { return scheme_of(*cell, one.name); })) {
            names.push_back(one.name);
        }
    }
    return names;
}

std::string title_of(const sweep_result& sweep, const std::vector<const sweep_cell*>& cells,
                     const provenance& from) {
    const race_result& first = cells.front()->result;
    std::string text = fmt::format("{}: {} of {} races, {} rounds each, on {} CPUs", first.workload,
                                   cells.size(), sweep.cells.size(), first.rounds, first.cpus);
    if (!from.machine.cpu_model.empty()) {
        text += fmt::format(" ({})", from.machine.cpu_model);
    }
    return text;
}

/// Who may be the fastest in each cell.
std::string winners_text(const sweep_result& sweep, const std::vector<const sweep_cell*>& cells,
                         const text_style& style) {
    grid_column where{.title = "race", .to_the_left = true};
    grid_column time{.title = "median"};
    grid_column ratio{.title = "ratio"};
    grid_column who{.title = "fastest, or as fast", .to_the_left = true};
    for (const sweep_cell* const cell : cells) {
        const auto& leaders = cell->result.leaders;
        const std::string best = leaders.empty() ? "" : leaders.front();
        const scheme_result* const one = scheme_of(*cell, best);
        where.cells.push_back(cell_name(sweep, *cell));
        time.cells.push_back(one != nullptr ? duration_text(one->time.median, style) : "");
        ratio.cells.push_back(one != nullptr ? ratio_text(ratio_of(*cell, best)) : "");
        who.cells.push_back(leaders.empty() ? "too few rounds to say" : joined(leaders, ", "));
    }
    return grid_text({where, time, ratio, who}, style);
}

/// The ratios of a row, from the least to the largest of all rows, as heights.
std::string heights_of(const std::vector<double>& ratios, double least, double most,
                       const text_style& style) {
    constexpr std::string_view blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    std::string out;
    for (const double ratio : ratios) {
        if (ratio <= 0) {
            out += ' ';
            continue;
        }
        const double share = most > least ? std::log(ratio / least) / std::log(most / least) : 0;
        const auto step = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * 7));
        out += style.unicode ? std::string(blocks[step]) : std::to_string(step + 1);
    }
    return out;
}

std::string matrix_text(const sweep_result& sweep, const std::vector<const sweep_cell*>& cells,
                        const text_style& style) {
    const std::vector<std::string> names = names_of(cells);
    std::vector<std::vector<double>> rows;
    double least = 1;
    double most = 1;
    const std::string axes = axes_title(sweep, *cells.front());
    std::size_t widest_name = axes.size();
    for (const std::string& name : names) {
        widest_name = std::max(widest_name, name.size());
        rows.emplace_back();
        for (const sweep_cell* const cell : cells) {
            const double ratio = ratio_of(*cell, name);
            rows.back().push_back(ratio);
            least = ratio > 0 ? std::min(least, ratio) : least;
            most = std::max(most, ratio);
        }
    }
    std::string out;
    // As many columns as fit, then the next ones below.
    for (std::size_t begin = 0; begin < cells.size();) {
        grid_column scheme{.title = axes, .to_the_left = true, .cells = names};
        std::vector<grid_column> columns{scheme};
        std::size_t width = widest_name;
        std::size_t end = begin;
        for (; end < cells.size(); ++end) {
            grid_column column{.title = short_name(sweep, *cells[end])};
            const std::size_t wide = std::max(ratio_width, column.title.size()) + 2;
            if (end != begin && width + wide > style.width) {
                break;
            }
            width += wide;
            for (const auto& row : rows) {
                column.cells.push_back(row[end] > 0 ? ratio_text(row[end]) : "-");
            }
            columns.push_back(column);
        }
        if (end == cells.size()) {
            grid_column shape{.title = "drawn", .to_the_left = true, .dropped = 1};
            for (const auto& row : rows) {
                shape.cells.push_back(heights_of(row, least, most, style));
            }
            columns.push_back(shape);
        }
        out += grid_text(columns, style) + '\n';
        begin = end;
    }
    return out;
}

} // namespace

std::string to_text(const sweep_result& sweep, const provenance& from, const text_style& style) {
    const std::vector<const sweep_cell*> cells = sweep.measured();
    if (cells.empty()) {
        return "Stopped before the first race was done.\n";
    }
    return wrapped(title_of(sweep, cells, from), 0, style) + '\n' +
           winners_text(sweep, cells, style) + '\n' + matrix_text(sweep, cells, style) +
           wrapped(fmt::format("Times over those of {} in the same race; below 1 is faster. The "
                               "intervals, verdicts and where the time went are in the JSON.",
                               cells.front()->result.baseline),
                   0, style);
}

} // namespace regatta::race
