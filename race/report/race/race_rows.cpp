// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/race/race_rows.hpp"

#include "report/common/verdict_word.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace regatta::race {

std::vector<const scheme_result*> rows_of(const race_result& result) {
    std::vector<const scheme_result*> rows;
    for (const scheme_result& one : result.schemes) {
        if (one.ok() && one.time.count != 0) {
            rows.push_back(&one);
        }
    }
    std::ranges::stable_sort(rows, [](const scheme_result* a, const scheme_result* b) {
        if (a->has_ratio() != b->has_ratio()) {
            return a->has_ratio();
        }
        return a->has_ratio() ? a->vs_baseline.median < b->vs_baseline.median
                              : a->time.median < b->time.median;
    });
    return rows;
}

std::string ratio_cell(const estimate& ratio) {
    return ratio.median > 0 ? ratio_text(ratio.median) : "-";
}

std::string interval_text(const estimate& ratio, const text_style& style) {
    if (ratio.count < pairs_for_a_verdict) {
        return "-"; // too few rounds for an interval of 95 %
    }
    return ratio_text(ratio.low) + (style.unicode ? "…" : "..") + ratio_text(ratio.high);
}

std::string verdict_text(const scheme_result& row) {
    return row.word == verdict::unclear ? fmt::format("{} +{}", word_of(row.word), row.more_rounds)
                                        : std::string(word_of(row.word));
}

std::string_view verdict_colour(verdict word) noexcept {
    switch (word) {
    case verdict::faster:
        return "32";
    case verdict::slower:
        return "31";
    default:
        return "90";
    }
}

} // namespace regatta::race
