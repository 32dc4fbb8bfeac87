// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/watch/watch_lines.hpp"

#include "report/watch/watch_cpus.hpp"
#include "text/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace regatta::race {
namespace {

/// "312", "12k", "3.4M".
std::string rate_text(double rate) {
    if (rate < 9999.5) {
        return fmt::format("{:.0f}", rate);
    }
    return rate < 999'500 ? fmt::format("{:.0f}k", rate / 1e3) : fmt::format("{:.1f}M", rate / 1e6);
}

std::string share_text(const std::optional<double>& share) {
    return share ? fmt::format("{:.0f}", 100 * *share) : "-";
}

/// Left and right of a line that is as wide as the screen.
screen_line apart(screen_line left, const screen_line& right, const text_style& style) {
    const std::size_t taken = columns_of(left) + columns_of(right);
    if (taken <= style.width) {
        left.push_back({std::string(style.width - taken, ' ')});
        left.insert(left.end(), right.begin(), right.end());
    }
    return left;
}

screen_line title_line(const observation& seen, const watch_frame& frame, bool keys,
                       const text_style& style) {
    screen_line left{
        {"regatta watch", tone::bold},
        {fmt::format("  {}  {}  {}", frame.clock, counted(seen.cpus.size(), "CPU"), frame.pace)}};
    return apart(left, keys ? screen_line{{"q quits", tone::faint}} : screen_line(), style);
}

screen_line queue_line(const observation& seen) {
    if (!seen.queue) {
        return {{"run queue: not told", tone::faint}};
    }
    const run_queue& queue = *seen.queue;
    screen_line line{{fmt::format("load {:.2f} {:.2f} {:.2f}   runnable ", queue.load[0],
                                  queue.load[1], queue.load[2])},
                     {std::to_string(queue.runnable),
                      queue.runnable > seen.cpus.size() + 1 ? tone::alarm : tone::plain},
                     {fmt::format(" of {}   blocked {}", queue.tasks, queue.blocked)}};
    if (seen.switches_a_second) {
        line.push_back({fmt::format("   switches {}/s", rate_text(*seen.switches_a_second))});
    }
    return line;
}

/// How much of the time some task waited: meanwhile, and in the last minute.
screen_line pressure_line_of(const observation& seen) {
    screen_line line{{"pressure"}};
    std::string minute;
    const auto add = [&](std::string_view name, const std::optional<double>& share,
                         const std::optional<pressure_stall>& stall) {
        constexpr double much = 0.1;
        line.push_back({fmt::format("   {} ", name)});
        line.push_back(
            {share_text(share) + " %", share.value_or(0) > much ? tone::alarm : tone::plain});
        minute += minute.empty() ? "" : " / ";
        minute += stall ? fmt::format("{:.0f}", stall->some.avg60) : "-";
    };
    add("CPU", seen.stalled.cpu, seen.stalls.cpu);
    add("memory", seen.stalled.memory, seen.stalls.memory);
    add("devices", seen.stalled.io, seen.stalls.io);
    if (!seen.stalls.cpu && !seen.stalls.memory && !seen.stalls.io) {
        return {{"pressure: not told by this kernel", tone::faint}};
    }
    line.push_back({fmt::format("     last minute {} %", minute), tone::faint});
    return line;
}

bool ran(const thread_use& one) {
    return one.use > 0 || one.voluntary.value_or(0) + one.involuntary.value_or(0) > 0;
}

/// The watched process in a line.
screen_line process_line(const process_observation& process, const text_style& style) {
    screen_line right;
    if (process.alive) {
        const std::size_t processes = process.processes();
        std::string text = fmt::format("  {:.2f} CPUs, {}", process.cpus_used,
                                       counted(process.threads.size(), "thread"));
        if (processes > 1) {
            text += fmt::format(" in {} processes", processes);
        }
        right = {{text, tone::bold}};
    } else {
        right = {{"  has ended", tone::alarm}};
    }
    const std::string name =
        fmt::format("{} {}", process.pid, harmless(process.title.empty() ? "?" : process.title));
    const std::size_t taken = columns_of(right);
    const std::size_t room = style.width > taken ? style.width - taken : 0;
    return apart({{columns_of(name) > room ? padded_right(name, room, style) : name, tone::bold}},
                 right, style);
}

/// Those that ran first; otherwise the order in which they were read, so that the list is quiet.
std::vector<const thread_use*> in_order(const process_observation& process) {
    std::vector<const thread_use*> threads;
    for (const thread_use& one : process.threads) {
        threads.push_back(&one);
    }
    std::ranges::stable_partition(threads, [](const thread_use* one) { return ran(*one); });
    return threads;
}

/// The table of threads.
class thread_table {
public:
    thread_table(const observation& seen, const text_style& style)
        : seconds_(static_cast<double>(seen.elapsed_ns) / 1e9)
        , several_(seen.process->processes() > 1)
        , style_(style) {
        for (const cpu_use& one : seen.cpus) {
            online_.insert(one.cpu);
        }
    }

    screen_line titles() const {
        screen_line line{{fmt::format("{:>7} {}{:<{}}  S", "thread", several_ ? "process " : "",
                                      "name", name_width()),
                          tone::bold}};
        for (const char* const name :
             {" CPU", "  use", " wait", "  vol/s", "  inv/s", "      moves", " allowed"}) {
            line.push_back({name, tone::bold});
        }
        return whole_parts(std::move(line), style_);
    }
    screen_line row(const thread_use& one) const {
        const thread_activity& now = one.now;
        const auto rate = [&](const std::optional<std::int64_t>& count) {
            return count ? rate_text(static_cast<double>(*count) / seconds_) : "-";
        };
        std::string moves = now.migrations ? std::to_string(*now.migrations) : "-";
        if (one.migrations.value_or(0) > 0 && *one.migrations != *now.migrations) {
            moves += fmt::format(" (+{})", *one.migrations);
        }
        std::string process;
        if (several_) {
            process = fmt::format("{:>7} ", now.task.pid);
        }
        const tone as = ran(one) ? tone::plain : tone::faint;
        constexpr double much = 0.1;
        screen_line line{
            {fmt::format("{:>7} {}{}  {}", now.task.tid, process,
                         padded_right(harmless(now.task.name), name_width(), style_),
                         now.task.state),
             as},
            {fmt::format("{:>4}", now.task.cpu), ran(one) ? tone::bold : tone::faint},
            {fmt::format("{:>5}", share_text(one.use)), ran(one) ? tone::user : tone::faint},
            {fmt::format("{:>5}", share_text(one.wait)),
             one.wait.value_or(0) > much ? tone::alarm : as},
            {fmt::format("{:>7}", rate(one.voluntary)), as},
            {fmt::format("{:>7}", rate(one.involuntary)), as},
            {fmt::format("{:>11}", moves), as}};
        // A list of CPUs may be long: it gets the rest, where there is room for its title.
        constexpr std::size_t title = 7;
        if (const std::size_t taken = columns_of(line) + 1; taken + title <= style_.width) {
            const std::size_t room = style_.width - taken;
            line.push_back({" " + padded_right(allowed(now.allowed), room, style_), as});
        }
        return whole_parts(std::move(line), style_);
    }

private:
    /// The kernel's names have up to 15 characters.
    std::size_t name_width() const { return several_ ? 11 : 15; }
    std::string allowed(const std::optional<cpu_set>& cpus) const {
        if (!cpus) {
            return "-";
        }
        const cpu_set usable = *cpus & online_;
        return usable == online_ ? "all" : usable.to_string();
    }

    double seconds_;
    bool several_;
    cpu_set online_;
    const text_style& style_;
};

/// Where the parts of a screen go.
struct layout {
    std::vector<screen_line> head;
    std::vector<screen_line> cpus;
    std::vector<screen_line> foot;
    std::size_t thread_rows = 0; ///< Below their titles.
};

layout lay_out(const observation& seen, const watch_frame& frame, std::size_t rows,
               const text_style& style) {
    layout parts;
    parts.head = {title_line(seen, frame, true, style), queue_line(seen), pressure_line_of(seen)};
    if (frame.has_output) {
        parts.foot.push_back({{"output  ", tone::faint}, {harmless(frame.last_output)}});
    }
    const std::size_t fixed = parts.head.size() + parts.foot.size() + 1;
    const std::size_t room = rows > fixed ? rows - fixed : 0;
    const auto show_cpus = [&](std::size_t most) {
        cpu_view view = view_of_cpus(seen, most, style);
        parts.cpus = std::move(view.lines);
        parts.foot.push_back(std::move(view.legend));
    };
    if (!seen.process) {
        show_cpus(room);
        return parts;
    }
    constexpr std::size_t thread_titles = 2;
    const std::size_t wanted = seen.process->threads.size() + thread_titles;
    show_cpus(std::max(room / 2, room > wanted ? room - wanted : 0));
    const std::size_t used = parts.cpus.size() + thread_titles;
    parts.thread_rows = room > used ? room - used : 0;
    return parts;
}

} // namespace

std::vector<screen_line> watch_screen(const observation& seen, const watch_frame& frame,
                                      std::size_t rows, const text_style& style) {
    layout parts = lay_out(seen, frame, rows, style);
    std::vector<screen_line> lines = std::move(parts.head);
    lines.insert(lines.end(), parts.cpus.begin(), parts.cpus.end());
    if (seen.process) {
        lines.push_back(process_line(*seen.process, style));
        const thread_table table(seen, style);
        const auto threads = in_order(*seen.process);
        if (!threads.empty()) {
            lines.push_back(table.titles());
        }
        const std::size_t first =
            std::min(frame.first_thread, last_first_thread(seen, frame, rows, style));
        const std::size_t left = threads.size() - std::min(first, threads.size());
        const bool all = left <= parts.thread_rows;
        const std::size_t shown = all ? left : std::max<std::size_t>(parts.thread_rows, 1) - 1;
        for (std::size_t i = first; i < first + shown; ++i) {
            lines.push_back(table.row(*threads[i]));
        }
        if (!all && parts.thread_rows > 0) {
            lines.push_back({{fmt::format("{} more: arrow keys", left - shown), tone::faint}});
        }
    }
    const std::size_t foot = std::min(rows, parts.foot.size());
    lines.resize(rows - foot);
    lines.insert(lines.end(), parts.foot.begin(),
                 parts.foot.begin() + static_cast<std::ptrdiff_t>(foot));
    for (screen_line& line : lines) {
        line = shortened(std::move(line), style);
    }
    return lines;
}

std::size_t last_first_thread(const observation& seen, const watch_frame& frame, std::size_t rows,
                              const text_style& style) {
    if (!seen.process) {
        return 0;
    }
    const std::size_t room = lay_out(seen, frame, rows, style).thread_rows;
    const std::size_t threads = seen.process->threads.size();
    return threads > room ? threads - room : 0;
}

std::string watch_text(const observation& seen, const watch_frame& frame, const text_style& style) {
    std::vector<screen_line> lines{title_line(seen, frame, false, style), queue_line(seen),
                                   pressure_line_of(seen)};
    cpu_view cpus = view_of_cpus(seen, std::numeric_limits<std::size_t>::max(), style);
    std::move(cpus.lines.begin(), cpus.lines.end(), std::back_inserter(lines));
    lines.push_back(std::move(cpus.legend));
    if (seen.process) {
        lines.push_back(process_line(*seen.process, style));
        const thread_table table(seen, style);
        if (!seen.process->threads.empty()) {
            lines.push_back(table.titles());
        }
        for (const thread_use* one : in_order(*seen.process)) {
            lines.push_back(table.row(*one));
        }
    }
    std::string out;
    for (const screen_line& line : lines) {
        out += text_of(shortened(line, style), style);
    }
    return out;
}

} // namespace regatta::race
