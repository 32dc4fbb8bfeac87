// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/common/bar.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace regatta::race {
namespace {

struct look {
    std::string_view unicode;
    std::string_view ascii;
    std::string_view colour;
};

/// By `part`.
constexpr std::array<look, part_count> looks{{
    {"█", "#", "32"},
    {"▓", "+", "33"},
    {"▒", "%", "31"},
    {"░", ":", "35"},
    {"▸", ">", "34"},
    {"▪", "=", "36"},
    {"◂", "<", "94"},
    {"·", ".", "90"},
    {"?", "?", "37"},
    {"○", "o", "90"},
}};

std::string_view cell(std::size_t part, const text_style& style) {
    return style.unicode ? looks[part].unicode : looks[part].ascii;
}

} // namespace

std::array<std::size_t, part_count> bar_cells(const attribution& where, std::size_t width) {
    std::array<std::size_t, part_count> cells{};
    if (where.total_ns() <= 0) {
        return cells;
    }
    std::array<double, part_count> remainders{};
    for (std::size_t i = 0; i < part_count; ++i) {
        const double exact = where.ns[i] / where.total_ns() * static_cast<double>(width);
        cells[i] = static_cast<std::size_t>(std::floor(exact + 1e-9));
        remainders[i] = exact - static_cast<double>(cells[i]);
    }
    std::size_t given = std::accumulate(cells.begin(), cells.end(), std::size_t{0});
    for (; given < width; ++given) {
        const auto largest = std::ranges::max_element(remainders) - remainders.begin();
        ++cells[static_cast<std::size_t>(largest)];
        remainders[static_cast<std::size_t>(largest)] -= 1;
    }
    return cells;
}

std::string bar_text(const attribution& where, std::size_t width, const text_style& style) {
    const auto cells = bar_cells(where, width);
    std::string out;
    for (std::size_t i = 0; i < part_count; ++i) {
        std::string run;
        for (std::size_t n = 0; n < cells[i]; ++n) {
            run += cell(i, style);
        }
        out += coloured(run, looks[i].colour, style);
    }
    return out;
}

std::string legend_text(const std::vector<attribution>& bars, std::size_t width,
                        const text_style& style) {
    std::string out;
    std::size_t column = 0;
    for (std::size_t i = 0; i < part_count; ++i) {
        const bool shown = std::ranges::any_of(
            bars, [&](const attribution& where) { return bar_cells(where, width)[i] != 0; });
        if (!shown) {
            continue;
        }
        std::string name(part_names[i]);
        std::ranges::replace(name, '_', '-');
        const std::size_t length = 2 + name.size();
        if (column != 0 && column + 2 + length > style.width) {
            out += '\n';
            column = 0;
        }
        out += column == 0 ? "" : "  ";
        column += (column == 0 ? 0 : 2) + length;
        out += coloured(cell(i, style), looks[i].colour, style) + " " + name;
    }
    return out.empty() ? out : verbatim(out + '\n', style);
}

} // namespace regatta::race
