// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/common/grid.hpp"
#include "report/race/launches_report.hpp"
#include "report/sweep/sweep_report.hpp"

#include <regatta/cpu/available_cpus.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
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
    add(sweep.axes.sizes.size(), cell.at.size, "size");
    add(sweep.axes.workers.size(), cell.at.workers, "workers");
    add(sweep.axes.chunks.size(), cell.at.chunk, "chunk");
    add(sweep.axes.capacities.size(), cell.at.capacity, "capacity");
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

/// What a row has of a cell.
struct cell_figures {
    double ratio = 0;  ///< To the baseline's; 0: not known.
    double figure = 0; ///< The median time; at a rate of the latencies at the judged percentile.
};

/// Of the race in a cell or of its launches; nothing of a scheme that has no figures there.
std::optional<cell_figures> figures_of(const sweep_cell& cell, std::string_view name) {
    if (const scheme_result* const one = cell.result.find(name)) {
        const double ratio = name == cell.result.baseline ? 1 : one->vs_baseline.median;
        return one->time.count != 0 ? std::optional(cell_figures{ratio, one->time.median})
                                    : std::nullopt;
    }
    const auto& all = cell.launches.schemes;
    const auto found = std::ranges::find(all, name, &launched_scheme::name);
    return found == all.end()
               ? std::nullopt
               : std::optional(cell_figures{found->ratio.median, found->time.median});
}

double ratio_of(const sweep_cell& cell, std::string_view name) {
    return figures_of(cell, name).value_or(cell_figures{}).ratio;
}

const std::vector<std::string>& leaders_of(const sweep_cell& cell) {
    return cell.launches.races.empty() ? cell.result.leaders : cell.launches.leaders;
}

/// That of all races, or "the baseline" where it is not one.
std::string baseline_of(const std::vector<const sweep_cell*>& cells) {
    std::string name;
    for (const sweep_cell* const cell : cells) {
        const std::string& here =
            cell->launches.races.empty() ? cell->result.baseline : cell->launches.baseline;
        if (!name.empty() && !here.empty() && here != name) {
            return "the baseline";
        }
        name = here.empty() ? name : here;
    }
    return name;
}

/// The schemes that any cell has figures of, in the order of the entrants.
std::vector<std::string> names_of(const std::vector<const sweep_cell*>& cells) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        if (std::ranges::find(names, name) == names.end() &&
            std::ranges::any_of(
                cells, [&](const auto* cell) { return figures_of(*cell, name).has_value(); })) {
            names.push_back(name);
        }
    };
    for (const sweep_cell* const cell : cells) {
        std::ranges::for_each(cell->result.schemes, add, &scheme_result::name);
        std::ranges::for_each(cell->launches.schemes, add, &launched_scheme::name);
    }
    return names;
}

/// "1 round", "15 to 60 rounds", "6 of 6 launches"
std::string evidence_of(const sweep_result& sweep, const std::vector<const sweep_cell*>& cells) {
    const auto count = [&](const sweep_cell* cell) {
        return sweep.launches > 1 ? cell->launches.races.size() : cell->result.rounds;
    };
    const auto [least, most] = std::ranges::minmax(cells | std::views::transform(count));
    const std::string what = sweep.launches > 1 ? fmt::format("of {} launches", sweep.launches)
                             : most == 1        ? "round"
                                                : "rounds";
    return least == most ? fmt::format("{} {}", least, what)
                         : fmt::format("{} to {} {}", least, most, what);
}

std::string title_of(const sweep_result& sweep, const std::vector<const sweep_cell*>& cells,
                     const provenance& from) {
    std::string text = fmt::format("{}: {} of {} races, {} each, on {}", sweep.workload,
                                   cells.size(), sweep.cells.size(), evidence_of(sweep, cells),
                                   counted(available_cpus(), "CPU"));
    if (sweep.rate) {
        text += fmt::format(", {} items/s offered", amount_text(*sweep.rate));
    }
    if (!from.machine.cpu_model.empty()) {
        text += fmt::format(" ({})", from.machine.cpu_model);
    }
    return text;
}

/// Whether a race of these was about the longest latencies.
bool any_longest(const std::vector<const sweep_cell*>& cells) {
    return std::ranges::any_of(cells, [](const sweep_cell* cell) {
        return cell->launches.races.empty() ? cell->result.judges_longest()
                                            : judges_longest(cell->launches.races.front());
    });
}

/// Who may be the fastest in each cell.
std::string winners_text(const sweep_result& sweep, const std::vector<const sweep_cell*>& cells,
                         const text_style& style) {
    grid_column where{.title = "race", .to_the_left = true};
    grid_column time{.title = !sweep.rate ? "median" : any_longest(cells) ? "latency" : "p99"};
    grid_column ratio{.title = "ratio"};
    grid_column who{.title = sweep.rate ? "lowest, or as low" : "fastest, or as fast",
                    .to_the_left = true};
    const char* const too_few =
        sweep.launches > 1 ? "too few clean launches to say" : "too few clean rounds to say";
    for (const sweep_cell* const cell : cells) {
        const auto& leaders = leaders_of(*cell);
        const auto best = leaders.empty() ? std::nullopt : figures_of(*cell, leaders.front());
        where.cells.push_back(cell_name(sweep, *cell));
        time.cells.push_back(best ? duration_text(best->figure, style) : "");
        ratio.cells.push_back(best ? ratio_text(best->ratio) : "");
        who.cells.push_back(!leaders.empty()           ? joined(leaders, ", ")
                            : names_of({cell}).empty() ? "nothing was measured"
                                                       : too_few);
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
    if (names.empty()) {
        return {};
    }
    std::vector<std::vector<double>> rows;
    double least = 1;
    double most = 1;
    const std::string axes = axes_title(sweep, *cells.front());
    std::size_t widest_name = axes.size();
    for (const std::string& name : names) {
        widest_name = std::max(widest_name, columns_of(name));
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
            grid_column shape{.title = "drawn", .to_the_left = true, .dropped = 1, .drawn = true};
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

/// Adds the cell's name to those of which the text is true.
void say_of(std::vector<std::pair<std::string, std::string>>& all, const std::string& text,
            const std::string& cell) {
    const auto same = std::ranges::find(all, text, [](const auto& one) { return one.first; });
    if (same == all.end()) {
        all.emplace_back(text, cell);
    } else {
        same->second += "; " + cell;
    }
}

/// What spoils a race, what failed in it, and what launches lack.
std::string gaps_text(const sweep_result& sweep, const std::vector<const sweep_cell*>& cells,
                      const text_style& style) {
    std::vector<std::pair<std::string, std::string>> all;
    std::string out;
    for (const sweep_cell* const cell : cells) {
        const std::string name = cell_name(sweep, *cell);
        if (cell->result.contaminated > 0.25) {
            say_of(all, "NOTE: disturbed by other processes in more than a quarter of the samples",
                   name);
        }
        for (const scheme_result& one : cell->result.schemes) {
            if (one.status == scheme_status::failed) {
                say_of(all,
                       fmt::format("{} {}: {}", one.wrong_result ? "DISQUALIFIED" : "FAILED",
                                   one.name, one.reason),
                       name);
            }
        }
        out += missing_text(cell->launches, " of " + name, style);
    }
    for (const auto& [text, where] : all) {
        out += paragraph(fmt::format("{} ({})", text, where), style,
                         text.starts_with("NOTE") ? "1;33" : "1;31");
    }
    if (sweep.stopped) {
        out += paragraph("Cut short: this is what was measured by then.", style);
    }
    return out;
}

} // namespace

std::string to_text(const sweep_result& sweep, const provenance& from, const text_style& style) {
    const std::vector<const sweep_cell*> cells = sweep.measured();
    if (cells.empty()) {
        return paragraph("Stopped before the first race was done.", style);
    }
    return heading(title_of(sweep, cells, from), style) + '\n' + winners_text(sweep, cells, style) +
           '\n' + matrix_text(sweep, cells, style) + gaps_text(sweep, cells, style) +
           (names_of(cells).empty()
                ? std::string()
                : paragraph(fmt::format(
                                "{}{} over those of {} in the same race; below 1 is {}. "
                                "The intervals, verdicts and {} are in the JSON.",
                                sweep.rate ? "99th percentiles of the latency" : "Times",
                                any_longest(cells) ? ", of fewer than 100 items the longest," : "",
                                baseline_of(cells), sweep.rate ? "lower" : "faster",
                                sweep.rate ? "other percentiles" : "where the time went"),
                            style));
}

} // namespace regatta::race
