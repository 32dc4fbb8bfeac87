// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/scale/scale_curve.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace regatta::race {
namespace {

/// Of the marks, in the order in which they cover each other.
enum class mark {
    none,
    ideal,
    fit_flat,
    fit_from,
    fit_to,
    fit_fall_from,
    fit_fall_to,
    fit_steep,
    interval,
    measured,
    beyond
};

struct look {
    std::string_view unicode;
    std::string_view ascii;
    std::string_view colour;
};

constexpr look look_of(mark m) noexcept {
    switch (m) {
    case mark::none:
        return {" ", " ", ""};
    case mark::ideal:
        return {"·", ".", "90"};
    case mark::fit_flat:
        return {"─", "-", "36"};
    case mark::fit_from:
        return {"╯", "/", "36"};
    case mark::fit_to:
        return {"╭", "-", "36"};
    case mark::fit_fall_from:
        return {"╮", "-", "36"};
    case mark::fit_fall_to:
        return {"╰", "\\", "36"};
    case mark::fit_steep:
        return {"│", "|", "36"};
    case mark::interval:
        return {"┃", "|", "32"};
    case mark::measured:
        return {"●", "o", "1;32"};
    case mark::beyond:
        break;
    }
    return {"◆", "X", "1;33"};
}

/// The law behind the drawn fit, and its name; without a law the function is empty.
struct drawn_law {
    std::function<double(double)> speedup{};
    std::string_view name{};
};

drawn_law law_of(const scale_result& result) {
    const scaling_fit& fit = result.fit;
    const bool above_linear = std::ranges::any_of(result.warnings, [](const scale_warning& one) {
        return one.kind == scale_warning_kind::super_linear;
    });
    if (above_linear) {
        return {}; // no law knows of that
    }
    if (fit.preferred == scaling_law::amdahl && fit.amdahl) {
        return {[law = *fit.amdahl](double p) { return law.speedup(p); }, "Amdahl's law"};
    }
    if (fit.preferred == scaling_law::usl && fit.usl) {
        return {[law = *fit.usl](double p) { return law.speedup(p); }, "Universal Scalability Law"};
    }
    return {};
}

/// Columns of a doubling of the workers, and rows of a doubling of the speed-up.
constexpr int widest_doubling = 18;
constexpr int narrowest_doubling = 3;
constexpr int widest_field = 90;
constexpr int usual_rows = 15;
constexpr int most_rows_a_doubling = 5;
constexpr std::size_t label_width = 6;

/// The field that is drawn on, and how figures become places in it.
class field {
public:
    /// @param columns a doubling of the workers. @param rows a doubling of the speed-up.
    field(double most_workers, double least, double most, int columns, int rows)
        : columns_(columns)
        , rows_(rows)
        , bottom_(static_cast<int>(std::floor(std::log2(least) * rows + 0.25)))
        , top_(std::max(bottom_ + rows, static_cast<int>(std::ceil(std::log2(most) * rows - 0.25))))
        , right_(column_of(most_workers))
        , cells_(static_cast<std::size_t>(top_ - bottom_ + 1),
                 std::vector<mark>(static_cast<std::size_t>(right_ + 2), mark::none)) {}

    int column_of(double workers) const noexcept {
        return static_cast<int>(std::lround(std::log2(workers) * columns_));
    }
    int row_of(double speedup) const noexcept {
        return static_cast<int>(std::lround(std::log2(speedup) * rows_));
    }
    double workers_at(int column) const noexcept {
        return std::exp2(static_cast<double>(column) / columns_);
    }
    int bottom() const noexcept { return bottom_; }
    int top() const noexcept { return top_; }
    int right() const noexcept { return right_; }

    /// Marks that are outside, or below another, are not seen.
    void put(int column, int row, mark m) {
        if (column >= 0 && column <= right_ && row >= bottom_ && row <= top_) {
            mark& cell = at(column, row);
            cell = std::max(cell, m);
        }
    }

    std::string line(int row, const text_style& style) const {
        std::string out;
        for (int column = 0; column <= right_;) {
            const look one = look_of(at(column, row));
            std::string run;
            for (; column <= right_ && look_of(at(column, row)).colour == one.colour; ++column) {
                const look same = look_of(at(column, row));
                run += style.unicode ? same.unicode : same.ascii;
            }
            out += coloured(run, one.colour, style);
        }
        return out;
    }

private:
    mark& at(int column, int row) {
        return cells_[static_cast<std::size_t>(row - bottom_)][static_cast<std::size_t>(column)];
    }
    mark at(int column, int row) const {
        return cells_[static_cast<std::size_t>(row - bottom_)][static_cast<std::size_t>(column)];
    }

    int columns_;
    int rows_;
    int bottom_;
    int top_;
    int right_;
    std::vector<std::vector<mark>> cells_;
};

/// A line that is connected, however steep it is.
void draw_fit(field& to, const drawn_law& law, double most_workers) {
    const int last = to.column_of(most_workers);
    for (int column = 0; column <= last; ++column) {
        const int here = to.row_of(law.speedup(to.workers_at(column)));
        const int next = column == last ? here : to.row_of(law.speedup(to.workers_at(column + 1)));
        to.put(column, here,
               here == next  ? mark::fit_flat
               : here < next ? mark::fit_from
                             : mark::fit_fall_from);
        if (here != next) {
            to.put(column, next, here < next ? mark::fit_to : mark::fit_fall_to);
        }
        for (int row = std::min(here, next) + 1; row < std::max(here, next); ++row) {
            to.put(column, row, mark::fit_steep);
        }
    }
}

/// @returns whether more than the point is to be seen of its interval. Too few rounds have none.
bool draw_point(field& to, const scale_point& point, bool beyond) {
    const int column = to.column_of(point.workers);
    const bool known = point.speedup.count >= pairs_for_a_verdict;
    const int low = to.row_of(std::max(known ? point.speedup.low : point.speedup.median, 1e-6));
    const int high = to.row_of(std::max(known ? point.speedup.high : point.speedup.median, 1e-6));
    for (int row = low; row <= high; ++row) {
        to.put(column, row, mark::interval);
    }
    to.put(column, to.row_of(point.speedup.median), beyond ? mark::beyond : mark::measured);
    return low != high;
}

/// Of the speed-ups at the left: powers of two.
std::string tick_label(int row, int rows_a_doubling, const text_style& style) {
    if (row % rows_a_doubling != 0) {
        return {};
    }
    const double speedup = std::exp2(row / rows_a_doubling);
    const std::string_view times = style.unicode ? "×" : "x";
    return speedup < 0.1 ? fmt::format("1/{:g}{}", 1 / speedup, times) // It has no room for more.
                         : fmt::format("{:g}{}", speedup, times);
}

/// The lower axis with a tick for each point, and their numbers of workers as far as there is room.
std::string lower_axis(const field& drawn, const std::vector<const scale_point*>& points,
                       const text_style& style) {
    const auto width = static_cast<std::size_t>(drawn.right()) + 1;
    std::vector<bool> ticks(width, false);
    std::string labels(label_width + 2 + width + 4, ' ');
    std::size_t free_from = 0;
    for (const scale_point* point : points) {
        const auto column = static_cast<std::size_t>(drawn.column_of(point->workers));
        ticks[column] = true;
        const std::string number = std::to_string(point->workers);
        const std::size_t from = label_width + 2 + column - (number.size() - 1) / 2;
        if (from >= free_from) {
            labels.replace(from, number.size(), number);
            free_from = from + number.size() + 1;
        }
    }
    labels.erase(labels.find_last_not_of(' ') + 1);
    std::string line(label_width + 1, ' ');
    line += style.unicode ? "└" : "+";
    for (const bool tick : ticks) {
        line += tick ? (style.unicode ? "┴" : "+") : (style.unicode ? "─" : "-");
    }
    const std::string name = "  workers";
    if (labels.size() + name.size() <= style.width) {
        labels += name;
    }
    return line + '\n' + labels + '\n';
}

} // namespace

std::string scale_curve_text(const scale_result& result, const text_style& style) {
    std::vector<const scale_point*> points;
    for (const scale_point& one : result.points) {
        if (one.ran() && one.speedup.median > 0) {
            points.push_back(&one);
        }
    }
    const int room =
        std::min(widest_field, static_cast<int>(style.width) - static_cast<int>(label_width) - 4);
    if (result.rate || points.size() < 2) {
        return {};
    }
    const double most_workers = points.back()->workers;
    const double doublings = std::log2(most_workers);
    const int columns = std::min(widest_doubling, static_cast<int>(room / doublings));
    if (columns < narrowest_doubling) {
        return {};
    }
    const double cpus = std::max(1U, result.cpus);
    double least = 1;
    double most = std::min(most_workers, cpus);
    for (const scale_point* point : points) {
        least = std::min(least, point->speedup.median);
        most = std::max(most, point->speedup.median);
    }
    const double range = std::max(1.0, std::log2(most / least));
    const int rows = std::clamp(static_cast<int>(usual_rows / range), 2, most_rows_a_doubling);

    field drawn(most_workers, least, most, columns, rows);
    for (int column = 0; column <= drawn.right(); ++column) {
        drawn.put(column, drawn.row_of(std::min(drawn.workers_at(column), cpus)), mark::ideal);
    }
    const drawn_law law = law_of(result);
    if (law.speedup) {
        draw_fit(drawn, law, std::min(most_workers, cpus));
    }
    bool any_beyond = false;
    bool any_interval = false;
    for (const scale_point* point : points) {
        const bool beyond = std::ranges::any_of(result.warnings, [&](const scale_warning& one) {
            return one.kind == scale_warning_kind::super_linear && one.workers == point->workers;
        });
        any_beyond = any_beyond || beyond;
        any_interval = draw_point(drawn, *point, beyond) || any_interval;
    }

    std::string out = "speed-up\n";
    for (int row = drawn.top(); row >= drawn.bottom(); --row) {
        const std::string label = tick_label(row, rows, style);
        std::string line = padded_left(label, label_width, style) + ' ';
        line += label.empty() ? (style.unicode ? "│" : "|") : (style.unicode ? "┤" : "+");
        line += drawn.line(row, style);
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    out += lower_axis(drawn, points, style);
    std::size_t column = 0;
    const auto explain = [&](mark m, std::string_view words) {
        const std::size_t length = 2 + columns_of(words);
        const bool breaks = column != 0 && column + 2 + length > style.width;
        out += breaks ? "\n" : column != 0 ? "  " : "";
        column = (breaks || column == 0 ? 0 : column + 2) + length;
        const look one = look_of(m);
        out += coloured(style.unicode ? one.unicode : one.ascii, one.colour, style);
        out += fmt::format(" {}", words);
    };
    explain(mark::measured, "measured");
    if (any_beyond) {
        explain(mark::beyond, "more than can be");
    }
    if (any_interval) {
        explain(mark::interval, "its interval");
    }
    explain(mark::ideal, "ideal");
    if (law.speedup) {
        explain(mark::fit_flat, law.name);
    }
    return out + '\n';
}

} // namespace regatta::race
