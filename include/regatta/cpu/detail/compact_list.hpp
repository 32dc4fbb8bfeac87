// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A set of CPUs as a short text in the kernel's notation.

#include <regatta/cpu/cpu_set.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace regatta::detail {

/// Adjacent CPU numbers.
struct cpu_run {
    unsigned first = 0;
    unsigned last = 0;
};

inline std::vector<cpu_run> runs_of(const cpu_set& set) {
    std::vector<cpu_run> runs;
    for (const unsigned cpu : set) {
        if (runs.empty() || runs.back().last + 1 != cpu) {
            runs.push_back({cpu, cpu});
        } else {
            runs.back().last = cpu;
        }
    }
    return runs;
}

/// The number of runs from `begin` on that form one pattern: as long as the first and equally
/// spaced. The last of them may be shorter, because a pattern ends where its range ends.
inline std::size_t length_of_pattern(const std::vector<cpu_run>& runs, std::size_t begin) {
    if (begin + 1 >= runs.size()) {
        return runs.size() - begin;
    }
    const unsigned used = runs[begin].last - runs[begin].first;
    const unsigned group = runs[begin + 1].first - runs[begin].first;
    std::size_t end = begin + 1;
    for (; end < runs.size() && runs[end].first - runs[end - 1].first == group; ++end) {
        const unsigned length = runs[end].last - runs[end].first;
        if (length > used) {
            break;
        }
        if (length < used) {
            return end + 1 - begin;
        }
    }
    return end - begin;
}

inline std::string text_of(const cpu_run& run) {
    std::string text = std::to_string(run.first);
    if (run.last != run.first) {
        text += '-';
        text += std::to_string(run.last);
    }
    return text;
}

/// `set` in the kernel's list notation; writes equal distances as a pattern where that is shorter.
/// "1-31:1/2" stands for the odd numbers up to 31, which `cpu_set::to_string` lists one by one. For
/// the kernel's command line, whose length is limited.
///
/// Cost: linear in the runs of the set, if patterns do not overlap.
/// Source: the grammar of `cpu_list_parser`.
inline std::string compact_list(const cpu_set& set) {
    const auto runs = runs_of(set);
    std::string text;
    for (std::size_t at = 0; at < runs.size();) {
        text += text.empty() ? "" : ",";
        const std::size_t count = length_of_pattern(runs, at);
        std::string plain = text_of(runs[at]);
        for (std::size_t i = at + 1; i < at + count; ++i) {
            plain += ',';
            plain += text_of(runs[i]);
        }
        std::string pattern;
        if (count > 1) {
            pattern = text_of({runs[at].first, runs[at + count - 1].last}) + ':' +
                      std::to_string(runs[at].last - runs[at].first + 1) + '/' +
                      std::to_string(runs[at + 1].first - runs[at].first);
        }
        if (count > 1 && pattern.size() < plain.size()) {
            text += pattern;
            at += count;
        } else {
            text += text_of(runs[at]);
            ++at;
        }
    }
    return text;
}

} // namespace regatta::detail
