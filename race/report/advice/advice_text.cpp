// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/advice/advice_text.hpp"

#include <fmt/core.h>

namespace regatta::race {
namespace {

std::string title_of(topic about) {
    switch (about) {
    case topic::trust:
        return "First";
    case topic::scheme:
        return "Scheme";
    case topic::workers:
        return "Workers";
    case topic::limit:
        return "Limit";
    case topic::processes:
        return "Processes or threads";
    case topic::pinning:
        break;
    }
    return "Pinning";
}

std::string head_of(const advice& made) {
    std::string text = "Advice";
    if (!made.workload.name.empty()) {
        text += " for " + made.workload.name;
        for (const auto& [name, value] : made.workload.settings) {
            text += fmt::format(" {} {}", name, value);
        }
    }
    text += " on " + counted(made.machine.available_cpus, "CPU");
    if (!made.machine.cpu_model.empty()) {
        text += fmt::format(" ({})", made.machine.cpu_model);
    }
    for (std::size_t i = 0; i < made.files.size(); ++i) {
        text += fmt::format("{}{}",
                            i == 0                       ? ", from "
                            : i + 1 == made.files.size() ? " and "
                                                         : ", ",
                            made.files[i]);
    }
    return text;
}

/// "    race.json: schemes[1].speedup.median 1.95, noise_floor 0.012".
std::string places_of(const sentence& one) {
    std::string text;
    std::string file;
    for (const cited_figure& cited : one.figures) {
        const bool other = cited.from.file != file;
        text +=
            fmt::format("{}{}{} {:.6g}",
                        text.empty() ? ""
                        : other      ? "; "
                                     : ", ",
                        other ? cited.from.file + ": " : "", cited.from.member, cited.from.value);
        file = cited.from.file;
    }
    return text;
}

} // namespace

std::string to_text(const advice& made, const text_style& style) {
    std::string out = wrapped(head_of(made), 2, style);
    for (const topic about : topics) {
        bool titled = false;
        for (const sentence& one : made.sentences) {
            if (one.about != about) {
                continue;
            }
            if (!titled) {
                out += '\n' + coloured(title_of(about), "1", style) + '\n';
                titled = true;
            }
            out += beside("  ", one.text, style);
            out += coloured(beside("      ", places_of(one), style), "90", style);
        }
    }
    if (!made.open.empty()) {
        out += '\n' + coloured("What these results do not say", "1", style) + '\n';
    }
    for (const open_question& one : made.open) {
        out += beside("  ", one.text, style);
        out += beside("      ", "Measure it: " + one.measure, style);
    }
    return out;
}

} // namespace regatta::race
