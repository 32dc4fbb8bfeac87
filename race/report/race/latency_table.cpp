// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/race/latency_table.hpp"

#include "report/common/grid.hpp"
#include "report/race/race_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::race {
namespace {

constexpr std::size_t histogram_width = 24;

/// The times that all histograms have in common, divided evenly by their logarithms.
class time_axis {
public:
    explicit time_axis(const std::vector<const scheme_result*>& rows) {
        std::int64_t least = 0;
        std::int64_t most = 1;
        for (const scheme_result* row : rows) {
            if (row->latency.count() != 0) {
                least = least == 0 ? row->latency.min() : std::min(least, row->latency.min());
                most = std::max(most, row->latency.max());
            }
        }
        low_ = std::log(static_cast<double>(std::max<std::int64_t>(1, least)));
        high_ = std::max(std::log(static_cast<double>(most)), low_ + 0.1);
    }

    std::size_t place_of(std::int64_t ns) const noexcept {
        const double at = std::log(static_cast<double>(std::max<std::int64_t>(1, ns)));
        const double share = std::clamp((at - low_) / (high_ - low_), 0.0, 1.0);
        return std::min(histogram_width - 1, static_cast<std::size_t>(share * histogram_width));
    }
    double low_ns() const noexcept { return std::exp(low_); }
    double high_ns() const noexcept { return std::exp(high_); }

private:
    double low_;
    double high_;
};

/// A column for each stretch of the axis; its height is the logarithm of the number of items, so
/// that the rare late ones show.
std::string histogram_of(const latency_histogram& latency, const time_axis& axis,
                         const text_style& style) {
    constexpr std::array<std::string_view, 9> blocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    constexpr std::array<std::string_view, 9> letters{" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    const auto& heights = style.unicode ? blocks : letters;
    std::array<std::uint64_t, histogram_width> counts{};
    latency.for_each_bucket([&](std::int64_t last, std::uint64_t count) {
        counts[axis.place_of(std::clamp(last, latency.min(), latency.max()))] += count;
    });
    const double most = std::log1p(static_cast<double>(*std::ranges::max_element(counts)));
    std::string out;
    for (const std::uint64_t count : counts) {
        const double share = most > 0 ? std::log1p(static_cast<double>(count)) / most : 0;
        const auto height = static_cast<std::size_t>(std::ceil(share * 8));
        out += heights[std::min<std::size_t>(8, height)];
    }
    return out;
}

} // namespace

std::string latency_table_text(const race_result& result, const text_style& style) {
    const std::vector<const scheme_result*> rows = rows_of(result);
    if (rows.empty()) {
        return {};
    }
    const time_axis axis(rows);
    std::vector<grid_column> columns;
    const auto add = [&](std::string title, unsigned dropped, auto cell) -> grid_column& {
        grid_column& one = columns.emplace_back(grid_column{std::move(title), false, dropped});
        for (const scheme_result* row : rows) {
            one.cells.push_back(cell(*row));
        }
        return one;
    };
    const auto percentile = [&](double share) {
        return [&style, share](const scheme_result& row) {
            return row.latency.count() == 0
                       ? std::string("-")
                       : duration_text(static_cast<double>(row.latency.percentile(share)), style);
        };
    };
    add("scheme", 0, [](const scheme_result& row) { return row.name; }).to_the_left = true;
    add("p50", 5, percentile(0.5));
    add("p99", 0, percentile(0.99));
    add("p99.9", 4, percentile(0.999));
    add("longest", 2, percentile(1));
    add("ratio", 6, [](const scheme_result& row) { return ratio_cell(row.vs_baseline); });
    add("95 % interval", 1,
        [&](const scheme_result& row) { return interval_text(row.vs_baseline, style); });
    grid_column& verdicts =
        add("verdict", 7, [](const scheme_result& row) { return verdict_text(row); });
    verdicts.to_the_left = true;
    for (const scheme_result* row : rows) {
        verdicts.colours.emplace_back(verdict_colour(row->word));
    }
    const std::string title =
        fmt::format("{}{}{}", duration_text(axis.low_ns(), style), style.unicode ? " … " : " .. ",
                    duration_text(axis.high_ns(), style));
    grid_column& drawn = add(
        title, 3, [&](const scheme_result& row) { return histogram_of(row.latency, axis, style); });
    drawn.to_the_left = true;
    drawn.drawn = true;
    return grid_text(std::move(columns), style);
}

} // namespace regatta::race
