// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/cpus/cpus_check_report.hpp"

#include <regatta/base/detail/printable_text.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace regatta::race {
namespace {

std::string time_text(std::int64_t ns, const text_style& style) {
    return duration_text(static_cast<double>(ns), style);
}

double share_of(std::int64_t part, std::int64_t whole) {
    return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// How a cause is drawn: each has its own character, so colours only help.
struct cause_look {
    std::string_view name, character, ascii, colour;
};
constexpr std::array<cause_look, gap_causes> looks = {{
    {"another task", "█", "#", "31"},
    {"kernel threads", "▓", "K", "33"},
    {"the check itself", "c", "c", "35"},
    {"held back", "h", "h", "35"},
    {"the tick", "░", "t", "36"},
    {"devices", "▒", "d", "34"},
    {"other interrupts", "o", "o", "34"},
    {"stolen by the hypervisor", "s", "s", "33"},
    {"unexplained", "·", ".", ""},
}};

std::string character_of(const cause_look& look, const text_style& style) {
    return std::string(style.unicode ? look.character : look.ascii);
}

std::string_view colour_of(cpu_verdict verdict) {
    return verdict == cpu_verdict::soft ? "1;31" : "1;32";
}

std::string indented(std::string_view text, const text_style& style) {
    text_style inner = style;
    inner.width = style.width - 2;
    return "  " + wrapped(text, 2, inner);
}

std::string task_name(const task_presence& task) {
    if (task.pid == 0) {
        return "somebody unseen";
    }
    return task.name.empty() ? "(ended unnamed)" : detail::printable_text(task.name);
}

std::string headline(const cpu_check& check, bool certain, const text_style& style) {
    const cpu_verdict verdict = check.verdict();
    std::string text;
    if (verdict == cpu_verdict::soft) {
        const auto intruders = static_cast<std::uint64_t>(
            std::ranges::count(check.tasks, task_role::intruder, &task_presence::role));
        const std::int64_t time = check.time_of(task_role::intruder);
        text = fmt::format("{} ran there for {} of {} ({})", counted(intruders, "other task"),
                           time_text(time, style), time_text(check.elapsed_ns(), style),
                           percent_text(share_of(time, check.elapsed_ns())));
    } else {
        text = fmt::format("in {} nobody else ran there{}", time_text(check.elapsed_ns(), style),
                           certain ? "" : ", as far as could be seen");
        if (verdict == cpu_verdict::quiet) {
            text += ", and hardly a tick came";
        }
    }
    const std::string_view word =
        verdict == cpu_verdict::soft ? "NOT EXCLUSIVE" : to_string(verdict);
    // Coloured last: the sequences have no width. One word till then, so that no line ends in it.
    const std::string cpu = fmt::format("CPU {}", check.cpu);
    const std::string place(cpu.size() + 2 + word.size(), '_');
    const std::string lines = wrapped(fmt::format("{}: {}", place, text), 2, style);
    return coloured(cpu, "1", style) + "  " + coloured(word, colour_of(verdict), style) +
           lines.substr(place.size());
}

/// One line of the table of tasks.
struct task_row {
    std::string name, thread, time, share, turns, longest;

    std::string text(std::string_view colour, const text_style& style) const {
        std::string out =
            "  " + coloured(padded_right(name, name_width(style), style), colour, style);
        if (style.width >= widest_without_threads) {
            out += padded_left(thread, 9, style);
        }
        out += padded_left(time, 10, style) + padded_left(share, 9, style);
        if (style.width >= widest_without_turns) {
            out += padded_left(turns, 8, style) + padded_left(longest, 10, style);
        }
        out.erase(out.find_last_not_of(' ') + 1);
        return out + '\n';
    }

private:
    static constexpr unsigned widest_without_threads = 72;
    static constexpr unsigned widest_without_turns = 56;

    static std::size_t name_width(const text_style& style) {
        const std::size_t figures = 2 + 10 + 9 +
                                    (style.width >= widest_without_turns ? 8 + 10 : 0) +
                                    (style.width >= widest_without_threads ? 9 : 0);
        return style.width < figures + 8 ? 8 : std::min<std::size_t>(style.width - figures, 36);
    }
};

/// The tasks: intruders, then the others; of each as many as one wants to read.
std::string task_table(const cpu_check& check, const text_style& style) {
    constexpr std::size_t most_intruders = 10;
    constexpr std::size_t most_others = 5;
    if (check.tasks.empty()) {
        return {};
    }
    std::string out =
        task_row{"who ran there", "thread", "time", "share", "turns", "longest"}.text("", style);
    std::size_t intruders = 0;
    std::size_t others = 0;
    std::size_t left_out = 0;
    std::int64_t left_out_ns = 0;
    for (const task_presence& task : check.tasks) {
        const bool intruder = task.role == task_role::intruder;
        if (intruder ? intruders++ >= most_intruders : others++ >= most_others) {
            ++left_out;
            left_out_ns += task.time_ns;
            continue;
        }
        const std::string name = task.role == task_role::checker  ? "(this check)"
                                 : task.role == task_role::kernel ? "[" + task_name(task) + "]"
                                 : task.role == task_role::owner  ? task_name(task) + " (owner)"
                                                                  : task_name(task);
        out += task_row{name,
                        task.tid == 0 ? "" : std::to_string(task.tid),
                        time_text(task.time_ns, style),
                        percent_text(share_of(task.time_ns, check.elapsed_ns())),
                        task.turns == 0 ? "" : std::to_string(task.turns),
                        task.longest_ns == 0 ? "" : time_text(task.longest_ns, style)}
                   .text(intruder ? "31" : "", style);
    }
    if (left_out != 0) {
        out += indented(fmt::format("and {} more, {} in all; --json has every one", left_out,
                                    time_text(left_out_ns, style)),
                        style);
    }
    return out;
}

/// The cells of one bin, given to the causes by their counts.
std::string bar_of(const gap_report& gaps, std::size_t bin, std::size_t cells,
                   const text_style& style) {
    std::string out;
    std::uint64_t before = 0;
    std::size_t drawn = 0;
    const std::uint64_t all = gaps.all[bin].count;
    for (std::size_t i = 0; i < gap_causes; ++i) {
        before += gaps.by_cause[i][bin].count;
        const auto until = static_cast<std::size_t>(std::llround(
            share_of(static_cast<std::int64_t>(before * cells), static_cast<std::int64_t>(all))));
        std::string part;
        for (; drawn < until; ++drawn) {
            part += character_of(looks[i], style);
        }
        out += coloured(part, looks[i].colour, style);
    }
    return out;
}

/// The histogram: a line for each bin, its bar as long as the logarithm of the count.
std::string histogram(const gap_report& gaps, const text_style& style) {
    std::size_t first = gap_histogram::bins;
    std::size_t last = 0;
    std::uint64_t most = 1;
    for (std::size_t i = 0; i < gap_histogram::bins; ++i) {
        if (gaps.all[i].count != 0) {
            first = std::min(first, i);
            last = i;
            most = std::max(most, gaps.all[i].count);
        }
    }
    std::string out;
    constexpr std::size_t left = 2 + 9 + 9 + 2;
    const std::size_t width = std::clamp<std::size_t>(style.width, left + 8, left + 60) - left;
    for (std::size_t i = first; i <= last && i < gap_histogram::bins; ++i) {
        const std::uint64_t count = gaps.all[i].count;
        const double share =
            std::log(static_cast<double>(count) + 1) / std::log(static_cast<double>(most) + 1);
        const auto cells =
            count == 0 ? 0
                       : std::max<std::size_t>(
                             1, static_cast<std::size_t>(static_cast<double>(width) * share));
        // An edge is a whole number of its unit.
        std::string edge = time_text(gap_histogram::edges[i], style);
        if (const auto point = edge.find('.'); point != std::string::npos) {
            edge.erase(point, edge.find(' ') - point);
        }
        out += "  " + padded_left(edge, 9, style) + padded_left(std::to_string(count), 9, style) +
               (cells == 0 ? "" : "  " + bar_of(gaps, i, cells, style)) + '\n';
    }
    return out;
}

std::string legend(const gap_report& gaps, const text_style& style) {
    std::string out;
    for (std::size_t i = 0; i < gap_causes; ++i) {
        const gap_histogram& one = gaps.by_cause[i];
        if (one.empty()) {
            continue;
        }
        const std::string text = fmt::format(
            "{}: {}, {} in all, at most {}", looks[i].name, counted(one.count(), "time"),
            time_text(one.total_ns(), style), time_text(one.longest_ns(), style));
        text_style inner = style;
        inner.width = style.width - 4;
        out += "  " + coloured(character_of(looks[i], style), looks[i].colour, style) + " " +
               wrapped(text, 4, inner);
    }
    return out;
}

std::string gap_text(const cpu_check& check, const text_style& style) {
    const gap_report& gaps = *check.gaps;
    if (gaps.all.empty()) {
        return indented(fmt::format("The loop there was never away for {} or more.",
                                    time_text(gaps.threshold_ns, style)),
                        style);
    }
    std::string out =
        indented(fmt::format("The loop there was away {} for {} or more, {} in all ({}):",
                             counted(gaps.all.count(), "time"), time_text(gaps.threshold_ns, style),
                             time_text(gaps.all.total_ns(), style),
                             percent_text(share_of(gaps.all.total_ns(), check.elapsed_ns()))),
                 style);
    out += histogram(gaps, style) + legend(gaps, style);
    if (gaps.dropped != 0) {
        out += indented(fmt::format("{} more found no room to be noted.", gaps.dropped), style);
    }
    return out;
}

std::string interrupt_text(const cpu_check& check, const text_style& style) {
    std::string text;
    for (const interrupt_count& one : check.interrupts) {
        const double a_second = static_cast<double>(one.count) * 1e9 /
                                static_cast<double>(std::max<std::int64_t>(check.elapsed_ns(), 1));
        text += fmt::format("{}{} {} ({:.{}f}/s)", text.empty() ? "" : ", ",
                            detail::printable_text(one.name), one.count, a_second,
                            a_second < 10 ? 1 : 0);
    }
    if (text.empty()) {
        text = check.counts_ticks ? "none" : "not known";
    }
    return indented("Interrupts: " + text + ".", style);
}

std::string cpu_text(const cpu_check& check, bool certain, const text_style& style) {
    std::string out = headline(check, certain, style) + task_table(check, style);
    if (check.gaps) {
        out += gap_text(check, style);
    }
    out += interrupt_text(check, style);
    std::string text;
    if (check.traced || check.gaps) {
        text = fmt::format("{} {}. ", counted(check.switches, "switch", "switches"),
                           check.traced ? "of tasks" : "away from the loop there");
    }
    if (check.lost_records != 0) {
        text += fmt::format("The kernel lost {} of its records. ", check.lost_records);
    }
    if (check.steal_ns && *check.steal_ns > 0) {
        text +=
            fmt::format("The hypervisor ran others for {}. ", time_text(*check.steal_ns, style));
    }
    text += check.allowed_tasks == 0
                ? "No task of others that /proc shows may run there."
                : fmt::format("{} that /proc shows may run there, whether {} did or not.",
                              counted(check.allowed_tasks, "task of others", "tasks of others"),
                              check.allowed_tasks == 1 ? "it" : "they");
    out += indented(text, style);
    for (const std::string& note : check.notes) {
        out += indented("Note: " + detail::printable_text(note), style);
    }
    return out;
}

} // namespace

std::string cpus_check_text(const exclusivity_report& report, const text_style& style) {
    std::string out;
    for (const cpu_check& one : report.cpus) {
        out += cpu_text(one, report.certain(), style) + '\n';
    }
    for (const std::string& note : report.notes) {
        out += wrapped("Note: " + detail::printable_text(note), 2, style);
    }
    if (report.stopped) {
        out += wrapped("It was interrupted; this is what was found by then.", 0, style);
    }
    const auto soft = static_cast<std::uint64_t>(
        std::ranges::count(report.cpus, cpu_verdict::soft, &cpu_check::verdict));
    const std::string_view verdict = colour_of(report.verdict());
    std::string last;
    if (soft == 0) {
        last = report.verdict() == cpu_verdict::quiet ? "All are exclusive and quiet."
                                                      : "All are exclusive.";
    } else {
        last = fmt::format("{} of {} not exclusive.", soft, report.cpus.size());
    }
    if (!report.conclusive()) {
        out += wrapped("Whether anybody else ran there could not be found out: without a trace "
                       "and a loop only /proc tells, and it does not show all tasks.",
                       0, style);
    } else if (report.cpus.size() > 1) {
        out += coloured(last, verdict, style) + '\n';
    }
    return out;
}

} // namespace regatta::race
