// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/cpus/cpus_plan_report.hpp"

#include <regatta/base/detail/printable_text.hpp>
#include <regatta/cpu/detail/compact_list.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace regatta::race {
namespace {

/// Prose between a mark and the right edge: "  ! text", its further lines below the text.
std::string marked(std::string_view mark, std::string_view text, const text_style& style) {
    return beside(mark, detail::printable_text(text), style); // Groups have any name.
}

std::string named(const cpu_set& cpus) {
    return (cpus.count() == 1 ? "CPU " : "CPUs ") + regatta::detail::compact_list(cpus);
}

std::string run_time_text(const cpus_plan& plan, const text_style& style) {
    const exclusive_way* const first = plan.run_time.first();
    if (first == nullptr) {
        return coloured("Without a reboot: not to be had", "1", style) + '\n' +
               marked("  ", as_sentence(plan.run_time.refused), style);
    }
    std::string out =
        coloured(fmt::format("Without a reboot: {}", to_string(first->level)), "1", style) + '\n';
    out += marked("  ", as_sentence(first->way), style);
    std::size_t number = 0;
    for (const std::string& step : first->steps) {
        out += marked(fmt::format("  {:2}. ", ++number), step, style);
    }
    if (plan.this_machine) {
        out += marked("  ",
                      fmt::format("Do it with: regatta cpus run {}{} -- COMMAND{}",
                                  regatta::detail::compact_list(plan.boot.cpus), plan.permissions,
                                  first->steps.empty() ? "" : "; its end undoes each step"),
                      style);
    }
    if (plan.this_machine && !plan.privileged && !first->steps.empty()) {
        out += marked("  ",
                      "You are not root: where a step is refused, the next way is tried, and the "
                      "last one needs nothing.",
                      style);
    }
    // Ways that fail for one reason are named together.
    const auto& ways = plan.run_time.ways;
    for (auto way = ways.begin(); way != ways.end() && &*way != first;) {
        const std::string& reason = way->impossible;
        std::string names(to_string(way->level));
        for (++way; way->impossible == reason && &*way != first; ++way) {
            names += fmt::format(", {}", to_string(way->level));
        }
        out += marked("  ", as_sentence(fmt::format("Not {}: {}", names, reason)), style);
    }
    return out;
}

std::string note_text(const exclusive_preview& plan, const text_style& style) {
    std::string out;
    for (const std::string& note : plan.notes) {
        out += marked("  Note: ", note, style);
    }
    return out;
}

std::string boot_text(const cpus_plan& plan, const text_style& style) {
    const boot_line& line = plan.boot;
    if (line.options.empty()) {
        return coloured("From the next boot on: not to be had", "1", style) + '\n';
    }
    std::string out = coloured("From the next boot on", "1", style) + '\n';
    // One line whatever the width, to be copied.
    out += "  " + coloured(line.text(), "36", style) + "\n\n";
    std::size_t width = 0;
    for (const boot_option& option : line.options) {
        width = std::max(width, option.name.size());
    }
    for (const boot_option& option : line.options) {
        out += marked(fmt::format("  {:<{}}  ", option.name, width), option.purpose, style);
    }
    out += '\n';
    if (plan.loaders.empty()) {
        out += marked("  ",
                      "No boot loader was found whose files are known, so the options go to "
                      "wherever this machine's kernel gets its command line from, and then a "
                      "reboot.",
                      style);
    }
    for (const boot_loader& loader : plan.loaders) {
        out += marked("  ", loader.name + ": " + advice_of(loader, line), style);
    }
    return out;
}

} // namespace

std::string advice_of(const boot_loader& loader, const boot_line& line) {
    std::string command = loader.command;
    if (const auto at = command.find("OPTIONS"); at != std::string::npos) {
        command.replace(at, std::string_view("OPTIONS").size(), line.text());
    }
    return (loader.file.empty() ? "" : "in " + loader.file + ", ") + loader.edit +
           (command.empty() ? "; then reboot" : "; then run `" + command + "` and reboot") + '.';
}

std::string cpus_plan_text(const cpus_plan& plan, const text_style& style) {
    const boot_line& line = plan.boot;
    std::string out = named(line.cpus) + " to be kept free";
    out += line.housekeeping.empty() ? "\n\n"
                                     : "; the system keeps " + named(line.housekeeping) + "\n\n";
    out += run_time_text(plan, style) + note_text(plan.run_time, style) + '\n' +
           boot_text(plan, style);
    if (!line.warnings.empty()) {
        out += '\n' + coloured("Before you do", "1", style) + '\n';
        for (const boot_warning& warning : line.warnings) {
            out += marked("  ! ", warning.text, style);
        }
    }
    return out;
}

} // namespace regatta::race
