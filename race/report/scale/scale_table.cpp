// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/scale/scale_table.hpp"

#include "report/common/grid.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace regatta::race {
namespace {

/// Cells of a bar; in a wide window they are twice as many.
constexpr std::size_t bar_width = 12;
constexpr unsigned wide_window = 110;

std::vector<const scale_point*> rows_of(const scale_result& result) {
    std::vector<const scale_point*> rows;
    for (const scale_point& one : result.points) {
        if (one.ran()) {
            rows.push_back(&one);
        }
    }
    return rows;
}

/// Which part of the workers can have a CPU at a time.
double possible_share(const scale_result& result, const scale_point& point) {
    return std::min(1.0, static_cast<double>(result.cpus) / point.workers);
}

/// The efficiency as cells of a bar that is as long as efficiency could be, or longer where that
/// was exceeded.
std::string efficiency_bar(const scale_result& result, const scale_point& point, double longest,
                           std::size_t width, const text_style& style) {
    const auto cells = [&](double share) {
        return static_cast<std::size_t>(
            std::lround(std::max(0.0, share) / longest * static_cast<double>(width)));
    };
    if (point.speedup.median <= 0) {
        return {};
    }
    const std::size_t possible = cells(possible_share(result, point));
    const std::size_t reached = cells(point.efficiency.median);
    std::string bar;
    for (std::size_t i = 0; i < std::max(possible, reached); ++i) {
        if (i < reached) {
            bar += i < possible ? (style.unicode ? "█" : "#") : (style.unicode ? "▓" : "+");
        } else {
            bar += style.unicode ? "░" : "-";
        }
    }
    return bar;
}

std::string_view colour_of(const scale_result& result, const scale_point& point) {
    const bool flagged = std::ranges::any_of(result.warnings, [&](const scale_warning& one) {
        return one.kind == scale_warning_kind::super_linear && one.workers == point.workers;
    });
    if (flagged) {
        return "1;33";
    }
    switch (point.word) {
    case verdict::faster:
        return "32";
    case verdict::slower:
        return "31";
    default:
        return "90";
    }
}

} // namespace

std::string scale_table_text(const scale_result& result, const text_style& style) {
    const auto rows = rows_of(result);
    if (rows.empty()) {
        return {};
    }
    std::vector<grid_column> columns;
    const auto add = [&](const std::string& name, unsigned drop,
                         const std::function<std::string(const scale_point&)>& cell) {
        grid_column& one = columns.emplace_back(grid_column{name, false, drop});
        for (const scale_point* row : rows) {
            one.cells.push_back(cell(*row));
        }
    };
    const auto any = [&](auto has) {
        return std::ranges::any_of(rows, [&](const scale_point* row) { return has(*row); });
    };
    add("workers", 0, [](const scale_point& p) { return std::to_string(p.workers); });
    add(result.unit + "/s", 9,
        [](const scale_point& p) { return amount_text(p.throughput.median); });
    if (result.units_a_run != static_cast<double>(result.items)) {
        add("items/s", 2,
            [](const scale_point& p) { return amount_text(p.events_per_second.median); });
    }
    if (result.peak) {
        add("of peak", 7, [&](const scale_point& p) {
            return percent_text(p.throughput.median / *result.peak /
                                std::min(p.workers, std::max(1U, result.cpus)));
        });
    }
    if (!result.rate) {
        add("speed-up", 0, [&](const scale_point& p) {
            return p.speedup.median > 0 ? times_text(p.speedup.median, style) : std::string("-");
        });
        for (const scale_point* row : rows) {
            columns.back().colours.emplace_back(colour_of(result, *row));
        }
        add("interval", 4, [&](const scale_point& p) {
            return p.workers == 1 || p.speedup.count < pairs_for_a_verdict
                       ? std::string("-")
                       : fmt::format("{:.2f}{}{:.2f}", p.speedup.low, style.unicode ? "…" : "..",
                                     p.speedup.high);
        });
        add("effic.", 8, [](const scale_point& p) {
            return p.speedup.median > 0 ? percent_text(p.efficiency.median) : std::string("-");
        });
    }
    if (any([](const scale_point& p) { return p.latency.count() != 0; })) {
        const auto latency = [&](double share) {
            return [&style, share](const scale_point& p) {
                return p.latency.count() == 0
                           ? std::string("-")
                           : duration_text(static_cast<double>(p.latency.percentile(share)), style);
            };
        };
        add("latency", 6, latency(0.5));
        add("95th", 5, latency(0.95));
        if (result.rate) {
            add("99th", 4, latency(0.99));
            add("most", 3, latency(1));
        }
    }
    if (any([](const scale_point& p) { return p.clock_hz.has_value(); })) {
        add("clock", 1, [](const scale_point& p) {
            return p.clock_hz ? fmt::format("{:.2f} GHz", *p.clock_hz / 1e9) : std::string("-");
        });
    }
    if (!result.rate) {
        double longest = 1;
        for (const scale_point* row : rows) {
            longest = std::max(longest, row->efficiency.median);
        }
        const std::size_t width = style.width < wide_window ? bar_width : 2 * bar_width;
        add(style.unicode ? "█used ░lost" : "#used -lost", 3,
            [&](const scale_point& p) { return efficiency_bar(result, p, longest, width, style); });
        columns.back().to_the_left = true;
        columns.back().drawn = true;
    }
    return grid_text(std::move(columns), style);
}

std::string sysbench_text(const scale_result& result, const text_style& style) {
    if (result.workload != "primes") {
        return {};
    }
    std::vector<grid_column> columns{
        {"workers"},          {"events", false, 4},  {"events/s"},        {"min ms", false, 2},
        {"avg ms", false, 3}, {"95th ms", false, 5}, {"max ms", false, 1}};
    const auto milliseconds = [](double ns) { return fmt::format("{:.2f}", ns / 1e6); };
    for (const scale_point* row : rows_of(result)) {
        const latency_histogram& latency = row->latency;
        if (latency.count() == 0) {
            continue;
        }
        const std::string cells[] = {
            std::to_string(row->workers),
            std::to_string(latency.count()),
            fmt::format("{:.2f}", row->events_per_second.median),
            milliseconds(static_cast<double>(latency.min())),
            milliseconds(latency.mean()),
            milliseconds(static_cast<double>(latency.percentile(0.95))),
            milliseconds(static_cast<double>(latency.max())),
        };
        for (std::size_t i = 0; i < columns.size(); ++i) {
            columns[i].cells.push_back(cells[i]);
        }
    }
    return columns.front().cells.empty()
               ? std::string()
               : paragraph("In sysbench's terms:", style) + grid_text(std::move(columns), style);
}

} // namespace regatta::race
