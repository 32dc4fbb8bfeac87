// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/race/program_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace regatta::race {

std::string program_words(const race_result& result, const text_style& style) {
    std::vector<const scheme_result*> programs;
    for (const scheme_result& one : result.schemes) {
        if (one.ok() && one.program && one.program->cpu_ns && one.program->peak_bytes &&
            one.time.median > 0) {
            programs.push_back(&one);
        }
    }
    std::ranges::stable_sort(programs, {}, [](const scheme_result* s) { return s->time.median; });
    std::string text;
    for (const scheme_result* one : programs) {
        const double cpu_ns = *one->program->cpu_ns;
        text += text.empty() ? "Programs: " : "; ";
        text += fmt::format(
            "{} used {:.2f} CPUs on average ({} of CPU time in {}) and {} of memory", one->name,
            cpu_ns / one->time.median, duration_text(cpu_ns, style),
            duration_text(one->time.median, style), bytes_text(*one->program->peak_bytes));
    }
    return text.empty() ? text : text + ".";
}

} // namespace regatta::race
