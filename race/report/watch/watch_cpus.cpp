// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/watch/watch_cpus.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace regatta::race {
namespace {

/// A part of a bar: which share, its mark and its tone.
struct bar_part {
    double cpu_shares::*share;
    const char* name;
    std::size_t width; ///< Of its column.
    const char* unicode;
    const char* ascii;
    tone as;
};

constexpr std::array bar_parts{
    bar_part{&cpu_shares::user, "user", 6, "█", "#", tone::user},
    bar_part{&cpu_shares::system, "system", 6, "▓", "=", tone::system},
    bar_part{&cpu_shares::interrupt, "interrupts", 6, "▒", "!", tone::interrupt},
    bar_part{&cpu_shares::steal, "steal", 6, "×", "x", tone::steal},
    bar_part{&cpu_shares::iowait, "waiting for a device", 7, "░", "-", tone::iowait},
};

std::string repeated(std::string_view mark, std::size_t count) {
    std::string out;
    for (; count > 0; --count) {
        out += mark;
    }
    return out;
}

constexpr const char* idle_unicode = "·";
constexpr const char* idle_ascii = ".";

/// Each part ends where the sum up to it, rounded, ends; the rest is idleness.
void add_bar(screen_line& line, const std::optional<cpu_shares>& shares, std::size_t width,
             const text_style& style) {
    double sum = 0;
    std::size_t drawn = 0;
    for (const bar_part& part : bar_parts) {
        sum += shares ? (*shares).*part.share : 0;
        const auto end = std::min(
            width, static_cast<std::size_t>(std::lround(sum * static_cast<double>(width))));
        if (end > drawn) {
            line.push_back(
                {repeated(style.unicode ? part.unicode : part.ascii, end - drawn), part.as});
            drawn = end;
        }
    }
    line.push_back(
        {repeated(style.unicode ? idle_unicode : idle_ascii, width - drawn), tone::faint});
}

/// "97", in per cent.
std::string percent(double share) {
    return fmt::format("{:.0f}", 100 * share);
}

/// The threads of the watched process that were on that CPU last and ran meanwhile.
std::size_t threads_here(const observation& seen, unsigned cpu) {
    return static_cast<std::size_t>(
        std::ranges::count_if(seen.process->threads, [&](const thread_use& one) {
            return one.use > 0 && one.now.task.cpu == cpu;
        }));
}

constexpr std::size_t narrowest_bar = 8;

/// The table with a line a CPU.
class detailed_table {
public:
    detailed_table(const observation& seen, const text_style& style) : seen_(seen), style_(style) {}

    screen_line titles() const {
        screen_line line;
        for (const char* const name :
             {"  CPU", "  user", "   sys", "   irq", " steal", " iowait", "  idle", "    MHz"}) {
            line.push_back({name, tone::bold});
        }
        if (seen_.process) {
            line.push_back({" here", tone::bold});
        }
        return whole_parts(std::move(line), style_);
    }
    screen_line row_of_all() const { return row("all", seen_.all, std::nullopt, std::string()); }
    screen_line row_of(const cpu_use& one) const {
        std::string here;
        if (const std::size_t count = seen_.process ? threads_here(seen_, one.cpu) : 0) {
            here = std::to_string(count);
        }
        return row(std::to_string(one.cpu), one.shares, one.clock_mhz, here);
    }

private:
    screen_line row(const std::string& name, const std::optional<cpu_shares>& shares,
                    const std::optional<double>& clock, const std::string& here) const {
        screen_line line{{fmt::format("{:>5}", name), tone::bold}};
        const auto add = [&](double cpu_shares::*share, std::size_t width, tone as) {
            const std::string text = shares ? percent((*shares).*share) : "-";
            line.push_back({fmt::format("{:>{}}", text, width), text == "0" ? tone::faint : as});
        };
        for (const bar_part& part : bar_parts) {
            add(part.share, part.width, part.as);
        }
        add(&cpu_shares::idle, 6, tone::plain);
        line.push_back({fmt::format("{:>7}", clock ? fmt::format("{:.0f}", *clock) : "")});
        if (seen_.process) {
            line.push_back({fmt::format("{:>5}", here)});
        }
        const std::size_t taken = columns_of(line) + 1;
        if (style_.width >= taken + narrowest_bar) {
            line.push_back({" "});
            add_bar(line, shares, style_.width - taken, style_);
        }
        return whole_parts(std::move(line), style_);
    }

    const observation& seen_;
    const text_style& style_;
};

/// How wide the largest number is.
std::size_t digits_of_cpus(const observation& seen) {
    return std::to_string(seen.cpus.empty() ? 0 : seen.cpus.back().cpu).size();
}

/// Several CPUs a line: number, bar, per cent that it is busy.
std::vector<screen_line> cells(const observation& seen, const text_style& style) {
    const std::size_t digits = digits_of_cpus(seen);
    constexpr std::size_t gap = 2;
    constexpr std::size_t percent_width = 5; // " 100%"
    const std::size_t least = digits + 1 + narrowest_bar + percent_width;
    const std::size_t across = std::max<std::size_t>(1, (style.width + gap) / (least + gap));
    const std::size_t cell = std::max(least, (style.width + gap) / across - gap);
    const std::size_t count = seen.cpus.size();
    const std::size_t down = (count + across - 1) / across;
    std::vector<screen_line> lines(down);
    for (std::size_t i = 0; i < count; ++i) {
        const cpu_use& one = seen.cpus[i];
        screen_line& line = lines[i % down];
        line.push_back({fmt::format("{}{:>{}} ", i < down ? "" : "  ", one.cpu, digits)});
        add_bar(line, one.shares, cell - digits - 1 - percent_width, style);
        line.push_back({fmt::format("{:>4}%", one.shares ? percent(one.shares->busy()) : "-")});
    }
    return lines;
}

/// How busy a CPU is, in a character.
const auto& marks_of_levels(const text_style& style) {
    static constexpr std::array unicode{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static constexpr std::array ascii{" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    return style.unicode ? unicode : ascii;
}
/// Of a CPU that loses much to the hypervisor.
const char* mark_of_steal(const text_style& style) {
    return style.unicode ? "×" : "x";
}

/// A character a CPU, in so many lines at most.
std::vector<screen_line> strips(const observation& seen, std::size_t rows,
                                const text_style& style) {
    const auto& marks = marks_of_levels(style);
    const std::size_t digits = digits_of_cpus(seen);
    std::size_t across = 8;
    while (across * 2 + digits + 3 <= style.width) {
        across *= 2;
    }
    std::vector<screen_line> lines;
    for (std::size_t i = 0; i < seen.cpus.size(); ++i) {
        const cpu_use& one = seen.cpus[i];
        if (i % across == 0) {
            lines.push_back({{fmt::format("{:>{}} |", one.cpu, digits)}});
        }
        const double busy = one.shares ? one.shares->busy() : 0;
        const auto level =
            static_cast<std::size_t>(std::ceil(busy * static_cast<double>(marks.size() - 1)));
        constexpr double much_steal = 0.05;
        if (one.shares && one.shares->steal > much_steal) {
            lines.back().push_back({mark_of_steal(style), tone::steal});
        } else {
            lines.back().push_back({marks[std::min(level, marks.size() - 1)], tone::user});
        }
    }
    for (screen_line& line : lines) {
        line.push_back({"|"});
    }
    if (lines.size() > rows) {
        lines.resize(rows);
        lines.back() = {{fmt::format("{} more CPUs", seen.cpus.size() - (rows - 1) * across)}};
    }
    return lines;
}

screen_line legend_of_strips(const text_style& style) {
    const auto& marks = marks_of_levels(style);
    screen_line line{{"blank idle  ", tone::faint}};
    for (std::size_t level = 1; level < marks.size(); ++level) {
        line.push_back({marks[level], tone::user});
    }
    line.push_back({" busy  ", tone::faint});
    line.push_back({mark_of_steal(style), tone::steal});
    line.push_back({" steal", tone::faint});
    return line;
}
screen_line legend_of_bars(const text_style& style) {
    screen_line line;
    for (const bar_part& part : bar_parts) {
        line.push_back({style.unicode ? part.unicode : part.ascii, part.as});
        line.push_back({fmt::format(" {}  ", part.name), tone::faint});
    }
    line.push_back(
        {fmt::format("{} idle", style.unicode ? idle_unicode : idle_ascii), tone::faint});
    return line;
}

} // namespace

cpu_view view_of_cpus(const observation& seen, std::size_t rows, const text_style& style) {
    const detailed_table table(seen, style);
    cpu_view view{{table.titles(), table.row_of_all()}, legend_of_bars(style)};
    const std::size_t titles = view.lines.size();
    std::vector<screen_line> rest;
    if (titles + seen.cpus.size() <= rows) {
        for (const cpu_use& one : seen.cpus) {
            rest.push_back(table.row_of(one));
        }
    } else {
        rest = cells(seen, style);
        if (titles + rest.size() > rows) {
            rest = strips(seen, rows > titles ? rows - titles : 1, style);
            view.legend = legend_of_strips(style);
        }
    }
    view.lines.insert(view.lines.end(), rest.begin(), rest.end());
    return view;
}

} // namespace regatta::race
